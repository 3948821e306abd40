"""What the screens have in common."""

from collections.abc import Sequence
from typing import ClassVar

from textual import events
from textual.screen import Screen

from gateview.keys import Key

ROOMY = (100, 30)
"""Columns and lines from which on a screen has room for everything side by side."""


class KeyedScreen(Screen[None]):
    """A screen whose keys help and palette can list: `GROUPS` are titles with keys, the screen's own first."""

    GROUPS: ClassVar[Sequence[tuple[str, Sequence[Key]]]] = ()

    def on_resize(self, event: events.Resize) -> None:
        """Let the style sheet know where there is little room."""
        self.set_class(event.size.width < ROOMY[0], "-narrow")
