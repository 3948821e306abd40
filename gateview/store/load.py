"""Read run directories once, whole."""

from collections.abc import Sequence
from pathlib import Path

from gatecore.ledger.folders import find_runs
from gatecore.ledger.reader import MatrixReader, RunReader
from gatecore.ledger.replays import EVENTS
from gateview.store.state import News, State, fold


def load(folders: Sequence[Path]) -> State:
    """Return the state of every run in `folders`; keys and NoRunsError as for `find_runs`.

    The state has a matrix only where all runs come from one folder, which is whose plan it is.
    """
    runs = find_runs(folders)
    batches = {key: batch for key, path in runs.items() if (batch := RunReader(path).poll())}
    parents = {path.parent for path in runs.values()}
    if len(parents) > 1:
        return fold(State(), News(batches=batches))
    folder = parents.pop()
    (matrix, _), (replays, _) = MatrixReader(folder).poll(), MatrixReader(folder, EVENTS).poll()
    return fold(State(), News(batches=batches, matrix=matrix, replays=replays))
