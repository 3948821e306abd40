"""`gateview export`."""

import getpass
import socket
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from gatecore.ledger.folders import NoRunsError, find_runs
from gatecore.ledger.reader import MATRIX
from gatecore.text import line
from gateview.export.anonymise import Names, folders_of, paths_in, users_in
from gateview.export.copies import copy_run, parsed, rewritten

_TELLING = ("meta.json", "gate-config.json", "settings.json", "testwriter.json")
"""Files that name folders of the machine."""
_LIMIT = 256 * 1024 * 1024


def export(runs: Sequence[Path], out: Path, *, anonymise: bool) -> int:
    """Copy the runs in the folders `runs` into the new or empty folder `out`; return the exit code.

    2 when there is no run, or `out` is not empty. What is not copied (links, pipes, binary files, huge ones)
    is named on stderr.
    """
    try:
        found = find_runs(runs)
        out.mkdir(parents=True, exist_ok=True)
        if any(out.iterdir()):
            raise NoRunsError(f"{out}: is not empty; name a new folder")
    except (NoRunsError, OSError) as err:
        print(f"gateview export: {line(str(err))}", file=sys.stderr)
        return 2
    names = _names(found) if anonymise else None
    for key, path in found.items():
        for left, why in copy_run(path, out / key, names, _LIMIT):
            print(f"gateview export: {line(f'{key}/{left}')}: not copied: {line(why)}", file=sys.stderr)
    for folder in {path.parent for path in found.values()}:
        _copy_plan(
            folder, next(out / key for key, path in found.items() if path.parent == folder).parent, names
        )
    print(out)
    return 0


def _copy_plan(folder: Path, out: Path, names: Names | None) -> None:
    plan = folder / MATRIX
    if plan.is_file() and plan.stat().st_size < _LIMIT:
        data = plan.read_bytes()
        (out / MATRIX).write_bytes(rewritten(MATRIX, data, names) if names else data)


def _names(found: Mapping[str, Path]) -> Names:
    """What the runs tell of the machine they ran on, and what this one is called."""
    benches, paths, users, kept = set[str](), set[str](), {getpass.getuser()}, set[str]()
    for path in found.values():
        kept.update((path.name, *path.name.split("-")))
        benches.add(_bench(path))
        for name in _TELLING:
            value = parsed(path / name, _LIMIT)
            paths.update(paths_in(value))
            if name == "meta.json" and isinstance(value, dict):
                kept.update(str(value[key]) for key in ("task", "cfg") if key in value)
                if isinstance(value.get("work"), str) and value["work"].startswith("/"):
                    benches.add(_bench(Path(value["work"])))
        for text in _texts(path):
            users.update(users_in(text))
    hosts = {socket.gethostname(), socket.gethostname().partition(".")[0]} - {"localhost", ""}
    return Names(folders_of(benches, paths), tuple(sorted(users)), tuple(sorted(hosts)), frozenset(kept))


def _bench(path: Path) -> str:
    """The folder above `runs` or `work`, where `path` is a run's folder in one of them."""
    parent = path.parent
    return str(parent.parent if parent.name in ("runs", "work") else parent)


def _texts(run: Path) -> Iterator[str]:
    for path in sorted(run.rglob("*")):
        if path.is_file() and not path.is_symlink() and path.stat().st_size < _LIMIT:
            yield path.read_bytes().decode("utf-8", "replace")
