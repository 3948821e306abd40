"""How roles of spans look: the one place where spans become strips of a terminal."""

from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip
from textual.widget import Widget

from gateview.lines.spans import Spans


class Painted(Widget):
    """A widget whose lines are spans. Their colours are the component classes ``role--…`` of its screen.

    Each component class of a widget is styled anew with it; only the cursor looks different from one widget
    to the next, by what has the focus.
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = {"role--cursor"}
    ALLOW_SELECT = False

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._styles_of: dict[tuple[str, str, bool], Style] = {}

    def paint(self, spans: Spans, width: int, *, cursor: bool = False, under: str = "") -> Strip:
        """Draw a line in `width` cells, the role `under` beneath it; nothing in it is read as markup."""
        segments = [Segment(span.text, self._look(span.role, under, cursor)) for span in spans]
        return Strip(segments).crop_extend(0, width, self._look("", under, cursor))

    def notify_style_update(self) -> None:
        """Colours may have changed."""
        self._styles_of.clear()
        super().notify_style_update()

    def _look(self, role: str, under: str, cursor: bool) -> Style:
        """How a role looks, made once for all lines."""
        wanted = role, under, cursor
        style = self._styles_of.get(wanted)
        if style is None:
            base = self.rich_style + self._style(under)
            if cursor:
                base += self._style("cursor")
            style = self._styles_of[wanted] = base + self._style(role)
        return style

    def _style(self, role: str) -> Style:
        if not role:
            return Style.null()
        if role == "cursor":
            return self.get_component_rich_style("role--cursor", partial=True)
        names = (f"role--{word}" for word in role.split() if word != "cursor")
        style = self.screen.get_component_rich_style(*names, partial=True)
        return style + self._style("cursor") if "cursor" in role.split() else style
