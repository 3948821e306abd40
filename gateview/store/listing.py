"""The runs in one order, those that a filter lets through apart: kept up with the changes, not made anew."""

from bisect import bisect_left, insort
from collections.abc import Iterable, Sequence
from typing import Any, overload

from gateview.store.keyed import Keyed
from gateview.store.order import SORTS, Sort, matches
from gateview.store.rows import Row

_Place = tuple[Any, str]  # sort key, run key


class Listing(Sequence[str]):
    """Keys of the runs that the filter lets through, sorted."""

    def __init__(self) -> None:
        self.sort: Sort = SORTS[0]
        self.words = ""
        self._rows: Keyed[Row] = Keyed()
        self._all: list[_Place] = []
        self._shown: list[_Place] = self._all  # the same list where there is no filter

    def __len__(self) -> int:
        return len(self._shown)

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> list[str]: ...
    def __getitem__(self, place: int | slice) -> str | list[str]:
        if isinstance(place, slice):
            return [key for _, key in self._shown[place]]
        return self._shown[place][1]

    def place_of(self, key: str) -> int | None:
        """Where a run is, None when it is not shown."""
        row = self._rows.get(key)
        return _find(self._shown, (self.sort.key(row), key)) if row else None

    def moves(self, rows: Keyed[Row], changed: Iterable[str]) -> bool:
        """Whether with `rows` any of the `changed` runs is at another place, or comes or goes."""
        return any(self._place(self._rows.get(key)) != self._place(rows.get(key)) for key in changed)

    def take(self, rows: Keyed[Row], changed: Sequence[str]) -> None:
        """List `rows`, of which `changed` are new, other or gone."""
        before, self._rows = self._rows, rows
        if len(changed) > 64 + len(self._all) // 16:
            anew = set(changed)
            self._all = [place for place in self._all if place[1] not in anew]
            self._all += [(self.sort.key(row), key) for key in changed if (row := rows.get(key))]
            self._all.sort()
            self._filter(self._all)
            return
        for key in changed:
            old, new = before.get(key), rows.get(key)
            if self._place(old) == self._place(new):
                continue
            for listed in (self._all,) if self._shown is self._all else (self._all, self._shown):
                if old and (place := _find(listed, (self.sort.key(old), key))) is not None:
                    del listed[place]
                if new and (listed is self._all or matches(new, self.words)):
                    insort(listed, (self.sort.key(new), key))

    def filter_by(self, words: str) -> None:
        """Let through only what matches `words`."""
        narrower = words.startswith(self.words)
        self.words = words
        self._filter(self._shown if narrower else self._all)

    def sort_by(self, sort: Sort) -> None:
        """Take another order."""
        self.sort = sort
        self._all = sorted((sort.key(row), key) for key, row in self._rows.items())
        self._filter(self._all)

    def _filter(self, places: list[_Place]) -> None:
        if self.words.split():
            self._shown = [place for place in places if matches(self._rows[place[1]], self.words)]
        else:
            self._shown = self._all

    def _place(self, row: Row | None) -> object:
        return row and (matches(row, self.words), self.sort.key(row))


def _find(places: list[_Place], place: _Place) -> int | None:
    at = bisect_left(places, place)
    return at if at < len(places) and places[at] == place else None
