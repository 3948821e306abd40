"""Edits of files that are not ours, each of which can be undone to the byte.

What a file was before is kept beside what it became. As long as nobody else changed it, undoing an edit gives
the old file back; else only what was put in is taken out.
"""

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from gatecore.harness.errors import UsageError

HOOKS = ("Stop", "UserPromptSubmit")
Edit = dict[str, Any]
"""What is kept of an edit: file, what it was (`before`, text or null), the SHA-256 of what it became, what was
put in, and the folders that were made for it."""


def put(path: Path, change: Callable[[str | None], str], put_in: Any) -> Edit:
    """Replace the text of a file (None: there is none) by `change` of it. Raises UsageError, OSError."""
    target = path.resolve()
    before = _text(target)
    after = change(before)
    made = [folder for folder in (target.parent, *target.parent.parents) if not folder.exists()]
    target.parent.mkdir(parents=True, exist_ok=True)
    _write(target, after)
    return {
        "file": str(path),
        "before": before,
        "after": _sha256(after),
        "put_in": put_in,
        "folders": [str(folder) for folder in made],
    }


def undo(edit: Edit, take_out: Callable[[str, Any], str | None]) -> None:
    """Take an edit back. `take_out` gives the text without what was put in, None when nothing is left."""
    path = Path(edit["file"]).resolve()
    now = _text(path)
    if now is None:
        return
    before = edit["before"]
    left = before if _sha256(now) == edit["after"] else take_out(now, edit["put_in"])
    if left is None:
        path.unlink()
        for folder in map(Path, edit["folders"]):
            if any(folder.iterdir()):
                break
            folder.rmdir()
    elif left != now:
        _write(path, left)


def put_settings(path: Path, hooks: dict[str, Any], deny: list[str]) -> Edit:
    """Merge hooks (by event, one entry each) and deny rules into a settings file of the client."""
    put_in: dict[str, Any] = {"hooks": hooks, "deny": []}

    def change(text: str | None) -> str:
        settings = _parse(path, text) if text is not None and text.strip() else {}
        for event, entry in hooks.items():
            _list(path, _object(path, settings, "hooks"), event).append(entry)
        rules = _list(path, _object(path, settings, "permissions"), "deny")
        put_in["deny"] = [rule for rule in deny if rule not in rules]
        rules += put_in["deny"]
        return _dump(settings, like=text)

    return put(path, change, put_in)


def undo_settings(edit: Edit) -> None:
    """Take hooks and deny rules out again. Raises UsageError when the file is no JSON any more."""
    undo(edit, lambda text, put_in: _without(Path(edit["file"]), text, put_in, edit["before"]))


def holds(edit: Edit) -> bool:
    """Whether the settings file still has the hooks that were put in."""
    text = _text(Path(edit["file"]))
    try:
        hooks = json.loads(text or "")["hooks"]
        return all(entry in hooks[event] for event, entry in edit["put_in"]["hooks"].items())
    except (ValueError, KeyError, TypeError):
        return False


def put_line(path: Path, line: str) -> Edit:
    """Append a line to a file."""
    return put(path, lambda text: _closed(text or "") + line + "\n", line)


def undo_line(edit: Edit) -> None:
    """Take the line out again."""

    def take_out(text: str, line: str) -> str | None:
        lines = text.splitlines(keepends=True)
        for i in range(len(lines) - 1, -1, -1):
            if lines[i].rstrip("\n") == line:
                del lines[i]
                break
        return "".join(lines) or (None if edit["before"] is None else "")

    undo(edit, take_out)


def _without(path: Path, text: str, put_in: Any, before: str | None) -> str | None:
    settings = _parse(path, text)
    was = _parse(path, before) if before is not None and before.strip() else {}
    hooks = settings.get("hooks")
    for event, entry in put_in["hooks"].items():
        _remove(hooks, event, [entry], keep=event in was.get("hooks", {}))
    _remove(settings.get("permissions"), "deny", put_in["deny"], keep="deny" in was.get("permissions", {}))
    for key in ("hooks", "permissions"):
        if settings.get(key) == {} and key not in was:
            del settings[key]
    if settings == was:
        return before
    return _dump(settings, like=text) if settings or before is not None else None


def _remove(parent: Any, key: str, items: list[Any], *, keep: bool) -> None:
    """Remove items from a list; the list too when it is empty then, unless it is to be kept."""
    found = parent.get(key) if isinstance(parent, dict) else None
    if not isinstance(found, list):
        return
    for item in items:
        if item in found:
            found.remove(item)
    if not found and not keep:
        del parent[key]


def _parse(path: Path, text: str) -> dict[str, Any]:
    try:
        settings = json.loads(text)
    except ValueError as err:
        raise UsageError(f"{path}: {err}; the client ignores such a file, mend it first") from None
    if not isinstance(settings, dict):
        raise UsageError(f"{path}: must hold a JSON object")
    return settings


def _object(path: Path, parent: dict[str, Any], key: str) -> dict[str, Any]:
    value = parent.setdefault(key, {})
    if not isinstance(value, dict):
        raise UsageError(f"{path}: {key}: must be an object")
    return value


def _list(path: Path, parent: dict[str, Any], key: str) -> list[Any]:
    value = parent.setdefault(key, [])
    if not isinstance(value, list):
        raise UsageError(f"{path}: {key}: must be a list")
    return value


def _dump(settings: dict[str, Any], *, like: str | None) -> str:
    """The JSON text, indented and ended as the text `like` is."""
    second = (like or "").partition("\n")[2]
    indent = second[: len(second) - len(second.lstrip(" \t"))].partition("\n")[0] or "  "
    end = "" if like and not like.endswith("\n") else "\n"
    return json.dumps(settings, indent=indent, ensure_ascii=False) + end


def _closed(text: str) -> str:
    return text if not text or text.endswith("\n") else text + "\n"


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()


def _text(path: Path) -> str | None:
    try:
        return path.read_bytes().decode("utf-8", "surrogateescape")
    except FileNotFoundError:
        return None


def _write(path: Path, text: str) -> None:
    """Write the file whole or not at all, with the permissions that it has."""
    new = path.with_name(f"{path.name}.gatecore")
    new.write_bytes(text.encode("utf-8", "surrogateescape"))
    if path.exists():
        new.chmod(path.stat().st_mode & 0o7777)
    new.replace(path)
