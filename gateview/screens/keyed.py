"""What the screens have in common."""

from collections.abc import Sequence
from typing import ClassVar, Protocol, cast

from textual import events
from textual.screen import Screen

from gateview.keys import Key
from gateview.lines.spans import ROLES
from gateview.store.view import View

ROOMY = (100, 30)
"""Columns and lines from which on a screen has room for everything side by side."""


ROLE_CLASSES = frozenset(f"role--{role}" for role in ROLES)
"""Component classes of every screen: how the roles of spans look."""


class NamesKeys(Protocol):
    """An app that knows which keys are bound."""

    def key_name(self, name: str) -> str:
        """The first of the keys for the action of that id, as it is shown."""
        ...


class KeyedScreen(Screen[None]):
    """A screen whose keys help and palette can list: `GROUPS` are titles with keys, the screen's own first."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {*ROLE_CLASSES}
    GROUPS: ClassVar[Sequence[tuple[str, Sequence[Key]]]] = ()

    def key_name(self, name: str) -> str:
        """What the key is called that does an action, as the user has bound it."""
        return cast(NamesKeys, self.app).key_name(name)

    def take(self, view: View) -> None:
        """The watched folders brought news."""

    def on_resize(self, event: events.Resize) -> None:
        """Let the style sheet know where there is little room."""
        self.set_class(event.size.width < ROOMY[0], "-narrow")
