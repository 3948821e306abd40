"""A diff of any length: files that fold, hunks to walk along; only what is visible is drawn and coloured."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import ClassVar

from rich.cells import cell_len
from textual import events
from textual.binding import BindingType
from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.strip import Strip

from gateview import keys
from gateview.lines.diff import Diff, Place, line_of, places, plain_line
from gateview.lines.spans import crop, find_line, text_of
from gateview.messages import DiffScrolled
from gateview.widgets.painted import Painted


class DiffView(Painted, ScrollView, can_focus=True):
    """Shows a diff; lines that are too long end in an ellipsis, and are shifted by key."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *keys.bindings(keys.DIFF),
        *keys.bindings(keys.TEXT),
        *keys.bindings(keys.SHIFT),
    ]

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.diff = Diff()
        self._folded: frozenset[int] = frozenset()
        self._places: Sequence[Place] = ()
        self._shift = 0

    def show(self, diff: Diff, *, keep_place: bool = False) -> None:
        """Show a diff from its top, or from where the reader is."""
        if not keep_place or len(diff.files) != len(self.diff.files):
            self._folded = diff.folded_at_first
        self.diff = diff
        self._shift = 0
        self._lay_out()
        self.scroll_to(y=self.scroll_offset.y if keep_place else 0, animate=False)
        self.post_message(DiffScrolled())

    @property
    def top(self) -> Place:
        """What is on the first line that is visible."""
        at = self.scroll_offset.y
        return self._places[at] if at < len(self._places) else Place()

    def render_line(self, y: int) -> Strip:
        """Draw one line."""
        at, width = self.scroll_offset.y + y, self.scrollable_content_region.width
        if at >= len(self._places):
            return self.paint((), width)
        spans, under = line_of(self.diff, self._places[at])
        if not self._shift:
            return self.paint(crop(spans, width), width, under=under)
        whole = sum(cell_len(span.text) for span in spans)
        return self.paint(spans, max(whole, width + self._shift), under=under).crop(
            self._shift, self._shift + width
        )

    def watch_scroll_y(self, old: float, new: float) -> None:
        """Tell where the reader is."""
        super().watch_scroll_y(old, new)
        self.post_message(DiffScrolled())

    @property
    def plain(self) -> str:
        """The whole diff, folded files too."""
        return "\n".join(text_of(line_of(self.diff, place)[0]) for place in places(self.diff, frozenset()))

    def find(self, words: str, step: int) -> bool:
        """Go to the next line (`step` 1), the one before (-1) or the first from here (0) with `words` in it."""
        texts = [plain_line(self.diff, place) for place in self._places]
        line = find_line(texts, words, self.scroll_offset.y, step)
        if line is not None:
            self.scroll_to(y=line, animate=False)
        return line is not None

    def action_hunk(self, step: int) -> None:
        """To the hunk before or after the top line."""
        self._go([i for i, p in enumerate(self._places) if p.hunk >= 0 and p.line < 0], step)

    def action_file(self, step: int) -> None:
        """To the file before or after the top line."""
        self._go(self._heads(), step)

    def action_fold(self) -> None:
        """Fold or unfold the file at the top."""
        self._fold(max(self.top.file, 0))

    def action_fold_all(self) -> None:
        """Fold all files, or unfold all."""
        everything = frozenset(range(len(self.diff.files)))
        self._folded = frozenset() if self._folded == everything else everything
        self._lay_out()
        self.scroll_to(y=0, animate=False)

    def action_shift(self, cells: int) -> None:
        """Shift long lines to the side."""
        self._shift = max(0, self._shift + cells)
        self.refresh()

    def action_line(self, step: int) -> None:
        """Scroll by lines."""
        self.scroll_to(y=self.scroll_offset.y + step, animate=False)

    def action_page(self, pages: int) -> None:
        """Scroll by what fits on the screen."""
        self.action_line(pages * max(1, self.size.height - 1))

    def action_first(self) -> None:
        """To the top."""
        self.scroll_to(y=0, animate=False)

    def action_last(self) -> None:
        """To the end."""
        self.scroll_to(y=self.max_scroll_y, animate=False)

    def on_click(self, event: events.Click) -> None:
        """Fold or unfold the file whose head is clicked."""
        at = self.scroll_offset.y + event.y
        if at in self._heads():
            self._fold(self._places[at].file)

    def _heads(self) -> list[int]:
        return [
            i
            for i, p in enumerate(self._places)
            if p.file >= 0 and (i == 0 or self._places[i - 1].file != p.file)
        ]

    def _go(self, stations: list[int], step: int) -> None:
        now = self.scroll_offset.y
        at = bisect_right(stations, now) if step > 0 else bisect_left(stations, now) - 1
        if 0 <= at < len(stations):
            self.scroll_to(y=stations[at], animate=False)

    def _fold(self, file: int) -> None:
        self._folded ^= {file}
        self._lay_out()
        head = next((i for i in self._heads() if self._places[i].file == file), 0)
        if head < self.scroll_offset.y:
            self.scroll_to(y=head, animate=False)

    def _lay_out(self) -> None:
        self._places = places(self.diff, self._folded)
        self.virtual_size = Size(0, len(self._places))
        self.refresh()
