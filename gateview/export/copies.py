"""Copy the files of a run, with every text rewritten and every hash that depends on one made anew."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

from gatecore.ledger.reader import LEDGER, SIGNOFF, TRIAGE
from gateview.export.anonymise import Names

_HEAD = 8192


@dataclass
class _Hashes:
    """Old and new hashes of a ledger's lines, by which other lines refer to them."""

    last: tuple[bytes, bytes] = (b"", b"")
    renamed: dict[str, str] = field(default_factory=dict)


NO_VERDICTS: Mapping[str, bytes] = MappingProxyType({})


def copy_run(
    run: Path, out: Path, names: Names | None, limit: int, verdicts: Mapping[str, bytes] = NO_VERDICTS
) -> Iterator[tuple[str, str]]:
    """Copy `run` to `out`; yield each file that was not copied, and why. With `names`, texts are rewritten.

    `verdicts` are lines that are kept elsewhere, by the file of the run whose lines they go after.
    """
    out.mkdir(parents=True)
    hashes = _Hashes()
    # The ledger comes first: triage refers to its lines.
    for path in sorted(run.rglob("*"), key=lambda path: (path.name != LEDGER, path)):
        name = str(path.relative_to(run))
        try:
            if path.is_symlink() or not (path.is_file() or path.is_dir()):
                yield name, "not a plain file"
            elif path.is_file():
                data = path.read_bytes() if path.stat().st_size <= limit else None
                if data is None:
                    yield name, f"more than {limit} bytes"
                elif names and _is_binary(path, data):
                    yield name, "binary: what it tells cannot be seen"
                else:
                    target = out / (_renamed(name, names) if names else name)
                    target.parent.mkdir(parents=True, exist_ok=True)
                    target.write_bytes(rewritten(name, data, names, hashes) if names else data)
        except OSError as err:
            yield name, err.strerror or str(err)
    for name, lines in verdicts.items():
        with (out / name).open("ab") as file:
            file.write(rewritten(name, lines, names, hashes) if names else lines)


def _renamed(name: str, names: Names) -> str:
    return "/".join(names.text(part).replace("/", "-") for part in name.split("/"))


def values_in(name: str, data: bytes) -> Iterator[Any]:
    """The JSON values in the file `name`: one a line in JSON Lines; what is none is passed over."""
    for raw in data.split(b"\n") if name.endswith(".jsonl") else [data]:
        yield _loads(raw)


def rewritten(name: str, data: bytes, names: Names, hashes: _Hashes | None = None) -> bytes:
    """The content of the file `name` with its texts rewritten; what is no JSON is rewritten as text."""
    if name.endswith(".jsonl"):
        hashes = hashes or _Hashes()
        return b"\n".join(_line(name, raw, names, hashes) for raw in data.split(b"\n"))
    if name.endswith(".json"):
        value = _loads(data)
        if value is not None:
            after = names.value(value)
            return data if after == value else (json.dumps(after, indent=2) + "\n").encode()
    return _text(data, names)


def parsed(path: Path, limit: int) -> Any:
    """The JSON value in a file, None where there is none."""
    try:
        if path.is_file() and path.stat().st_size <= limit:
            return _loads(path.read_bytes())
    except OSError:
        pass
    return None


def _line(name: str, raw: bytes, names: Names, hashes: _Hashes) -> bytes:
    value = _loads(raw) if raw.strip() else None
    if not isinstance(value, dict):
        new = _text(raw, names)
    else:
        after = names.value(value)
        if name == LEDGER and "prev" in value:
            after["prev"] = _link(value["prev"], hashes)
        if name in (TRIAGE, SIGNOFF) and value.get("stop_id") in hashes.renamed:
            after["stop_id"] = hashes.renamed[value["stop_id"]]
        new = raw if after == value else json.dumps(after).encode()
    if name == LEDGER and raw.strip():
        hashes.last = raw, new
        hashes.renamed[_sha(raw)] = _sha(new)
    return new


def _link(prev: Any, hashes: _Hashes) -> Any:
    """The hash of the line before as it is now; a link that was broken stays broken."""
    old, new = hashes.last
    return _sha(new) if old and prev == _sha(old) else prev


def _loads(data: bytes) -> Any:
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        return None


def _text(data: bytes, names: Names) -> bytes:
    return names.text(data.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")


def _sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _is_binary(path: Path, data: bytes) -> bool:
    return path.suffix not in (".jsonl", ".json", ".txt", ".diff", ".md", ".log") and b"\0" in data[:_HEAD]
