"""The pages of a stop as pictures, where the terminal can show them, or opened by the system."""

import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from typing import Any, ClassVar

from textual import on, work
from textual.app import App, ComposeResult, SuspendNotSupported
from textual.binding import BindingType
from textual.containers import Vertical
from textual.reactive import reactive
from textual.widget import Widget
from textual.widgets import Footer

from gateview import keys
from gateview.lines.spans import Span, Spans, between, crop, say
from gateview.lines.stop import note
from gateview.messages import ChoiceClicked, PictureRead, TextCopied
from gateview.screens.keyed import KeyedScreen
from gateview.store.pictures import PictureError, Shot, open_with_system, path_of, read_picture
from gateview.widgets.board import Board
from gateview.widgets.choices import Choices

_LARGEST = (2000, 2000)
"""A picture is made no larger than this before it is shown, in pixels."""


class PicturesScreen(KeyedScreen):
    """One picture at a time."""

    BINDINGS: ClassVar[list[BindingType]] = [*keys.bindings(keys.PICTURES)]
    GROUPS = (("pictures", keys.PICTURES),)
    place: reactive[int] = reactive(0, init=False)

    def __init__(self, title: str, folder: Path, shots: Sequence[Shot], shown: type[Widget] | None) -> None:
        """`shown` is the widget that shows a picture in this terminal, None where there is none."""
        super().__init__()
        self._title = title
        self._folder = folder
        self._shots = shots
        self._shown = shown

    def compose(self) -> ComposeResult:
        """From the top: what it is, which one, and the picture."""
        yield Board(id="pictures-head")
        yield Choices(id="shots")
        yield Board(id="picture-note")
        yield Vertical(id="picture")
        yield Footer(compact=True)

    def on_mount(self) -> None:
        """Show the first one."""
        self.query_one("#shots", Choices).cells = [say(f" {shot.page} {shot.when} ") for shot in self._shots]
        self._show()

    def watch_place(self) -> None:
        """Another one."""
        self._show()

    def action_back(self) -> None:
        """Back to the run."""
        self.app.pop_screen()

    def action_picture(self, step: int) -> None:
        """The next picture, or the one before, round and round."""
        self.place = (self.place + step) % len(self._shots)

    def action_open(self) -> None:
        """Have the system show the file; where it cannot, say where it lies."""
        try:
            path = path_of(self._folder, self._shot)
            read_picture(self._folder, self._shot)
        except PictureError as err:
            self.app.notify(Span(str(err)).text, severity="error", markup=False)
            return
        opened = open_with_system(path)
        words = f"opened {path}" if opened else f"nothing here opens pictures; it is in {path}"
        self.app.notify(Span(words).text, severity="information" if opened else "warning", markup=False)

    def action_copy(self) -> None:
        """Copy where the file lies."""
        try:
            self.post_message(TextCopied(str(path_of(self._folder, self._shot))))
        except PictureError as err:
            self.app.notify(Span(str(err)).text, severity="error", markup=False)

    @on(ChoiceClicked)
    def _clicked(self, message: ChoiceClicked) -> None:
        self.place = message.place

    @on(PictureRead)
    async def _picture_read(self, message: PictureRead) -> None:
        if message.place != self.place:
            return
        pane = self.query_one("#picture", Vertical)
        await pane.remove_children()
        if message.picture is not None and self._shown is not None:
            await pane.mount(self._shown(message.picture))  # type: ignore[arg-type]
        self._tell(message.why)

    @property
    def _shot(self) -> Shot:
        return self._shots[self.place]

    def _show(self) -> None:
        shot = self._shot
        self.query_one("#shots", Choices).chosen = self.place
        state = Span("changed" if shot.changed else "as it was", "strong" if shot.changed else "dim")
        head = say(Span(self._title, "strong"), f"   {shot.page}, {shot.when} the change   ", state)
        counted = say(Span(f"{self.place + 1} of {len(self._shots)} ", "dim"))
        self.query_one("#pictures-head", Board).show(lambda width: [between(head, counted, width)])
        self._read(self.place, shot)

    def _tell(self, why: str) -> None:
        lines: list[Spans] = [note(why)] if why else []
        with suppress(PictureError):
            lines.append(say(Span("file: ", "dim"), str(path_of(self._folder, self._shot))))
        self.query_one("#picture-note", Board).show(lambda width: [crop(line, width) for line in lines])

    @work(thread=True, exclusive=True, group="picture")
    def _read(self, place: int, shot: Shot) -> None:
        """Read and unpack a picture without holding the screen up."""
        try:
            data = read_picture(self._folder, shot)
            if self._shown is None:
                why = "This terminal shows no pictures (or textual-image is missing); o opens it."
                self.post_message(PictureRead(place, None, why))
                return
            self.post_message(PictureRead(place, _unpacked(data), ""))
        except PictureError as err:
            self.post_message(PictureRead(place, None, str(err)))


def widget_for(app: App[Any]) -> type[Widget] | None:
    """The widget that shows pictures in the terminal that `app` runs in; None where there is none.

    What the terminal can do is asked of it when the library is loaded; `app` lets go of it for that moment.
    """
    if find_spec("textual_image") is None:
        return None
    try:
        if "textual_image.widget" not in sys.modules:
            with app.suspend():
                import_module("textual_image.widget")
        from textual_image import renderable, widget
    except SuspendNotSupported:
        return None
    except Exception as err:  # whatever a terminal answers: without pictures all else works as well
        app.log(f"pictures: {err!r}")
        return None
    can = renderable.Image in (renderable.SixelImage, renderable.TGPImage)
    return widget.Image if can else None


def _unpacked(data: bytes) -> Any:
    """The picture, no larger than it can be shown. Raises PictureError."""
    from PIL import Image

    try:
        with Image.open(BytesIO(data), formats=("PNG",)) as picture:
            picture.thumbnail(_LARGEST)
            return picture.convert("RGBA")
    except Exception as err:  # a decoder fed with what anybody may have written
        raise PictureError(f"it cannot be unpacked: {err}") from None
