"""A few lines that are laid out anew whenever what they show or their width changes."""

from collections.abc import Callable, Sequence

from textual.geometry import Size
from textual.strip import Strip

from gateview.lines.spans import Spans
from gateview.widgets.painted import Painted

Layout = Callable[[int], Sequence[Spans]]


class Board(Painted):
    """Shows what its layout makes of a width; as high as that is."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._layout: Layout = lambda _: ()
        self._lines: Sequence[Spans] = ()
        self._width = 0

    def show(self, layout: Layout) -> None:
        """Show what `layout` returns for the widget's width, now and after each change of it."""
        self._layout = layout
        height, before = len(self._lines), self._lines
        if self._width:
            self._lines = layout(self._width)
        if self._lines != before or not self._width:
            self.refresh(layout=len(self._lines) != height or not self._width)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """Number of lines at `width`."""
        self._lay_out(width)
        return len(self._lines)

    def render_line(self, y: int) -> Strip:
        """Draw one line."""
        width = self.size.width
        self._lay_out(width)
        return self.paint(self._lines[y] if y < len(self._lines) else (), width)

    def _lay_out(self, width: int) -> None:
        if width != self._width:
            self._width = width
            self._lines = self._layout(width) if width else ()
