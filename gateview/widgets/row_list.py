"""A list of any length of which only the visible rows are drawn. The cursor is on a key, not on a number."""

from collections.abc import Container, Hashable, Iterator, Sequence
from contextlib import contextmanager
from typing import ClassVar, Generic, TypeVar

from textual import events
from textual.binding import BindingType
from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.strip import Strip

from gateview import keys
from gateview.lines.spans import Spans
from gateview.messages import CursorMoved
from gateview.widgets.painted import Painted

K = TypeVar("K", bound=Hashable)


class RowList(Generic[K], Painted, ScrollView, can_focus=True):
    """Rows by key, each `ROW_HEIGHT` lines high.

    The row under the cursor stays on its line of the screen whatever comes, goes or is sorted. Before the
    cursor was moved, and after a jump to the top, the list stays at its top instead.
    """

    BINDINGS: ClassVar[list[BindingType]] = [*keys.bindings(keys.LIST)]
    ROW_HEIGHT: ClassVar[int] = 1

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._keys: Sequence[K] = ()
        self._places: dict[K, int] | None = None  # made when it is asked for
        self._cursor = 0
        self._at_top = True

    @property
    def cursor_key(self) -> K | None:
        """The key under the cursor, None in an empty list."""
        return self._keys[self._cursor] if self._keys else None

    @property
    def listed(self) -> Sequence[K]:
        """The keys of all rows, in order."""
        return self._keys

    @property
    def row_width(self) -> int:
        """Cells for a row."""
        return self.scrollable_content_region.width

    def row(self, key: K) -> Sequence[Spans]:
        """The lines of one row, at most `ROW_HEIGHT`."""
        raise NotImplementedError

    def open(self, key: K) -> None:
        """Open what a row stands for."""
        raise NotImplementedError

    def place_of(self, key: K) -> int | None:
        """The place of a row, None when it is not in the list."""
        if self._places is None:
            self._places = {key: place for place, key in enumerate(self._keys)}
        return self._places.get(key)

    def set_keys(self, keys: Sequence[K]) -> None:
        """Show the rows of `keys` in this order."""
        with self.rearranged():
            self._keys, self._places = keys, None

    @contextmanager
    def rearranged(self) -> Iterator[None]:
        """While the keys change: keep the row under the cursor where it is on the screen."""
        under, was_empty = self.cursor_key, not self._keys
        line = self._cursor * self.ROW_HEIGHT - self.scroll_offset.y
        yield
        if was_empty != (not self._keys):
            self.call_later(self.refresh_bindings)  # only then: the footer is made anew
        self.virtual_size = Size(0, len(self._keys) * self.ROW_HEIGHT)
        if self._at_top or under is None:
            self._cursor = 0
            self.scroll_to(y=0, animate=False)
        else:
            place = self.place_of(under)
            self._cursor = min(self._cursor, max(0, len(self._keys) - 1)) if place is None else place
            self.scroll_to(y=self._cursor * self.ROW_HEIGHT - line, animate=False)
        self.refresh()

    def refresh_rows(self, keys: Container[K]) -> None:
        """Draw anew those rows of `keys` that can be seen."""
        first, height = self.scroll_offset.y // self.ROW_HEIGHT, self.ROW_HEIGHT
        for place in range(first, min(first + self.size.height // height + 2, len(self._keys))):
            if self._keys[place] in keys:
                self.refresh_lines(place * height, height)

    def select(self, key: K) -> None:
        """Put the cursor on `key`, if it is there, and show it."""
        if (place := self.place_of(key)) is not None:
            self._go_to(place)

    def render_line(self, y: int) -> Strip:
        """Draw one line of a row."""
        width = self.row_width
        place, part = divmod(self.scroll_offset.y + y, self.ROW_HEIGHT)
        if place >= len(self._keys):
            return Strip.blank(width, self.rich_style)
        lines = self.row(self._keys[place])
        return self.paint(lines[part] if part < len(lines) else (), width, cursor=place == self._cursor)

    def action_cursor(self, step: int) -> None:
        """Move the cursor by some rows."""
        self._moved_to(self._cursor + step)

    def action_page(self, pages: int) -> None:
        """Move the cursor by what fits on the screen."""
        self._moved_to(self._cursor + pages * max(1, self.size.height // self.ROW_HEIGHT - 1))

    def step_round(self, step: int) -> None:
        """Move the cursor, from the last row to the first and back."""
        if self._keys:
            self._moved_to((self._cursor + step) % len(self._keys))

    def action_first(self) -> None:
        """To the top, and stay there."""
        self._moved_to(0)
        self._at_top = True

    def action_last(self) -> None:
        """To the end."""
        self._moved_to(len(self._keys) - 1)

    def action_open(self) -> None:
        """Open the row under the cursor."""
        if (key := self.cursor_key) is not None:
            self.open(key)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Nothing can be opened in an empty list."""
        return bool(self._keys) if action == "open" else True

    def on_click(self, event: events.Click) -> None:
        """Put the cursor there; open what is clicked twice."""
        place = (self.scroll_offset.y + event.y) // self.ROW_HEIGHT
        if place < len(self._keys):
            self._moved_to(place)
            if event.chain == 2:
                self.action_open()

    def _moved_to(self, place: int) -> None:
        self._go_to(place)
        self.post_message(CursorMoved())

    def _go_to(self, place: int) -> None:
        self._at_top = False
        before, self._cursor = self._cursor, max(0, min(place, len(self._keys) - 1))
        top, height = self._cursor * self.ROW_HEIGHT, self.ROW_HEIGHT
        view_top, view_height = self.scroll_offset.y, self.scrollable_content_region.height
        if top < view_top:
            self.scroll_to(y=top, animate=False)
        elif top + height > view_top + view_height:
            self.scroll_to(y=top + height - view_height, animate=False)
        for moved in (before, self._cursor):
            self.refresh_lines(moved * height, height)
