"""The runs of each task under each config: what the tables per config, per task and per gate are made of."""

from collections.abc import Iterable
from typing import Any

from gatecore.analysis.columns import Series, Value, columns, series
from gatecore.analysis.digest import Digest
from gatecore.ledger.classes import STOP_CLASSES
from gatecore.ledger.order import config_order, natural
from gatecore.ledger.tallies import Tally, sum_counts

_PENDING = 64
"""Tallies that are kept before they are summed: many at once are summed faster, and few take little room."""
Cell = tuple[str, str]
"""Task and config."""


class Cells:
    """Sums over runs that count, by task and config."""

    def __init__(self) -> None:
        self._tallies: dict[Cell, list[tuple[int, ...]]] = {}
        self._rows: dict[Cell, list[tuple[Value, ...]]] = {}
        self._turned: dict[Cell, Series] = {}
        self._missed: dict[Cell, set[str]] = {}

    def add(self, digest: Digest) -> None:
        """Take in a run that counts."""
        cell = digest.task, digest.cfg
        tallies = self._tallies.setdefault(cell, [])
        tallies.append(digest.tally)
        if len(tallies) > _PENDING:
            tallies[:] = [sum_counts(tallies)]
        if digest.row:
            self._rows.setdefault(cell, []).append(digest.row)
            self._missed.setdefault(cell, set()).update(digest.unmet)

    @property
    def cfgs(self) -> list[str]:
        """The configs that are there, in the order in which they are shown."""
        return sorted({cfg for _, cfg in self._tallies}, key=config_order)

    @property
    def tasks(self) -> list[str]:
        """The tasks that are there, in the order in which they are shown."""
        return sorted({task for task, _ in self._tallies}, key=natural)

    def tally(self, *, task: str | None = None, cfg: str | None = None) -> Tally:
        """The tally of all runs, or of those of one task, one config or both."""
        return Tally(sum_counts(tally for cell in self._chosen(task, cfg) for tally in self._tallies[cell]))

    def summary(self, *, task: str | None = None, cfg: str | None = None) -> dict[str, Any]:
        """The original's columns over the scored ones of these runs, and what is not known of them."""
        chosen = [cell for cell in self._chosen(task, cfg) if cell in self._rows]
        figures, unknown = columns(
            [self._series(cell) for cell in chosen],
            {f"{cell[0]}:{req}" for cell in chosen for req in self._missed[cell]},
        )
        return {**figures, "unknown": unknown}

    def _series(self, cell: Cell) -> Series:
        """The rows of a cell by column: turned once, and asked for by config, by task and alone."""
        known = self._turned.get(cell)
        if known is None or len(known[0]) != len(self._rows[cell]):
            known = self._turned[cell] = series(self._rows[cell])
        return known

    def _chosen(self, task: str | None, cfg: str | None) -> Iterable[Cell]:
        return [cell for cell in self._tallies if task in (None, cell[0]) and cfg in (None, cell[1])]


def stops_by_class(tally: Tally) -> dict[str, int]:
    """Count of stops for each class, zeros included."""
    stops = tally.stops
    return {kind: stops.get(kind, 0) for kind in STOP_CLASSES}
