"""Help: every key of the screen below, and what the signs mean."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Footer

from gateview import keys
from gateview.lines.spans import Spans
from gateview.screens.keyed import ROLE_CLASSES
from gateview.widgets.document import Document


class HelpScreen(ModalScreen[None]):
    """Closed by the key that opened it, by escape or q."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {*ROLE_CLASSES}
    BINDINGS: ClassVar[list[BindingType]] = [*keys.bindings(keys.HELP)]

    def __init__(self, lines: list[Spans]) -> None:
        super().__init__()
        self._lines = lines

    def compose(self) -> ComposeResult:
        """One text."""
        with Vertical(id="help"):
            yield Document(id="help-text")
        yield Footer(compact=True)

    def on_mount(self) -> None:
        """Show it."""
        document = self.query_one(Document)
        document.show(self._lines)
        document.focus()
