"""The run screen: what happened here, stop by stop?"""

from pathlib import Path
from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.reactive import reactive
from textual.widgets import Footer

from gatecore.ledger.classes import ClassedStop
from gatecore.ledger.reader import LEDGER
from gatecore.ledger.signoffs import APPROVE, SEND_BACK
from gateview import keys
from gateview.lines import stop as stop_lines
from gateview.lines.assertions import assertion_lines
from gateview.lines.diff import Diff, diff_between, diff_of, hunk_words
from gateview.lines.glyphs import Glyphs
from gateview.lines.oracle import oracle_lines
from gateview.lines.run import result_line, run_head, run_notes, stop_cell, stop_facts
from gateview.lines.spans import Span, Spans, between, crop, say
from gateview.messages import ChoiceClicked, DiffScrolled, DocumentRead, LineClosed, RunRead, TriageOpened
from gateview.screens.finding import Findable, FindingScreen
from gateview.screens.signing import Signing, Told
from gateview.store.opened import Opened, read_whole
from gateview.store.pictures import Shot, shots_of
from gateview.store.rows import Row
from gateview.store.side import SideText, read_record, read_side
from gateview.store.view import View
from gateview.widgets.ask_line import AskLine
from gateview.widgets.board import Board
from gateview.widgets.choices import Choices
from gateview.widgets.diff_view import DiffView
from gateview.widgets.document import Document

TABS = ("told", "diff", "assertions", "oracle", "reviews", "raw", "ui")
"""The last one only where a stop of the run has gate 2."""


