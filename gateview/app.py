"""The dashboard: watches folders in a thread of its own and shows what is known on its screens.

What the live screen does not need is imported where it is used: it is to be there at once.
"""

import asyncio
import gc
import signal
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any, ClassVar

from textual import on, work
from textual.app import App, SystemCommand
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.screen import Screen
from textual.worker import get_current_worker

from gatecore.text import clean
from gateview import keys
from gateview.lines.glyphs import UNICODE, Glyphs
from gateview.messages import RunCopied, RunOpened, TextCopied, TriageOpened, ViewAdvanced, WatchChanged
from gateview.screens.keyed import KeyedScreen
from gateview.screens.live import LiveScreen
from gateview.settings import DEFAULTS, Settings, keep_copied
from gateview.store.news import News
from gateview.store.tail import Tailer
from gateview.store.view import View, advance
from gateview.theme import DARK, LIGHT

if TYPE_CHECKING:
    from gateview.store.triage_log import TriageLog

_REST_AT_MOST = 0.1  # seconds between two views that are drawn
_TICK = 0.1  # seconds between two looks whether the end has come
_PAINTED = 0.05  # seconds after the first refresh in which the footer is drawn too
_CLIPBOARD_LIMIT = 74_000  # bytes; many terminals drop what is longer


class GateviewApp(App[None]):
    """`gateview watch` on a terminal. `watched`: what the header calls the folders; `opens`: what to show first."""

    TITLE = "gateview"
    NOTIFICATION_TIMEOUT: ClassVar[float] = 3.0
    CSS_PATH = "app.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [*keys.bindings(keys.APP)]

    def __init__(
        self,
        folders: Sequence[Path],
        watched: str,
        glyphs: Glyphs = UNICODE,
        opens: Message | None = None,
        settings: Settings = DEFAULTS,
    ) -> None:
        super().__init__()
        for theme in (DARK, LIGHT):
            self.register_theme(theme)
        self.theme = LIGHT.name if settings.theme == "light" else DARK.name
        self._keymap_of = dict(settings.keys)
        self.set_keymap(self._keymap_of)
        self._tailer = Tailer(folders)
        self._folders = folders
        self._notices = settings.notify
        self._verdicts: TriageLog | None = None
        self._drawn = Event()
        self._glyphs = glyphs
        self._opens = opens
        self._live = LiveScreen(watched, glyphs, has_clock=settings.clock)
        self.view = View()

    def get_default_screen(self) -> Screen[Any]:
        """The live screen lies under all others."""
        return self._live

    def on_mount(self) -> None:
        """Paint first, then read. Who is asked to end leaves the terminal as it was."""
        for number in (signal.SIGTERM, signal.SIGHUP):
            asyncio.get_running_loop().add_signal_handler(number, self.exit)
        self.call_after_refresh(self.set_timer, _PAINTED, self._watch)
        if self._opens:
            self.post_message(self._opens)

    def get_system_commands(self, screen: Screen[Any]) -> Iterable[SystemCommand]:
        """Every action that can be done on the screen now, for the palette."""
        own = screen.GROUPS[0][1] if isinstance(screen, KeyedScreen) else ()
        for node, group in ((screen, own), (self, keys.APP)):
            for key in group:
                if node.check_action(key.action.partition("(")[0], ()):
                    act = partial(self.run_action, key.action, node)
                    yield SystemCommand(key.words, f"key: {self._shown(key)}", act)
        yield SystemCommand("Choose the colours", "among all themes", self.action_change_theme)

    def action_help(self) -> None:
        """Show the keys of the screen and the signs."""
        from gateview.lines.help import help_lines
        from gateview.screens.help import HelpScreen

        screen = self.screen
        groups = [*(screen.GROUPS if isinstance(screen, KeyedScreen) else ()), ("everywhere", keys.APP)]
        rows = [(title, [(self._shown(key), key.words) for key in group]) for title, group in groups]
        self.push_screen(HelpScreen(help_lines(rows, self._glyphs)))

    @on(ViewAdvanced)
    def _view_advanced(self, message: ViewAdvanced) -> None:
        before, view = self.view, message.view
        self.view = view
        if self._notices != "off" and before.rows and not message.pending:
            from gateview.notices import notices

            for notice in notices(before, view):
                self._tell(notice)
        self._live.advance(view, message.pending)
        self.call_after_refresh(self._drawn.set)
        for screen in self.screen_stack:
            if isinstance(screen, KeyedScreen):
                screen.take(view)

    @on(WatchChanged)
    def _watch_changed(self, message: WatchChanged) -> None:
        self._live.watched_how = message.how

    @on(RunOpened)
    def _run_opened(self, message: RunOpened) -> None:
        from gateview.screens.run import RunScreen

        row, folder = self.view.rows.get(message.key), self._tailer.path(message.key)
        if row and folder:
            self.push_screen(RunScreen(row, folder, self._glyphs, message.place))

    def action_next_theme(self) -> None:
        """Dark or light."""
        self.theme = LIGHT.name if self.theme == DARK.name else DARK.name

    def action_report(self) -> None:
        """The tables of the report."""
        from gateview.screens.report import ReportScreen

        if not isinstance(self.screen, ReportScreen):
            self.push_screen(ReportScreen(self._folders))

    @on(RunCopied)
    def _run_copied(self, message: RunCopied) -> None:
        if path := self._tailer.path(message.key):
            self._text_copied(TextCopied(str(path)))

    @on(TextCopied)
    def _text_copied(self, message: TextCopied) -> None:
        """To the terminal's clipboard, of which nobody hears whether it took it, and to a file."""
        text = clean(message.text)
        try:
            where = f"in {_short(keep_copied(text))}"
        except OSError as err:
            where = f"no file could be written: {err.strerror or err}"
        if len(text.encode()) <= _CLIPBOARD_LIMIT:
            self.copy_to_clipboard(text)
            words = f"copied {len(text):,} characters; also {where}"
        else:
            words = f"{len(text):,} characters are too many for a terminal's clipboard; {where}"
        self.notify(words, markup=False)

    @on(TriageOpened)
    def _triage_opened(self, message: TriageOpened) -> None:
        from gateview.screens.triage import TriageScreen
        from gateview.store.triage_log import TriageLog

        self._verdicts = self._verdicts or TriageLog()
        at = (message.key, message.place) if message.key and message.place is not None else None
        self.push_screen(TriageScreen(self.view, self._tailer, self._verdicts, self._glyphs, at))

    @work(thread=True, exclusive=True, group="tail")
    def _watch(self) -> None:
        """Look, fold and tell, until the end."""
        from gateview.store.watch import looks

        ended = get_current_worker().cancelled_event
        view, pending = View(), 0
        how = ""

        def say(word: str) -> None:
            nonlocal how
            if word != how:
                how = word
                self.post_message(WatchChanged(word))

        for touched in looks(self._tailer, ended, say):
            news = self._tailer.poll(touched)
            while (news or pending != self._tailer.pending) and not ended.is_set():
                with _without_collector(self._tailer.pending):
                    view, pending = advance(view, news), self._tailer.pending
                    self._show_and_rest(ViewAdvanced(view, pending), ended)
                    news = self._tailer.poll(()) if pending else News()

    def _show_and_rest(self, message: ViewAdvanced, ended: Event) -> None:
        """Let the screen show a view, and then do nothing for half as long as that took.

        What comes meanwhile is told of all at once; so a burst is drawn now and then, and a single line at once.
        """
        began = time.monotonic()
        self._drawn.clear()
        self.post_message(message)
        while not (self._drawn.wait(_TICK) or ended.is_set()):
            pass
        if not message.pending:
            ended.wait(min((time.monotonic() - began) / 2, _REST_AT_MOST))

    def _tell(self, notice: str) -> None:
        from gateview.notices import on_desktop

        if self._notices == "desktop" and on_desktop(notice):
            return
        self.bell()

    def key_name(self, name: str) -> str:
        """The first of the keys for the action of that id, as it is shown."""
        return self._names_of(keys.stands_for(name)[0])[0]

    def get_key_display(self, binding: Binding) -> str:
        """What a key is called; where an entry stands for two actions and one is bound anew, both keys."""
        both = keys.stands_for(binding.id)
        if binding.key_display and any(key.id in self._keymap_of for key in both):
            return " ".join(self._names_of(key)[0] for key in both)
        return super().get_key_display(binding)

    def _shown(self, key: keys.Key) -> str:
        return " ".join(self._names_of(key))

    def _names_of(self, key: keys.Key) -> list[str]:
        bound = key._replace(keys=self._keymap_of.get(key.id, key.keys), shown=None)
        return [
            super(GateviewApp, self).get_key_display(b) for b in Binding.make_bindings(keys.bindings([bound]))
        ]


def _short(path: Path) -> str:
    """A path for showing, the user's folder as ``~``."""
    return f"~/{path.relative_to(Path.home())}" if path.is_relative_to(Path.home()) else str(path)


@contextmanager
def _without_collector(pending: int) -> Iterator[None]:
    """Keep the cycle collector away while much is read: it would hold the screen up, and finds nothing."""
    if not pending:
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()
