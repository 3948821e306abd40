"""The live screen: is the matrix going well, and which gate is wrong?"""

import time
from collections import deque
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.reactive import reactive
from textual.widgets import Footer

from gateview import keys
from gateview.lines.configs import config_table
from gateview.lines.glyphs import Glyphs
from gateview.lines.header import header
from gateview.lines.lanes import lane_table
from gateview.lines.numbers import counted
from gateview.lines.spans import Span, Spans, crop, say
from gateview.lines.tallies import gate_table, totals
from gateview.messages import (
    ChoiceClicked,
    CursorMoved,
    LineClosed,
    LineTyped,
    RunCopied,
    TextCopied,
    TriageOpened,
)
from gateview.screens.keyed import ROOMY, KeyedScreen
from gateview.store.progress import progress, under_way
from gateview.store.times import clock
from gateview.store.view import View
from gateview.widgets.ask_line import AskLine
from gateview.widgets.board import Board
from gateview.widgets.choices import Choices
from gateview.widgets.feed import Feed
from gateview.widgets.run_list import RunList

_TINY = (60, 16)  # below it the tallies are a tab too
_TOO_SMALL = (30, 6)
_STANDS_OUT = 2  # seconds for which a change does


class LiveScreen(KeyedScreen):
    """Progress, tallies, configs, lanes, runs and the feed of decisions."""

    BINDINGS: ClassVar[list[BindingType]] = [*keys.bindings(keys.LIVE)]
    GROUPS = (("this screen", keys.LIVE), ("lists", keys.LIST))
    view: reactive[View] = reactive(View(), always_update=True, init=False)
    """What is shown; behind what is known while the screen is paused."""
    pane: reactive[str] = reactive("runs", init=False)
    paused: reactive[bool] = reactive(False, init=False)
    following: reactive[bool] = reactive(False, init=False)

    watched_how: reactive[str] = reactive("", init=False)
    """Why the folders are polled, where they are."""

    def __init__(self, watched: str, glyphs: Glyphs, *, has_clock: bool = True) -> None:
        super().__init__(classes="pane-runs")
        self._watched = watched
        self._glyphs = glyphs
        self._has_clock = has_clock
        self._known = View()
        self._pending = 0
        self._past = deque([View()], maxlen=_STANDS_OUT + 1)

    def compose(self) -> ComposeResult:
        """From the top: header, tallies, configs beside lanes, runs beside the feed."""
        yield Board(id="header")
        yield Board(id="gates")
        yield Board(id="totals")
        yield Choices(id="panes")
        with Horizontal(id="upper"):
            yield Board(id="configs")
            yield Board(id="now")
        with Horizontal(id="lower"):
            with Vertical(id="runs-pane"):
                yield Board(id="runs-head")
                yield RunList(self._glyphs, id="runs")
            yield Feed(self._glyphs, id="feed")
        yield Board(id="too-small")
        yield AskLine("/", "name, config, state, right, false, missed, killed, running …")
        yield Footer(compact=True)

    def on_mount(self) -> None:
        """Show what is known, and keep the clock going."""
        self._board("too-small").show(lambda width: [crop(say("needs 30 by 6 cells"), width)])
        self._show(View())
        self.set_interval(1.0, self._tick)
        self._runs.focus()

    def advance(self, view: View, pending: int) -> None:
        """Take what is known now; it is shown unless the screen is paused."""
        if pending or self._pending or not self._known.rows:
            self._past.extend([view] * (_STANDS_OUT + 1))  # what is read at the start is no change
        self._known, self._pending = view, pending
        if self.paused:
            self._show_header()
        else:
            self.view = view

    def watch_view(self, before: View, view: View) -> None:
        """Show a new view; only what differs is drawn."""
        self._show(before)
        if self.following and view.decisions and view.decisions[:1] != before.decisions[:1]:
            self._runs.select(view.decisions[0].key)

    def watch_paused(self) -> None:
        """Go on with what has come meanwhile."""
        if not self.paused:
            self.view = self._known
        self._show_header()

    def watch_watched_how(self) -> None:
        """Say how the folders are watched."""
        self._show_header()

    def watch_following(self) -> None:
        """Go to the newest decision at once."""
        if self.following and self.view.decisions:
            self._runs.select(self.view.decisions[0].key)
        self._show_header()

    def watch_pane(self, before: str, pane: str) -> None:
        """Show the pane, where there is room for one only, and let the keys go to it."""
        self.remove_class(f"pane-{before}").add_class(f"pane-{pane}")
        self._show_panes()
        self.call_after_refresh(self._focus_pane)  # what is not displayed yet cannot have the focus

    def on_resize(self, event: events.Resize) -> None:
        """Side by side, in tabs, one table alone, or nothing at all."""
        super().on_resize(event)
        width, height = event.size
        for name, (least_width, least_height) in (("tabs", ROOMY), ("tiny", _TINY), ("none", _TOO_SMALL)):
            self.set_class(width < least_width or height < least_height, f"-{name}")
        self.add_class(f"pane-{self.pane}")
        if self.pane not in self._panes():
            self.pane = "runs"
        self._show_panes()
        self.call_after_refresh(self._show_runs_head)  # the list has its new width by then

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """While a filter is typed the keys are its own."""
        if action == "clear_filter":
            return bool(self._runs.words)
        return not self.query_one(AskLine).is_open

    def action_filter(self) -> None:
        """Type a filter."""
        self.pane = "runs"
        self.query_one(AskLine).open(self._runs.words)
        self.refresh_bindings()

    def action_clear_filter(self) -> None:
        """Show all runs again."""
        self._filter("")

    def action_sort(self) -> None:
        """Sort the runs another way, and say which."""
        self._runs.sort_by_next()
        self._show_runs_head()

    def action_follow(self) -> None:
        """Let the cursor go where the newest decision is, until the user moves it."""
        self.following = not self.following

    def action_pause(self) -> None:
        """Hold the screen still, or go on."""
        self.paused = not self.paused

    def action_match(self, step: int) -> None:
        """To the next run of the list, from the last one to the first."""
        self._runs.step_round(step)

    def action_copy(self) -> None:
        """Copy what is under the cursor."""
        if self.focused is self._feed:
            self.post_message(TextCopied(self._feed.plain))
        elif key := self._runs.cursor_key:
            self.post_message(RunCopied(key))

    def action_triage(self) -> None:
        """Judge blocks."""
        self.post_message(TriageOpened())

    def action_next_pane(self) -> None:
        """The next pane."""
        self._step_pane(1)

    def action_previous_pane(self) -> None:
        """The pane before."""
        self._step_pane(-1)

    @on(LineTyped)
    def _filter_typed(self, message: LineTyped) -> None:
        self._filter(message.words)

    @on(LineClosed)
    def _filter_closed(self, message: LineClosed) -> None:
        if not message.kept:
            self._filter("")
        self._runs.focus()
        self.refresh_bindings()

    @on(CursorMoved)
    def _cursor_moved(self) -> None:
        self.following = False

    @on(ChoiceClicked)
    def _pane_clicked(self, message: ChoiceClicked) -> None:
        self.pane = self._panes()[message.place]

    @on(events.DescendantFocus)
    def _focus_moved(self, event: events.DescendantFocus) -> None:
        if event.widget in (self._runs, self._feed) and event.widget is self.focused:
            self.pane = event.widget.id or "runs"

    @property
    def _runs(self) -> RunList:
        return self.query_one(RunList)

    @property
    def _feed(self) -> Feed:
        return self.query_one(Feed)

    def _board(self, name: str) -> Board:
        return self.query_one(f"#{name}", Board)

    def _panes(self) -> tuple[str, ...]:
        if self.has_class("-tiny"):
            return ("runs", "feed", "now", "configs", "gates")
        return ("runs", "feed", "now", "configs") if self.has_class("-tabs") else ("runs", "feed")

    def _step_pane(self, step: int) -> None:
        panes = self._panes()
        self.pane = panes[(panes.index(self.pane) + step) % len(panes)]

    def _focus_pane(self) -> None:
        if not self.query_one(AskLine).is_open:
            self.set_focus(self._runs if self.pane == "runs" else self._feed if self.pane == "feed" else None)

    def _filter(self, words: str) -> None:
        self._runs.filter_by(words)
        self._show_runs_head()
        self.refresh_bindings()

    def _tick(self) -> None:
        """A second has passed: clock, lanes, and what stood out long enough."""
        settled = self._past[0]
        self._past.append(self.view)
        if self._past[0] is not settled:
            self._show(self.view)
        else:
            self._show_header()
            self._show_now()
            self._show_runs_head()

    def _show(self, before: View) -> None:
        view, settled = self.view, self._past[0]
        with self.app.batch_update():
            changed = view.rows.changed_since(before.rows)
            fresh = (
                frozenset(d.identity for d in view.decisions) - {d.identity for d in settled.decisions}
                if view.decisions is not settled.decisions
                else frozenset()
            )
            self._runs.advance(view, changed, frozenset(key for key, _ in fresh))
            self._feed.advance(view, fresh)
            self._board("gates").show(lambda width: gate_table(view.tallies, width, settled.tallies))
            self._board("totals").show(lambda width: totals(view, width))
            self._board("configs").show(lambda width: config_table(view, self._glyphs, width))
            self._show_runs_head()
            self._show_header()
            self._show_now()

    def _show_header(self) -> None:
        view, done, pending = self.view, progress(self.view), self._pending
        self._board("header").show(
            lambda width: [header(view, done, self._watched, width, self._mode(width), pending)]
        )

    def _mode(self, width: int) -> Spans:
        time_of_day = Span(f"   {clock(time.time())}" if self._has_clock and width >= _TINY[0] else "", "dim")
        if self.paused:
            new = len(self._known.rows.changed_since(self.view.rows))
            return say(
                Span(f"paused, {counted(new, 'run')} changed" if new else "paused", "warn"), time_of_day
            )
        mode = "following" if self.following else "live"
        how = f", {self.watched_how}" if self.watched_how and width >= ROOMY[0] else ""
        return say(mode, Span(how, "warn"), time_of_day)

    def _show_now(self) -> None:
        lanes, replays = under_way(self.view), self.view.replays
        self._board("now").show(lambda width: lane_table(lanes, time.time(), width, replays))

    def _show_runs_head(self) -> None:
        self._board("runs-head").show(lambda _: self._runs.head(self._runs.row_width))

    def _show_panes(self) -> None:
        choices = self.query_one("#panes", Choices)
        choices.cells = [say(f" {pane} ") for pane in self._panes()]
        choices.chosen = self._panes().index(self.pane)
