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

    def paint(self, spans: Spans, width: int, *, cursor: bool = False, under: str = "") -> Strip:
        """Draw a line in `width` cells, the role `under` beneath it; nothing in it is read as markup."""
        base = self.rich_style + self._style(under)
        if cursor:
            base += self.get_component_rich_style("role--cursor", partial=True)
        segments = [Segment(span.text, base + self._style(span.role)) for span in spans]
        return Strip(segments).crop_extend(0, width, base)

    def _style(self, role: str) -> Style:
        if not role:
            return Style.null()
        if role == "cursor":
            return self.get_component_rich_style("role--cursor", partial=True)
        names = (f"role--{word}" for word in role.split() if word != "cursor")
        style = self.screen.get_component_rich_style(*names, partial=True)
        return style + self._style("cursor") if "cursor" in role.split() else style
