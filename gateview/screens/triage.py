"""The triage screen: was this block right?"""

from collections.abc import Sequence
from typing import ClassVar, NamedTuple

from textual import on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.reactive import reactive
from textual.widgets import Footer

from gatecore.ledger.records import Stop, Triage
from gateview import keys
from gateview.lines import stop as stop_lines
from gateview.lines.diff import as_lines, diff_of
from gateview.lines.glyphs import Glyphs
from gateview.lines.numbers import counted
from gateview.lines.spans import Span, Spans, say
from gateview.lines.triage import evidence, triage_head
from gateview.messages import BlocksFound, ChoiceClicked, CursorMoved, EvidenceRead, LineClosed, TextCopied
from gateview.screens.keyed import KeyedScreen
from gateview.store.causes import CAUSES, VERDICTS
from gateview.store.opened import read_whole
from gateview.store.side import read_side
from gateview.store.tail import Tailer
from gateview.store.triage import Block, alike, count, disagreements, queue
from gateview.store.triage_log import TriageLog
from gateview.store.view import View
from gateview.widgets.ask_line import AskLine
from gateview.widgets.block_list import BlockList
from gateview.widgets.board import Board
from gateview.widgets.choices import Choices
from gateview.widgets.document import Document

LISTS = ("left", "done", "disagreements")
_CAUSES = (*CAUSES[:-1], "not the agent's")
_SHORT_CAUSES = ("over-spec", "silent", "oracle gap", "flaky", "env", "reviewer", "not agent")
_ROOM_FOR_CAUSES = 118


class _Step(NamedTuple):
    """What one key wrote: each block with what was said of it before."""

    before: tuple[Block, ...]


