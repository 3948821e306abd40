"""A run that is looked at alone: read again, whole."""

from pathlib import Path
from typing import NamedTuple

from gatecore.ledger.classes import ClassedStop, classed_stops
from gatecore.ledger.once import read_once
from gatecore.ledger.run import Run
from gateview.store.rows import Row, row_of


class Opened(NamedTuple):
    """One run with everything that its ledger holds: `stops` are those of the row, with their records."""

    row: Row
    run: Run
    stops: tuple[ClassedStop, ...]


def read_whole(key: str, folder: Path) -> Opened | None:
    """Read the run in `folder`; None when it is none any more."""
    read = read_once(str(folder))
    return Opened(row_of(key, read.run), read.run, classed_stops(read.run)) if read else None
