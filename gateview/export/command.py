"""`gateview export`."""

import getpass
import os
import socket
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from gatecore.ledger.folders import NoRunsError, find_runs
from gatecore.ledger.reader import MATRIX, SIGNOFF, TRIAGE
from gatecore.ledger.records import Signoff, Triage
from gatecore.text import line
from gateview.export.anonymise import Names, Told, folders_of, told_by_text, told_by_value
from gateview.export.copies import copy_run, parsed, rewritten, values_in
from gateview.store.elsewhere import file_of, folder

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
        for left, why in copy_run(path, out / key, names, _LIMIT, _verdicts_elsewhere(path)):
            print(f"gateview export: {line(f'{key}/{left}')}: not copied: {line(why)}", file=sys.stderr)
    for parent in {path.parent for path in found.values()}:
        target = next(out / key for key, path in found.items() if path.parent == parent).parent
        _copy_plan(parent, target, names)
    print(out)
    return 0


def _verdicts_elsewhere(run: Path) -> dict[str, bytes]:
    """What a person said of a run that could not be written: lines by the file that they belong to."""
    if os.access(run, os.W_OK):
        return {}
    kept = {TRIAGE: file_of(run, folder(Triage)), SIGNOFF: file_of(run, folder(Signoff))}
    return {name: path.read_bytes() for name, path in kept.items() if path.is_file()}


def _copy_plan(runs: Path, out: Path, names: Names | None) -> None:
    plan = runs / MATRIX
    if plan.is_file() and plan.stat().st_size < _LIMIT:
        data = plan.read_bytes()
        (out / MATRIX).write_bytes(rewritten(MATRIX, data, names) if names else data)


def _names(found: Mapping[str, Path]) -> Names:
    """What the runs tell of the machine they ran on, and what this one is called."""
    told = Told(set(), {getpass.getuser()}, {socket.gethostname(), socket.gethostname().partition(".")[0]})
    benches, kept = set[str](), set[str]()
    for path in found.values():
        kept.update((path.name, *path.name.split("-")))
        benches.add(_bench(path))
        meta = parsed(path / "meta.json", _LIMIT)
        if isinstance(meta, dict):
            kept.update(str(meta[key]) for key in ("task", "cfg") if key in meta)
            if isinstance(meta.get("work"), str) and meta["work"].startswith("/"):
                benches.add(_bench(Path(meta["work"])))
        for name in _TELLING:
            told_by_value(parsed(path / name, _LIMIT), told, every=True)
        _read_all(path, told)
    hosts = told.hosts - {"localhost", ""}
    folders = folders_of(benches, told.paths)
    return Names(folders, tuple(sorted(told.users)), tuple(sorted(hosts)), frozenset(kept))


def _bench(path: Path) -> str:
    """The folder above `runs` or `work`, where `path` is a run's folder in one of them."""
    parent = path.parent
    return str(parent.parent if parent.name in ("runs", "work") else parent)


def _read_all(run: Path, told: Told) -> None:
    """Gather what every file of a run tells."""
    for path in sorted(run.rglob("*")):
        if not path.is_file() or path.is_symlink() or path.stat().st_size >= _LIMIT:
            continue
        data = path.read_bytes()
        told_by_text(data.decode("utf-8", "replace"), told)
        if path.suffix in (".json", ".jsonl"):
            for value in values_in(path.name, data):
                told_by_value(value, told)