class TriageScreen(KeyedScreen):
    """A queue of blocks, the evidence on the one under the cursor, and a key for each thing to say of it."""

    BINDINGS: ClassVar[list[BindingType]] = [*keys.bindings(keys.TRIAGE)]
    GROUPS = (("triage", keys.TRIAGE), ("the queue", keys.LIST))
    listed: reactive[str] = reactive("left", init=False)
    showing: reactive[str] = reactive("", init=False)  # "", told, diff or reviews
    together: reactive[bool] = reactive(False, init=False)
    """Whether what is said goes for all blocks alike."""

    def __init__(
        self, view: View, tailer: Tailer, log: TriageLog, glyphs: Glyphs, at: tuple[str, int] | None = None
    ) -> None:
        super().__init__()
        self._view = view
        self._tailer = tailer
        self._log = log
        self._glyphs = glyphs
        self._at = at
        self._blocks: dict[str, Block] = {}
        self._kept: set[str] = set()  # judged since the list was opened: they stay where they are
        self._skipped: list[str] = []
        self._steps: list[_Step] = []
        self._pending = Triage()  # cause and note that wait for a verdict
        self._under: str | None = None
        self._shown: tuple[str, str] | None = None

    def compose(self) -> ComposeResult:
        """The queue beside the evidence, and below both what can be said."""
        yield Board(id="triage-head")
        yield Choices(id="lists")
        with Horizontal(id="triage-body"):
            yield BlockList(self._glyphs, id="blocks")
            with Vertical(id="evidence-pane"):
                yield Document(id="evidence")
        yield Choices(id="verdicts")
        yield Choices(id="causes")
        yield AskLine("note: ", "why, in a few words")
        yield Footer(compact=True)

    def on_mount(self) -> None:
        """Look through all blocks, and now and then again: verdicts may be kept outside of the runs."""
        self._find()
        self.set_interval(1.0, self._look_elsewhere)
        self.query_one(BlockList).focus()

    def take(self, view: View) -> None:
        """Take what is known now."""
        self._view = view
        self._find()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """While a note is typed the keys are its own; nothing can be said of no block."""
        if self.query_one(AskLine).is_open:
            return False
        if action in ("judge", "cause", "note", "alike", "next", "skip", "evidence"):
            return self._block is not None
        return bool(self._steps) if action == "undo" else True

    def watch_listed(self) -> None:
        """Another list."""
        self._kept.clear()
        self._skipped.clear()
        self._show()

    def watch_showing(self) -> None:
        """Another part of the evidence."""
        self._show_block(anew=True)

    def watch_together(self) -> None:
        """One block, or all that are alike."""
        self._show_choices()

    def action_back(self) -> None:
        """Leave."""
        if self.showing:
            self.showing = ""
        else:
            self.app.pop_screen()

    def action_judge(self, verdict: str) -> None:
        """Say right, false or unsure, and write it at once."""
        if block := self._block:
            said = block.said or self._pending
            self._say(Triage(verdict=verdict, cause=said.cause, note=said.note))

    def action_cause(self, number: int) -> None:
        """Say why; the same again takes it back."""
        if block := self._block:
            said = block.said or self._pending
            cause = None if said.cause == CAUSES[number - 1] else CAUSES[number - 1]
            self._amend(Triage(verdict=said.verdict, cause=cause, note=said.note))

    def action_note(self) -> None:
        """Write a note."""
        if block := self._block:
            self.query_one(AskLine).open((block.said or self._pending).note)
            self.refresh_bindings()

    def action_alike(self) -> None:
        """Let what is said go for all blocks alike, what is said already too; or for this one alone again."""
        block = self._block
        if block is None:
            return
        others = [b for b in alike(self._blocks.values(), block) if b.id != block.id]
        if not others:
            self.app.notify("no other block is like this one", markup=False)
            return
        self.together = not self.together
        if self.together and block.said:
            self._write([b for b in others if b.said is None], block.said)

    def action_next(self) -> None:
        """Go to the next block of the list that is left, from the top again after the last one."""
        blocks = self.query_one(BlockList)
        order = list(blocks.listed)
        if self._under not in order:
            return
        at = order.index(self._under)
        for key in (*order[at + 1 :], *order[:at]):
            if self.listed != "left" or self._blocks[key].said is None:
                blocks.select(key)
                self._show_block()
                return
        self.app.notify("no other block is left", markup=False)

    def action_skip(self) -> None:
        """Put the block off to the end, and go on."""
        skipped = self._under
        self.action_next()
        if skipped and self.listed == "left" and skipped != self._under:
            self._skipped = [*(key for key in self._skipped if key != skipped), skipped]
            self._show()

    def action_undo(self) -> None:
        """Say again what was said before the last key; nothing in a file is changed, a line is added."""
        if not self._steps:
            return
        step = self._steps.pop()
        for before in step.before:
            self._append(before, before.said or Triage(verdict=None))
        if step.before[0].id in self.query_one(BlockList).listed:
            self.query_one(BlockList).select(step.before[0].id)
        self._find()
        self.app.notify(f"taken back: {counted(len(step.before), 'verdict')}", markup=False)

    def action_evidence(self, part: str) -> None:
        """Show one part whole, or all in short again."""
        self.showing = "" if self.showing == part else part

    def action_next_list(self) -> None:
        """Left, done, disagreements."""
        self.listed = LISTS[(LISTS.index(self.listed) + 1) % len(LISTS)]

    def action_scroll_evidence(self, lines: int) -> None:
        """Scroll the evidence while the queue has the keys."""
        self.query_one("#evidence", Document).action_line(lines)

    def action_copy(self) -> None:
        """Copy the evidence."""
        self.post_message(TextCopied(self.query_one("#evidence", Document).plain))

    @on(CursorMoved)
    def _cursor_moved(self) -> None:
        self._show_block()

    @on(ChoiceClicked)
    def _clicked(self, message: ChoiceClicked) -> None:
        match message.line:
            case "lists":
                self.listed = LISTS[message.place]
            case "verdicts":
                self.action_judge(VERDICTS[message.place])
            case "causes":
                self.action_cause(message.place + 1)

    @on(LineClosed)
    def _note_typed(self, message: LineClosed) -> None:
        if message.kept and (block := self._block):
            said = block.said or self._pending
            self._amend(Triage(verdict=said.verdict, cause=said.cause, note=message.words))
        self.query_one(BlockList).focus()
        self.refresh_bindings()

    @on(BlocksFound)
    def _blocks_found(self, message: BlocksFound) -> None:
        before = self._block
        self._blocks = {block.id: block for block in queue(message.blocks)}
        self._show()
        if self._block != before:
            self._show_block(anew=True)

    @on(EvidenceRead)
    def _evidence_read(self, message: EvidenceRead) -> None:
        if message.wanted == (self._under, self.showing):
            self.query_one("#evidence", Document).show(
                message.lines, keep_place=self._shown == message.wanted
            )
            self._shown = message.wanted

    @property
    def _block(self) -> Block | None:
        return self._blocks.get(self._under or "")

    def _amend(self, said: Triage) -> None:
        """Write what is said, or keep it until there is a verdict."""
        if said.verdict:
            self._say(said)
        else:
            self._pending = said
            self._show_choices()

    def _say(self, said: Triage) -> None:
        block = self._block
        if block is None:
            return
        blocks = alike(self._blocks.values(), block) if self.together else [block]
        self._write([b for b in blocks if not b.said or _words(b.said) != _words(said)], said)

    def _write(self, blocks: Sequence[Block], said: Triage) -> None:
        if not blocks:
            return
        written = [block for block in blocks if self._append(block, said)]
        if written:
            self._steps.append(_Step(tuple(written)))
            self._find()
            self.refresh_bindings()

    def _append(self, block: Block, said: Triage) -> bool:
        run = self._tailer.path(block.key)
        if run is None:
            self.app.notify(f"{block.key} is no longer there", severity="error", markup=False)
            return False
        try:
            file = self._log.append(run, block, said)
        except OSError as err:
            why = Span(f"{block.key}: not written: {err.strerror or err}").text
            self.app.notify(why, severity="error", markup=False)
            return False
        self._kept.add(block.id)
        self._tailer.hurry(block.key)
        if file.parent != run:
            where = Span(f"{block.key} cannot be written to; kept in {file}").text
            self.app.notify(where, severity="warning", markup=False)
        return True

    @work(thread=True, exclusive=True, group="blocks")
    def _find(self) -> None:
        """Look through the blocks of every run that counts."""
        found: list[Block] = []
        for key, row in self._view.rows.items():
            if row.counted and row.tally.blocks and (run := self._tailer.path(key)):
                found += self._log.blocks(row, run)
        self.post_message(BlocksFound(tuple(found)))

    def _look_elsewhere(self) -> None:
        if self._log.has_news():
            self._find()

    def _show(self) -> None:
        """Lay the list out; what was judged a moment ago stays in it."""
        blocks = self._blocks.values()
        match self.listed:
            case "left":
                ids = [b.id for b in blocks if b.said is None or b.id in self._kept or b.id == self._under]
            case "done":
                ids = [b.id for b in blocks if b.said]
            case _:
                ids = [b.id for b in disagreements(blocks)]
        late = [key for key in self._skipped if key in ids]
        listed = self.query_one(BlockList)
        listed.show(self._blocks, [*(key for key in ids if key not in late), *late])
        if self._at and blocks:
            self._go_to(*self._at)
        counts = count(tuple(blocks))
        self.query_one("#triage-head", Board).show(lambda width: [triage_head(counts, width)])
        lists = self.query_one("#lists", Choices)
        lists.cells = [say(f" {name} ") for name in LISTS]
        lists.chosen = LISTS.index(self.listed)
        self._show_block()

    def _go_to(self, key: str, place: int) -> None:
        """Begin at the block that triage was opened on, wherever it is listed."""
        self._at = None
        block = next((b for b in self._blocks.values() if (b.key, b.place) == (key, place)), None)
        if block is None:
            self.app.notify("this stop is no block that counts", markup=False)
        elif block.said and self.listed == "left":
            self._kept.add(block.id)
            self._show()
        if block:
            self.query_one(BlockList).select(block.id)

    def _show_block(self, *, anew: bool = False) -> None:
        """Show the evidence on the block under the cursor."""
        under = self.query_one(BlockList).cursor_key
        if under != self._under:
            self._under, self._pending, anew = under, Triage(), True
            self.set_reactive(TriageScreen.together, False)
        self._show_choices()
        if not anew:
            return
        self.refresh_bindings()
        block = self._block
        if block is None:
            words = {"left": "No block is left to judge.", "done": "No block is judged yet."}
            text = words.get(self.listed, "Nobody judged otherwise than the oracle.")
            self.query_one("#evidence", Document).show([stop_lines.note(text)])
            return
        self._read(block, self.showing, alike(self._blocks.values(), block))

    def _show_choices(self) -> None:
        said = (block.said if (block := self._block) else None) or self._pending
        verdicts = self.query_one("#verdicts", Choices)
        many = len(alike(self._blocks.values(), block)) if block and self.together else 1
        for_all = f"   for all {many} alike" if many > 1 else ""
        verdicts.cells = [
            say(Span(f" {self._key(f'triage.{v}')} ", "file"), Span(f"{v} ")) for v in VERDICTS
        ] + ([say(Span(f"{for_all} ", "strong"))] if for_all else [])
        verdicts.chosen = VERDICTS.index(said.verdict) if said.verdict in VERDICTS else -1
        causes = self.query_one("#causes", Choices)
        names = _CAUSES if self.size.width >= _ROOM_FOR_CAUSES else _SHORT_CAUSES
        causes.cells = [
            say(Span(f" {self._key(f'triage.cause{i}')} ", "file"), Span(f"{name} "))
            for i, name in enumerate(names, 1)
        ]
        causes.chosen = CAUSES.index(said.cause) if said.cause in CAUSES else -1

    def _key(self, name: str) -> str:
        return next(key.keys.partition(",")[0] for key in keys.TRIAGE if key.id == name)

    @work(thread=True, exclusive=True, group="evidence")
    def _read(self, block: Block, part: str, same: Sequence[Block]) -> None:
        """Read files beside the ledger without holding the screen up."""
        self.post_message(EvidenceRead((block.id, part), self._evidence(block, part, same)))

    def _evidence(self, block: Block, part: str, same: Sequence[Block]) -> list[Spans]:
        run = self._tailer.path(block.key)
        opened = read_whole(block.key, run) if run else None
        entry = opened.stops[block.place].entry if opened and block.place < len(opened.stops) else None
        if run is None or entry is None:
            return [stop_lines.note("The run is no longer there.")]
        match part:
            case "told":
                return stop_lines.told(entry.stop)
            case "reviews":
                return stop_lines.reviews(entry.stop)
            case "diff":
                return as_lines(diff_of(read_side(run / f"snap-{block.n}.diff")))
        outputs = [read_side(run / name) for name in _outputs(entry.stop)]
        return evidence(block, entry.stop, same, read_side(run / "task.md"), outputs)


def _outputs(stop: Stop) -> list[str]:
    """The outputs of the checks of gate 1 that failed."""
    gate = stop.gate1
    if gate is None or stop.blocked_by == "g3":
        return []
    files = []
    if gate.suite == "fail" or (gate.suite is None and gate.suite_fail):
        files.append(f"gate1-{stop.n}.txt")
    if gate.acceptance == "fail" or (gate.acceptance is None and gate.gate_tests_fail):
        files.append(f"gatetests-{stop.n}.txt")
    return files


def _words(said: Triage) -> tuple[str | None, str | None, str]:
    return said.verdict, said.cause, said.note
