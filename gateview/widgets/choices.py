"""A line of things to choose from, one of them chosen: the stops of a run, the tabs of a stop, the panes."""

from collections.abc import Sequence

from textual import events
from textual.reactive import reactive
from textual.strip import Strip

from gateview.lines.spans import Span, Spans, width_of
from gateview.messages import ChoiceClicked
from gateview.widgets.painted import Painted


class Choices(Painted):
    """Cells side by side on one line, as many as fit around the chosen one."""

    cells: reactive[Sequence[Spans]] = reactive[Sequence[Spans]](())
    chosen: reactive[int] = reactive(0)

    def render_line(self, y: int) -> Strip:
        """Draw the line."""
        if y:
            return Strip.blank(self.size.width, self.rich_style)
        first, last = self._window()
        line: list[Span] = [Span("…" if first else " ", "dim")]
        for place in range(first, last):
            role = "cursor" if place == self.chosen else ""
            line += [span.also(role) if role else span for span in self.cells[place]]
        if last < len(self.cells):
            line.append(Span("…", "dim"))
        return self.paint(tuple(line), self.size.width)

    def on_click(self, event: events.Click) -> None:
        """Tell which cell was clicked."""
        first, last = self._window()
        x = 1
        for place in range(first, last):
            x += width_of(self.cells[place])
            if event.x < x:
                self.post_message(ChoiceClicked(self.id, place))
                return

    def _window(self) -> tuple[int, int]:
        """The cells that are shown: from the first, or so many that the chosen one is the last."""
        widths = [width_of(cell) for cell in self.cells]
        room = self.size.width - 2
        first, used = 0, sum(widths[: self.chosen + 1])
        while used > room and first < self.chosen:
            used -= widths[first]
            first += 1
        last = self.chosen + 1
        while last < len(widths) and used + widths[last] <= room:
            used += widths[last]
            last += 1
        return first, min(last, len(widths))
