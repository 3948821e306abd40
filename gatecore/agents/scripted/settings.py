"""Which Stop hooks apply: the settings given by flag, merged with those of the project."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from gatecore.agents.scripted.flags import FlagError

_DEFAULT_TIMEOUT = 600.0
_FILES = {"project": Path(".claude/settings.json"), "local": Path(".claude/settings.local.json")}


class Hook(NamedTuple):
    """A Stop hook's shell command and its deadline in seconds."""

    command: str
    timeout: float


class StopSettings(NamedTuple):
    """The Stop hooks, each once, and variables for their environment."""

    hooks: tuple[Hook, ...]
    environ: Mapping[str, str]


def from_flag(value: str | None) -> dict[str, Any]:
    """The value of --settings: JSON, or the name of a file that holds it. Raises FlagError.

    Valid JSON that breaks the schema counts as no settings at all, without a word, as in the client.
    """
    if value is None:
        return {}
    if not value.lstrip().startswith("{"):
        path = Path(value)
        try:
            value = path.read_text(encoding="utf-8")
        except OSError:
            raise FlagError(f"Error: Settings file not found: {path}") from None
    try:
        settings = json.loads(value)
    except ValueError:
        raise FlagError("Error: Invalid JSON provided to --settings") from None
    return settings if _keeps_schema(settings) else {}


def stop_settings(flag: dict[str, Any], sources: tuple[str, ...], project: Path) -> StopSettings:
    """What holds at this moment: files of the project are read again at each stop, later layers win.

    The user's own settings are left alone: what is played depends on the scenario, not on whose machine.
    """
    layers = [_from_file(project / _FILES[source]) for source in _FILES if source in sources] + [flag]
    environ = {name: str(value) for layer in layers for name, value in layer.get("env", {}).items()}
    disabled = [layer["disableAllHooks"] for layer in layers if "disableAllHooks" in layer]
    if disabled and disabled[-1]:
        return StopSettings((), environ)
    hooks = dict.fromkeys(hook for layer in layers for hook in _stop_hooks(layer))
    return StopSettings(tuple(hooks), environ)


def _from_file(path: Path) -> dict[str, Any]:
    try:
        settings = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return {}
    return settings if _keeps_schema(settings) else {}


def _stop_hooks(settings: dict[str, Any]) -> list[Hook]:
    return [
        Hook(hook["command"], float(hook.get("timeout", _DEFAULT_TIMEOUT)))
        for group in settings.get("hooks", {}).get("Stop", [])
        for hook in group["hooks"]
        if hook["type"] == "command"
    ]


def _keeps_schema(settings: Any) -> bool:
    if not isinstance(settings, dict) or not isinstance(settings.get("env", {}), dict):
        return False
    if not isinstance(settings.get("disableAllHooks", False), bool):
        return False
    events = settings.get("hooks", {})
    if not isinstance(events, dict):
        return False
    return all(isinstance(groups, list) and all(map(_is_group, groups)) for groups in events.values())


def _is_group(group: Any) -> bool:
    return (
        isinstance(group, dict)
        and isinstance(group.get("hooks"), list)
        and all(map(_is_hook, group["hooks"]))
    )


def _is_hook(hook: Any) -> bool:
    if not isinstance(hook, dict) or not isinstance(hook.get("type"), str):
        return False
    timeout = hook.get("timeout", _DEFAULT_TIMEOUT)
    if isinstance(timeout, bool) or not isinstance(timeout, int | float) or timeout <= 0:
        return False
    return hook["type"] != "command" or isinstance(hook.get("command"), str)
