"""What widgets and workers tell the screens and the app, in the past tense."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.message import Message

from gateview.lines.spans import Spans
from gateview.store.view import View

if TYPE_CHECKING:
    from gateview.lines.diff import Diff
    from gateview.store.opened import Opened
    from gateview.store.triage import Block


@dataclass
class ViewAdvanced(Message):
    """The watched folders brought news. `pending`: runs that were found and not read yet."""

    view: View
    pending: int = 0

    def can_replace(self, message: Message) -> bool:
        """A whole view makes the one before it needless."""
        return isinstance(message, ViewAdvanced)


@dataclass
class WatchChanged(Message):
    """Folders are watched in another way: `how` is empty, or says why they are polled."""

    how: str


@dataclass
class RunOpened(Message):
    """A run was chosen, with the stop to show first (None: the newest)."""

    key: str
    place: int | None = None


@dataclass
class RunRead(Message):
    """An opened run was read, off the screen's thread; None when it is none any more."""

    opened: "Opened | None"


@dataclass
class DiffScrolled(Message):
    """Another part of a diff is visible."""


@dataclass
class CursorMoved(Message):
    """The user moved the cursor of a list."""


@dataclass
class LineTyped(Message):
    """The words of a line that is typed in changed."""

    words: str


@dataclass
class LineClosed(Message):
    """A line that was typed in was left; `kept` tells whether its `words` stay in force."""

    words: str
    kept: bool


@dataclass
class ChoiceClicked(Message):
    """One of several things on a line was clicked; `line` is the widget's id."""

    line: str | None
    place: int


@dataclass
class DocumentRead(Message):
    """A document was made of a file, off the screen's thread; `wanted` is what it answers.

    `again`: it was shown before, and the place in it is kept.
    """

    wanted: tuple[int, str, bool]
    lines: "list[Spans] | Diff"
    again: bool


@dataclass
class TextCopied(Message):
    """A text is to be copied."""

    text: str


@dataclass
class RunCopied(Message):
    """The place of a run is to be copied."""

    key: str


@dataclass
class ReportMade(Message):
    """The report was made, off the screen's thread."""

    text: str


@dataclass
class TriageOpened(Message):
    """Triage was asked for, at a stop of a run or where the queue begins."""

    key: str | None = None
    place: int | None = None


@dataclass
class BlocksFound(Message):
    """All blocks were looked through, off the screen's thread."""

    blocks: "tuple[Block, ...]"

    def can_replace(self, message: Message) -> bool:
        """All blocks make those found before needless."""
        return isinstance(message, BlocksFound)


@dataclass
class EvidenceRead(Message):
    """The evidence on a block was read; `wanted` is what it answers."""

    wanted: tuple[str, str]
    lines: list[Spans]


@dataclass
class PictureRead(Message):
    """A picture was read and unpacked, or not, and `why`; `place` is that among those of its screen."""

    place: int
    picture: object | None
    why: str
