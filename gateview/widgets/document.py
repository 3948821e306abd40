"""A text of any length, wrapped to the width; only what is visible is drawn."""

from collections.abc import Sequence
from typing import ClassVar

from textual import events
from textual.binding import BindingType
from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.strip import Strip

from gateview import keys
from gateview.lines.spans import Spans, find_line, text_of, width_of, wrap
from gateview.widgets.painted import Painted


class Document(Painted, ScrollView, can_focus=True):
    """Shows lines one below the other; where it does not wrap them, they can be shifted."""

    BINDINGS: ClassVar[list[BindingType]] = [*keys.bindings(keys.TEXT), *keys.bindings(keys.SHIFT)]

    def __init__(self, *, wraps: bool = True, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._wraps = wraps
        self._shift = 0
        self._lines: Sequence[Spans] = ()
        self._wrapped: list[Spans] = []
        self._width = 0

    def show(self, lines: Sequence[Spans], *, keep_place: bool = False) -> None:
        """Show `lines` from the top, or from where the reader is."""
        self._lines, self._width = lines, 0
        self._wrap()
        if not keep_place:
            self.scroll_to(y=0, animate=False)
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """Draw one line."""
        place = self.scroll_offset.y + y
        width = self.scrollable_content_region.width
        spans = self._wrapped[place] if place < len(self._wrapped) else ()
        if self._wraps:
            return self.paint(spans, width)
        whole = max(width_of(spans), width + self._shift)
        return self.paint(spans, whole).crop(self._shift, self._shift + width)

    @property
    def plain(self) -> str:
        """The whole text."""
        return "\n".join(text_of(line) for line in self._lines)

    def find(self, words: str, step: int) -> bool:
        """Go to the next line (`step` 1), the one before (-1) or the first from here (0) with `words` in it."""
        place = find_line([text_of(line) for line in self._wrapped], words, self.scroll_offset.y, step)
        if place is not None:
            self.scroll_to(y=place, animate=False)
        return place is not None

    def on_resize(self, event: events.Resize) -> None:
        """Wrap to the new width."""
        self._wrap()

    def action_line(self, step: int) -> None:
        """Scroll by lines."""
        self._scroll_by(step)

    def action_shift(self, cells: int) -> None:
        """Shift lines that are not wrapped to the side."""
        self._shift = max(0, self._shift + cells)
        self.refresh()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Wrapped lines are not shifted."""
        return not self._wraps if action == "shift" else True

    def action_page(self, pages: int) -> None:
        """Scroll by what fits on the screen."""
        self._scroll_by(pages * max(1, self.size.height - 1))

    def action_first(self) -> None:
        """To the top."""
        self.scroll_to(y=0, animate=False)

    def action_last(self) -> None:
        """To the end."""
        self.scroll_to(y=self.max_scroll_y, animate=False)

    def _scroll_by(self, lines: int) -> None:
        self.scroll_to(y=self.scroll_offset.y + lines, animate=False)

    def _wrap(self) -> None:
        width = self.scrollable_content_region.width
        if width in (0, self._width):
            return
        self._width = width
        if self._wraps:
            self._wrapped = [piece for line in self._lines for piece in wrap(line, width, indent=2)]
        else:
            self._wrapped = list(self._lines)
        self.virtual_size = Size(0, len(self._wrapped))
