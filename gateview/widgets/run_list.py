"""The list of runs."""

from collections.abc import Sequence

from rich.cells import cell_len

from gateview.lines.glyphs import Glyphs
from gateview.lines.numbers import counted
from gateview.lines.runs import RunColumns
from gateview.lines.spans import Span, Spans, crop, say
from gateview.messages import RunOpened
from gateview.store.listing import Listing
from gateview.store.order import SORTS
from gateview.store.progress import under_way
from gateview.store.view import View
from gateview.widgets.row_list import RowList


class RunList(RowList[str]):
    """Every run that the filter lets through, in the chosen order."""

    def __init__(self, glyphs: Glyphs, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._glyphs = glyphs
        self._view = View()
        self._under_way: frozenset[str] = frozenset()
        self._fresh: frozenset[str] = frozenset()
        self._name_width = self._strip_width = 0
        self._keys: Listing = Listing()

    @property
    def words(self) -> str:
        """The filter."""
        return self._keys.words

    def advance(self, view: View, changed: Sequence[str], fresh: frozenset[str]) -> None:
        """Show `view`, in which the runs of `changed` are new, other or gone; those in `fresh` stand out."""
        running = frozenset(row.key for row in under_way(view))
        redraw = {*changed, *(running ^ self._under_way), *(fresh ^ self._fresh)}
        self._view, self._under_way, self._fresh = view, running, fresh
        for row in (view.rows[key] for key in changed if key in view.rows):
            self._name_width = max(self._name_width, cell_len(Span(row.key).text))
            self._strip_width = max(self._strip_width, len(row.stops) + 1)
        if self._keys.moves(view.rows, changed):
            with self.rearranged():
                self._keys.take(view.rows, changed)
            return
        self._keys.take(view.rows, changed)
        self.refresh_rows(redraw)

    def place_of(self, key: str) -> int | None:
        """The place of a run, None when it is not listed."""
        return self._keys.place_of(key)

    def filter_by(self, words: str) -> None:
        """Show only the runs that match."""
        with self.rearranged():
            self._keys.filter_by(words)

    def sort_by_next(self) -> None:
        """Take the next order."""
        with self.rearranged():
            self._keys.sort_by(SORTS[(SORTS.index(self._keys.sort) + 1) % len(SORTS)])

    def head(self, width: int) -> list[Spans]:
        """The heads of the columns, laid out as the rows are; a filter says what it leaves."""
        heads = self._columns(width).head(self._keys.sort)
        if not self.words:
            return [heads]
        left = f"{len(self._keys):,} of {counted(len(self._view.rows), 'run')}"
        return [crop(say(Span(f"/{self.words}", "warn"), f"  {left}"), width), heads]

    def row(self, key: str) -> Sequence[Spans]:
        """One run."""
        row = self._view.rows.get(key)
        if row is None:
            return ()
        line = self._columns(self.row_width).row(row, self._glyphs, running=key in self._under_way)
        return [tuple(span.also("fresh") for span in line) if key in self._fresh else line]

    def open(self, key: str) -> None:
        """Open the run."""
        self.post_message(RunOpened(key))

    def _columns(self, width: int) -> RunColumns:
        return RunColumns.within(width, self._name_width, self._strip_width)