class RunScreen(FindingScreen):
    """One run: its stops in order, and for the chosen one what was told, changed, found and recorded."""

    BINDINGS: ClassVar[list[BindingType]] = [*keys.bindings((*keys.RUN, *keys.SIGNOFF, *keys.FIND))]
    GROUPS = (
        ("this run", (*keys.RUN, *keys.FIND)),
        ("sign off", keys.SIGNOFF),
        ("a diff", keys.DIFF),
        ("the text", keys.TEXT),
    )
    opened: reactive[Opened | None] = reactive[Opened | None](None, always_update=True, init=False)
    """The run as it was read last; None before, and once it is gone."""
    place: reactive[int] = reactive(-1, init=False)
    tab: reactive[str] = reactive("told", init=False)
    _looks = False  # at the pictures
    _sends_back_end: bool | None = None  # what the reason that is being typed is for
    against_base: reactive[bool] = reactive(False, init=False)
    """Whether the diff is against the base; else against the stop before."""

    def __init__(self, row: Row, folder: Path, glyphs: Glyphs, place: int | None = None) -> None:
        super().__init__()
        self.key = row.key
        self._row: Row | None = row
        self._folder = folder
        self._glyphs = glyphs
        self._signoff = Signing(folder)
        self._place_at_first = len(row.stops) - 1 if place is None else place

    def compose(self) -> ComposeResult:
        """From the top: the run, doubts, stops, the chosen stop, tabs and the tab's text."""
        yield Board(id="run-head")
        yield Board(id="run-notes")
        yield Board(id="run-result")
        yield Choices(id="stops")
        yield Board(id="stop-facts")
        yield Choices(id="tabs")
        yield Board(id="diff-head")
        yield DiffView(id="diff")
        yield Document(id="text")
        yield AskLine("/", "words to find")
        yield AskLine("why ", "what has to be done about it")
        yield Footer(compact=True)

    def on_mount(self) -> None:
        """Show the newest stop, or the one that was asked for."""
        self._show_tabs()
        self._read_run()
        self._show_pane()

    def take(self, view: View) -> None:
        """Read the run again where it has changed."""
        row, before = view.rows.get(self.key), self._row
        if row is not before:
            self._row = row
            if row is None:
                self.opened = None
            else:
                self._read_run()

    @work(thread=True, exclusive=True, group="run")
    def _read_run(self) -> None:
        self.post_message(RunRead(read_whole(self.key, self._folder)))

    @on(RunRead)
    def _run_read(self, message: RunRead) -> None:
        if self._row is not None:
            self.opened = message.opened

    def watch_opened(self, before: Opened | None, opened: Opened | None) -> None:
        """The run was read, has changed, or is gone; what is being read stays where it is."""
        if opened is None:
            gone = say(Span(self.key, "strong"), Span("   this run is no longer there", "warn"))
            self._board("run-head").show(lambda width: [crop(gone, width)])
            return
        self._show_run(opened)
        place = self.place if before else self._place_at_first
        place = max(min(place, len(opened.stops) - 1), 0 if opened.stops else -1)
        if place != self.place:
            self.place = place
        elif before is None or _stop_at(before, place) != _stop_at(opened, place):
            self._show_stop(keep_place=before is not None)

    def watch_place(self) -> None:
        """Another stop."""
        self._time()
        self.query_one("#stops", Choices).chosen = self.place
        self._show_stop()

    def watch_tab(self) -> None:
        """Another tab."""
        self._show_stop()
        self._show_pane()

    def watch_against_base(self) -> None:
        """Another diff."""
        self._show_stop()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Only where there is a stop to go to, or a diff."""
        if any(line.is_open for line in self.query(AskLine)):
            return False
        if action == "pictures":
            return self._shots is not None
        if action in ("approve", "send_back", "unsay"):
            return self.opened is not None
        if action == "against":
            return self.tab == "diff"
        if action == "show" and parameters == ("ui",):
            return "ui" in self._tabs
        return len(self.opened.stops) > 1 if action == "stop" and self.opened else True

    def action_back(self) -> None:
        """Back to the live screen."""
        self.app.pop_screen()

    def action_stop(self, step: int) -> None:
        """Choose a stop beside the chosen one."""
        if self.opened and self.opened.stops:
            self.place = max(0, min(self.place + step, len(self.opened.stops) - 1))

    def action_tab(self, step: int) -> None:
        """Choose the tab beside the chosen one, round and round."""
        tabs = self._tabs
        self.tab = tabs[(tabs.index(self.tab) + step) % len(tabs)]

    def action_triage(self) -> None:
        """Judge the chosen stop."""
        self.post_message(TriageOpened(self.key, self.place))

    def action_show(self, tab: str) -> None:
        """Choose a tab."""
        self.tab = tab

    def action_against(self) -> None:
        """Compare with the base, or with the stop before."""
        self.against_base = not self.against_base

    def on_screen_resume(self) -> None:
        """Nothing lies over the run any more."""
        self._looks = False
        self._time()

    def on_screen_suspend(self) -> None:
        """Something lies over the run; who looks at its pictures is still at it."""
        if not self._looks:
            self._signoff.watch.open()

    def action_pictures(self) -> None:
        """Look at the pages."""
        if (shots := self._shots) and (stop := _stop_at(self.opened, self.place)):
            from gateview.screens.pictures import PicturesScreen, widget_for

            self._looks = True
            title = f"{self.key}, stop {'?' if stop.n is None else stop.n}"
            self.app.push_screen(PicturesScreen(title, self._folder, shots, widget_for(self.app)))

    @property
    def _shots(self) -> list[Shot] | None:
        """The pictures of the chosen stop, None where there are none."""
        stop = _stop_at(self.opened, self.place)
        gate = stop.entry.stop.gate2 if stop and stop.entry else None
        return (shots_of(gate) or None) if gate else None

    def action_approve(self, end: bool = False) -> None:
        """Approve the chosen stop, or the end of the run."""
        self._say(APPROVE, end)

    def action_send_back(self, end: bool = False) -> None:
        """Ask why, then send the chosen stop back, or the end of the run."""
        if self._can_say(end):
            self._sends_back_end = end
            self.query(AskLine).last().open("")
            self.refresh_bindings()

    def action_unsay(self) -> None:
        """Say again what was said before the last word that was given here."""
        if self.opened and self._report(self._signoff.undo(self.opened.row)):
            self._show_words(self.opened)

    @on(LineClosed)
    def _why_typed(self, message: LineClosed) -> None:
        end, self._sends_back_end = self._sends_back_end, None
        if end is not None and message.kept:
            self._say(SEND_BACK, end, message.words)
        self.refresh_bindings()

    def _can_say(self, end: bool) -> bool:
        """Whether there is anything to be said something of; if not, say why."""
        stop = _stop_at(self.opened, self.place)
        why = ""
        if not end and (stop is None or stop.entry is None):
            why = "this stop left no record"
        elif end and (self.opened is None or self.opened.run.score is None):
            why = "the run is not scored yet: it has no end to be signed off"
        if why:
            self.app.notify(why, markup=False)
        return not why

    def _say(self, verdict: str, end: bool, reason: str = "") -> None:
        opened, stop = self.opened, _stop_at(self.opened, self.place)
        if opened and self._can_say(end):
            entry, thing = (None, None) if end else (stop and stop.entry, self.place)
            if self._report(self._signoff.say(opened.row, entry, thing, verdict, reason)):
                self._show_words(opened)

    def _report(self, told: Told) -> bool:
        """Tell what is worth telling; whether anything was written."""
        if told.words:
            self.app.notify(Span(told.words).text, severity=told.severity, markup=False)
        return told.written

    def _time(self) -> None:
        """The chosen stop and the run are open, unless something lies over them."""
        if self.is_current:
            self._signoff.watch.open(self.place, None)

    def _show_words(self, opened: Opened) -> None:
        end, awaiting = self._signoff.end(opened.row)
        names = self.key_name("run.approve_end"), self.key_name("run.send_back_end")
        self._board("run-result").show(
            lambda width: [crop(x, width) for x in result_line(end, awaiting, names)]
        )
        if stop := _stop_at(opened, self.place):
            said = self._signoff.of(opened.row, stop.entry)
            self._board("stop-facts").show(lambda width: [crop(stop_facts(stop, said), width)])

    @on(ChoiceClicked)
    def _clicked(self, message: ChoiceClicked) -> None:
        if message.line == "tabs":
            self.tab = TABS[message.place]
        else:
            self.place = message.place

    @on(DocumentRead)
    def _document_read(self, message: DocumentRead) -> None:
        if message.wanted != self._wanted:
            return
        if isinstance(message.lines, Diff):
            self.query_one(DiffView).show(message.lines, keep_place=message.again)
        else:
            self._text.show(message.lines, keep_place=message.again)

    @on(DiffScrolled)
    def _diff_scrolled(self) -> None:
        view = self.query_one(DiffView)
        stop = _stop_at(self.opened, self.place)
        n = stop.n if stop else None
        compared = say(Span(f"stop {'?' if n is None else n} against {view.diff.against} ", "dim"))
        where = hunk_words(view.diff, view.top)
        self._board("diff-head").show(lambda width: [between(where, compared, width)])

    def _show_run(self, opened: Opened) -> None:
        self._board("run-head").show(lambda width: [crop(run_head(opened.row), width)])
        self._board("run-notes").show(lambda width: [crop(note, width) for note in run_notes(opened.run)])
        self._show_words(opened)
        self._show_tabs()
        stops = self.query_one("#stops", Choices)
        stops.cells = [stop_cell(stop, self._glyphs) for stop in opened.stops]
        stops.chosen = max(0, self.place)
        self.refresh_bindings()

    def _show_tabs(self) -> None:
        tabs = [say(f" {self.key_name(f'run.{tab}')} {tab} ") for tab in self._tabs]
        self.query_one("#tabs", Choices).cells = tabs

    def _show_stop(self, *, keep_place: bool = False) -> None:
        self.query_one("#tabs", Choices).chosen = TABS.index(self.tab)
        opened, stop = self.opened, _stop_at(self.opened, self.place)
        if opened is None:
            return
        if stop is None:
            self._show_words(opened)
            self._board("stop-facts").show(lambda _: [])
            gated = opened.run.gated
            why = "The agent has not tried to stop yet." if gated else "No gate runs in this config."
            self._text.show([stop_lines.note(why)])
            return
        self._show_words(opened)
        lines = self._lines(opened, stop)
        if lines is None:
            self._read(opened, self.place, self.tab, keep_place)
        else:
            self._text.show(lines, keep_place=keep_place)

    def _lines(self, opened: Opened, stop: ClassedStop) -> list[Spans] | None:
        """The document of the chosen tab, None when it must be read from a file."""
        record = stop.entry.stop if stop.entry else None
        match self.tab:
            case "told" if record or stop.kind != "error":
                return stop_lines.told(record)
            case "oracle":
                return oracle_lines(opened.stops, self.place, self._glyphs)
            case "reviews":
                return stop_lines.reviews(record)
            case "ui":
                return stop_lines.ui(record)
        return None

    @work(thread=True, exclusive=True, group="side")
    def _read(self, opened: Opened, place: int, tab: str, again: bool) -> None:
        """Read a file beside the ledger, or a record of it, without holding the screen up."""
        wanted = self._wanted
        self.post_message(DocumentRead(wanted, self._file_lines(opened, place, tab, wanted[2]), again))

    def _file_lines(self, opened: Opened, place: int, tab: str, against_base: bool) -> list[Spans] | Diff:
        entry = opened.stops[place].entry
        if tab == "diff":
            return self._diff(opened, place, against_base)
        if tab == "assertions":
            return assertion_lines(entry.stop if entry else None, self._side)
        if tab == "told":
            return stop_lines.crash(self._side("gate-errors.txt"))
        if entry is None:
            return [stop_lines.note("This stop left no record.")]
        return stop_lines.raw(read_record(self._folder / LEDGER, entry.offset, entry.size))

    def _diff(self, opened: Opened, place: int, against_base: bool) -> Diff:
        n = opened.stops[place].n
        if n is None:
            return Diff(notes=("The stop has no number, so its snapshot is not known.",))
        now = diff_of(self._side(f"snap-{n}.diff"))
        before = opened.stops[place - 1].n if place else None
        if against_base or before is None:
            return now
        return diff_between(diff_of(self._side(f"snap-{before}.diff")), now, f"stop {before}")

    def _side(self, name: str) -> SideText:
        return read_side(self._folder / name)

    def _show_pane(self) -> None:
        """The diff has a widget of its own; the keys go to what is shown."""
        is_diff = self.tab == "diff" and not (self.opened and not self.opened.stops)
        for widget in (self._board("diff-head"), self.query_one(DiffView)):
            widget.display = is_diff
        self._text.display = not is_diff
        self.set_focus(self.query_one(DiffView) if is_diff else self._text)
        self.refresh_bindings()

    @property
    def readable(self) -> Findable:
        """The diff or the text."""
        return self.query_one(DiffView) if self.tab == "diff" else self._text

    @property
    def _tabs(self) -> tuple[str, ...]:
        entries = self.opened.run.entries if self.opened else ()
        return TABS if any(entry.stop.gate2 for entry in entries) else TABS[:-1]

    @property
    def _text(self) -> Document:
        return self.query_one("#text", Document)

    @property
    def _wanted(self) -> tuple[int, str, bool]:
        return self.place, self.tab, self.against_base

    def _board(self, name: str) -> Board:
        return self.query_one(f"#{name}", Board)


def _stop_at(opened: Opened | None, place: int) -> ClassedStop | None:
    return opened.stops[place] if opened and 0 <= place < len(opened.stops) else None
