"""Read run directories once, whole."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from gatecore.ledger.reader import MatrixReader, RunReader, run_dirs
from gateview.store.state import News, State, fold


class NoRunsError(Exception):
    """There is nothing to read; the message names the folder and says why."""


def load(folders: Sequence[Path]) -> State:
    """Return the state of every run in `folders` (runs folders, or run directories).

    A run that is reached twice counts once. Keys are folder names; where runs come from several folders, as
    much of the folder's path as tells these apart goes before, and the state has no matrix, which is of one
    folder. Raises NoRunsError when a folder is missing, is none, cannot be read, or holds no run.
    """
    runs = find_runs(folders)
    batches = {key: batch for key, path in runs.items() if (batch := RunReader(path).poll())}
    parents = {path.parent for path in runs.values()}
    matrix, _ = MatrixReader(parents.pop()).poll() if len(parents) == 1 else ((), False)
    return fold(State(), News(batches=batches, matrix=matrix))


def find_runs(folders: Sequence[Path]) -> dict[str, Path]:
    """Return the run directories in `folders` by key; keys and errors as for `load`."""
    paths = [path for folder in folders for path in _runs_in(folder)]
    paths.sort(key=lambda path: (path.is_symlink(), path))  # of a run and a link to it, keep the run
    once = {(info.st_dev, info.st_ino): path for path in reversed(paths) for info in (path.stat(),)}
    labels = _labels({path.parent for path in once.values()})
    return {labels[path.parent] + path.name: path for path in sorted(once.values())}


def _runs_in(folder: Path) -> list[Path]:
    try:
        found = run_dirs(folder.resolve())
    except OSError as err:
        raise NoRunsError(f"{folder}: {err.strerror or err}") from None
    if not found:
        raise NoRunsError(f"{folder}: no run in it; a run directory holds meta.json or gate.jsonl")
    return found


def _labels(parents: Iterable[Path]) -> dict[Path, str]:
    """A prefix for each folder: nothing for one alone, else the shortest end of its path that is its own."""
    parents = list(parents)
    if len(parents) < 2:
        return dict.fromkeys(parents, "")
    depth = 1
    while len({parent.parts[-depth:] for parent in parents}) < len(parents):
        depth += 1
    return {parent: "/".join(parent.parts[-depth:]).lstrip("/") + "/" for parent in parents}
