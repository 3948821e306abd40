"""Read run directories once, whole."""

from collections.abc import Sequence
from pathlib import Path

from gatecore.ledger.folders import find_runs
from gatecore.ledger.reader import MatrixReader, RunReader
from gatecore.ledger.replays import EVENTS
from gateview.store.news import News, PlanNews
from gateview.store.view import View, advance


def load(folders: Sequence[Path]) -> View:
    """Return the view of every run in `folders`; keys and NoRunsError as for `find_runs`."""
    paths = find_runs(folders)
    batches = {key: batch for key, path in paths.items() if (batch := RunReader(path).poll())}
    parents = {path.parent: key.removesuffix(path.name) for key, path in paths.items()}
    events = {prefix: MatrixReader(folder).poll()[0] for folder, prefix in parents.items()}
    plans = {prefix: PlanNews(found) for prefix, found in events.items() if found}
    replays = tuple(event for folder in parents for event in MatrixReader(folder, EVENTS).poll()[0])
    return advance(View(), News(batches, plans=plans, replays=replays))
