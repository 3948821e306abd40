"""The feed of decisions, the newest at the top."""

from collections.abc import Sequence
from typing import ClassVar

from gatecore.text import clean
from gateview.lines.feed import decision_lines
from gateview.lines.glyphs import Glyphs
from gateview.lines.spans import Spans, text_of
from gateview.messages import RunOpened
from gateview.store.rows import Decision
from gateview.store.view import View
from gateview.widgets.row_list import RowList

Place = tuple[str, int]


class Feed(RowList[Place]):
    """Newest decisions. While it has the focus nothing moves in it; else it shows the newest."""

    ROW_HEIGHT: ClassVar[int] = 2

    def __init__(self, glyphs: Glyphs, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._glyphs = glyphs
        self._decisions: dict[Place, Decision] = {}
        self._fresh: frozenset[Place] = frozenset()

    def advance(self, view: View, fresh: frozenset[Place]) -> None:
        """Show the decisions of `view`; those in `fresh` stand out."""
        self._decisions = {decision.identity: decision for decision in view.decisions}
        self._fresh = fresh
        self.set_keys(list(self._decisions))

    def row(self, key: Place) -> Sequence[Spans]:
        """One decision."""
        head, gist = decision_lines(self._decisions[key], self._glyphs, self.row_width)
        return [tuple(span.also("fresh") for span in head) if key in self._fresh else head, gist]

    @property
    def plain(self) -> str:
        """What the decision under the cursor says."""
        decision = self._decisions.get(self.cursor_key) if self.cursor_key else None
        if decision is None:
            return ""
        entry = decision.stop.entry
        said = clean(entry.stop.reason) if entry else ""
        return f"{text_of(decision_lines(decision, self._glyphs, 200)[0])}\n{said}".strip()

    def open(self, key: Place) -> None:
        """Open the decision's run at its stop."""
        self.post_message(RunOpened(*key))

    def on_focus(self) -> None:
        """Hold still what the user is about to choose from."""
        self._at_top = False

    def on_blur(self) -> None:
        """Back to the newest."""
        self._at_top = True
        self.set_keys(self._keys)
