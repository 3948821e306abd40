"""The report screen: the tables of `gateview report`, made again as runs change."""

import time
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.widgets import Footer

from gateview import keys
from gateview.lines.spans import Span, crop, say
from gateview.lines.stop import text_lines
from gateview.messages import ReportMade
from gateview.report.shown import report_text
from gateview.screens.finding import FindingScreen
from gateview.store.times import clock
from gateview.store.view import View
from gateview.widgets.ask_line import AskLine
from gateview.widgets.board import Board
from gateview.widgets.document import Document

_AGAIN_AFTER = 5.0  # seconds between two reports at least


class ReportScreen(FindingScreen):
    """One text that is as wide as its tables."""

    BINDINGS: ClassVar[list[BindingType]] = [*keys.bindings(keys.REPORT), *keys.bindings(keys.FIND)]
    GROUPS = (("the report", (*keys.REPORT, *keys.FIND)), ("the text", (*keys.TEXT, *keys.SHIFT)))

    def __init__(self, folders: Sequence[Path]) -> None:
        super().__init__()
        self._folders = folders
        self._changed = True
        self._making = False
        self._made_at = 0.0

    def compose(self) -> ComposeResult:
        """A head and the tables."""
        yield Board(id="report-head")
        yield Document(wraps=False, id="text")
        yield AskLine("/", "words to find")
        yield Footer(compact=True)

    def on_mount(self) -> None:
        """Make it."""
        self.query_one("#report-head", Board).show(
            lambda _: [say(Span("report", "strong"), "   is being made …")]
        )
        self.query_one(Document).focus()
        self._look()
        self.set_interval(1.0, self._look)

    def take(self, view: View) -> None:
        """Runs have changed."""
        self._changed = True

    def action_back(self) -> None:
        """Leave."""
        self.app.pop_screen()

    def on_report_made(self, message: ReportMade) -> None:
        """Show it where the reader is."""
        self._making = False
        made = say(Span("report", "strong"), Span(f"   made {clock(time.time())}", "dim"))
        self.query_one("#report-head", Board).show(lambda width: [crop(made, width)])
        self.query_one(Document).show(text_lines(message.text), keep_place=True)

    def _look(self) -> None:
        if self._changed and not self._making and time.monotonic() - self._made_at > _AGAIN_AFTER:
            self._changed, self._making, self._made_at = False, True, time.monotonic()
            self._make()

    @work(thread=True, exclusive=True, group="report")
    def _make(self) -> None:
        self.post_message(ReportMade(report_text(self._folders)))
