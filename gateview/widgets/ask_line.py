"""A line in which something is typed: a filter, a note."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.widgets import Input, Label

from gatecore.text import line
from gateview import keys
from gateview.messages import LineClosed, LineTyped


class _Words(Input):
    def validate_value(self, value: str) -> str:
        """Pasted text may hold anything."""
        return line(value)


class AskLine(Horizontal):
    """Hidden until it is opened; enter keeps the words, escape takes them back."""

    BINDINGS: ClassVar[list[BindingType]] = [*keys.bindings(keys.ASK)]

    def __init__(self, sign: str, placeholder: str) -> None:
        super().__init__()
        self._sign = sign
        self._placeholder = placeholder

    def compose(self) -> ComposeResult:
        """A sign and what is typed."""
        yield Label(f" {self._sign}", markup=False)
        yield _Words(compact=True, placeholder=self._placeholder)

    def on_mount(self) -> None:
        """Wait to be opened."""
        self.display = False

    @property
    def is_open(self) -> bool:
        """Whether it is being typed in."""
        return bool(self.display)

    def open(self, words: str) -> None:
        """Show the line, with the words that are in force."""
        self.display = True
        field = self.query_one(_Words)
        field.value = words
        field.focus()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Tell while it is typed."""
        event.stop()
        if self.display:
            self.post_message(LineTyped(event.value))

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Keep the words."""
        event.stop()
        self._close(kept=True)

    def action_give_up(self) -> None:
        """Take the words back."""
        self._close(kept=False)

    def _close(self, *, kept: bool) -> None:
        self.display = False
        self.post_message(LineClosed(self.query_one(_Words).value, kept))
