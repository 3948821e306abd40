"""Drop what takes room: first the trees of old sessions, then, when it is asked for, their ledgers."""

import fcntl
import os
import shutil
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from gatecore.harness.errors import UsageError

_DAY_S = 24 * 3600.0


@dataclass(frozen=True)
class Drop:
    """A folder to drop, what it is, and its size in bytes."""

    path: Path
    what: str
    size: int


def plan(home: Path, days: float, *, ledgers: bool) -> list[Drop]:
    """What has not been used for so many days: sessions' trees, contents, known verdicts; `ledgers`: runs too."""
    if not home.is_dir():
        raise UsageError(f"{home}: nothing was installed for this repository")
    before = time.time() - days * _DAY_S
    old = [path for path in _folders(home / "sessions") if _used(path) < before]
    kept = [path for path in _folders(home / "sessions") if path not in old]
    needed = {os.path.realpath(path / "git" / "objects") for path in kept}
    drops = [(path, "the trees of a session") for path in old]
    drops += [
        (path, "file contents of a week")
        for path in _folders(home / "objects")
        if os.path.realpath(path) not in needed and _used(path) < before
    ]
    if ledgers:
        drops += [
            (path, "LEDGER of a session, its verdicts too")
            for path in _folders(home / "runs")
            if _used(path) < before
        ]
    return [Drop(path, what, _size(path)) for path, what in drops]


def drop(drops: list[Drop]) -> Iterator[Drop]:
    """Drop them; a session that is at work just now stays. Yields what is gone."""
    for one in drops:
        if not _busy(one.path):
            shutil.rmtree(one.path)
            one.path.with_suffix(".lock").unlink(missing_ok=True)
            yield one


def _folders(parent: Path) -> list[Path]:
    return sorted(path for path in parent.iterdir() if path.is_dir()) if parent.is_dir() else []


def _used(folder: Path) -> float:
    """When something directly in the folder was last written."""
    return max([folder.stat().st_mtime, *(path.lstat().st_mtime for path in folder.iterdir())])


def _size(folder: Path) -> int:
    return sum(
        (Path(parent) / name).lstat().st_size for parent, _, names in os.walk(folder) for name in names
    )


def _busy(folder: Path) -> bool:
    lock = folder / "judging.lock"
    if not lock.exists():
        return False
    with lock.open() as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False
