"""Finding words in the text that a screen shows, and copying it."""

from typing import Protocol, cast

from textual import on
from textual.widget import Widget

from gateview.messages import LineClosed, LineTyped, TextCopied
from gateview.screens.keyed import KeyedScreen
from gateview.widgets.ask_line import AskLine


class Findable(Protocol):
    """A widget whose text can be searched and copied."""

    def find(self, words: str, step: int) -> bool:
        """Go to the next line (`step` 1), the one before (-1) or the first from here (0) with `words` in it."""
        ...

    @property
    def plain(self) -> str:
        """The text, cleaned."""
        ...


class FindingScreen(KeyedScreen):
    """A screen with a text in which ``/`` finds; the text is what has the focus, or is named `text`."""

    _words = ""
    _finding = False

    @property
    def readable(self) -> Findable:
        """What is read now."""
        return cast(Findable, self.query_one("#text"))

    def action_find(self) -> None:
        """Type what to find."""
        self._finding = True
        self.query_one(AskLine).open(self._words)

    def action_match(self, step: int) -> None:
        """To the next match, or the one before."""
        if not self._words:
            self.action_find()
        elif not self.readable.find(self._words, step):
            self.app.notify("found nowhere else", markup=False)

    def action_copy(self) -> None:
        """Copy the text."""
        self.post_message(TextCopied(self.readable.plain))

    @on(LineTyped)
    def _find_typed(self, message: LineTyped) -> None:
        if not self._finding:
            return
        self._words = message.words
        if message.words:
            self.readable.find(message.words, 0)

    @on(LineClosed)
    def _find_closed(self, message: LineClosed) -> None:
        if self._finding:
            self._finding = False
            self._words = message.words if message.kept else ""
        cast(Widget, self.readable).focus()
