"""Find the run directories in runs folders."""

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from gatecore.ledger.reader import is_run, run_dirs


class NoRunsError(Exception):
    """There is nothing to read; the message names the folder and says why."""


class Group(NamedTuple):
    """Paths of run directories in one folder, and whether links are among them."""

    paths: list[str]
    links: bool


def find_runs(folders: Sequence[Path]) -> dict[str, Path]:
    """Return the run directories in `folders` (runs folders, or run directories) by key.

    A run that is reached twice is there once. Keys are folder names; where runs come from several folders, as
    much of the folder's path as tells these apart goes before. Raises NoRunsError when a folder is missing, is
    none, cannot be read, or holds no run.
    """
    return {key: Path(path) for key, path in keyed(_runs_in(folder) for folder in folders).items()}


def candidates(folder: Path) -> Group:
    """What may be the run directories of `folder`: which of them are is known once they are read.

    Raises NoRunsError as `find_runs` does, but for a folder without a run.
    """
    try:
        if is_run(folder):
            return _runs_in(folder)
        real = os.path.realpath(folder)
        with os.scandir(real) as entries:
            found = [entry for entry in entries if entry.name[0] != "." and entry.is_dir()]
            return Group([f"{real}/{entry.name}" for entry in found], any(e.is_symlink() for e in found))
    except OSError as err:
        raise _cannot_read(folder, err) from None


def no_runs(folder: Path) -> NoRunsError:
    """The error for a folder that holds no run."""
    return NoRunsError(f"{folder}: no run in it; a run directory holds meta.json or gate.jsonl")


def _cannot_read(folder: Path, err: OSError) -> NoRunsError:
    if isinstance(err, FileNotFoundError):
        return NoRunsError(f"{folder}: no such folder")
    if isinstance(err, NotADirectoryError):
        return NoRunsError(f"{folder}: is a file; name a runs folder or a run directory")
    return NoRunsError(f"{folder}: {err.strerror or err}")


def keyed(found: Iterable[Group]) -> dict[str, str]:
    """Paths of run directories by key, each directory once, whatever links lead to it; as for `find_runs`."""
    groups = list(found)
    paths = [path for group in groups for path in group.paths]
    if len(groups) > 1 or any(group.links for group in groups):
        paths = _each_once(paths)
    labels_of = labels({path.rpartition("/")[0] for path in paths})
    split = (path.rpartition("/") for path in sorted(paths))
    return {labels_of[parent] + name: f"{parent}/{name}" for parent, _, name in split}


def _runs_in(folder: Path) -> Group:
    try:
        found = run_dirs(folder.resolve())
    except OSError as err:
        raise _cannot_read(folder, err) from None
    if not found:
        raise no_runs(folder)
    return Group([str(path) for path in found], any(path.is_symlink() for path in found))


def _each_once(paths: list[str]) -> list[str]:
    """Of a run and links to it, keep the run."""
    once: dict[tuple[int, int], str] = {}
    for path in sorted(map(Path, paths), key=lambda path: (path.is_symlink(), path)):
        info = path.stat()
        once.setdefault((info.st_dev, info.st_ino), str(path))
    return list(once.values())


def labels(parents: Iterable[str]) -> dict[str, str]:
    """What goes before the names of each folder's runs in their keys.

    Nothing for one alone, else the shortest end of its path that is its own.
    """
    parts = {parent: parent.split("/") for parent in parents}
    if len(parts) < 2:
        return dict.fromkeys(parts, "")
    depth = 1
    while len({tuple(names[-depth:]) for names in parts.values()}) < len(parts):
        depth += 1
    return {parent: "/".join(names[-depth:]).lstrip("/") + "/" for parent, names in parts.items()}
