"""The triage screen: was this block right?"""

from collections.abc import Sequence
from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.reactive import reactive
from textual.widgets import Footer

from gatecore.ledger.records import Triage
from gateview import keys
from gateview.lines import stop as stop_lines
from gateview.lines.glyphs import Glyphs
from gateview.lines.numbers import counted
from gateview.lines.spans import Span, say
from gateview.lines.triage import cause_cells, triage_head, verdict_cells
from gateview.messages import BlocksFound, ChoiceClicked, CursorMoved, EvidenceRead, LineClosed, TextCopied
from gateview.screens.evidence import evidence_of
from gateview.screens.keyed import KeyedScreen
from gateview.store.causes import CAUSES, VERDICTS
from gateview.store.judging import Judge, Written
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
        self._judge = Judge(log, tailer)
        self._glyphs = glyphs
        self._at = at
        self._blocks: dict[str, Block] = {}
        self._kept: set[str] = set()  # judged since the list was opened: they stay where they are
        self._skipped: list[str] = []
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
        return self._judge.can_undo if action == "undo" else True

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
            self._wrote(self._judge.say([b for b in others if b.said is None], block.said))

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
        if not self._judge.can_undo:
            return
        undone = self._judge.undo()
        self._wrote(undone)
        if undone.blocks:
            if undone.blocks[0].id in self.query_one(BlockList).listed:
                self.query_one(BlockList).select(undone.blocks[0].id)
            self.app.notify(f"taken back: {counted(len(undone.blocks), 'verdict')}", markup=False)

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
        self._wrote(self._judge.say(blocks, said))

    def _wrote(self, written: Written) -> None:
        """What was judged stays where it is for now; what could not be written, or was elsewhere, is told."""
        for text in written.failures:
            self.app.notify(Span(text).text, severity="error", markup=False)
        for text in written.remarks:
            self.app.notify(Span(text).text, severity="warning", markup=False)
        if written.blocks:
            self._kept |= {block.id for block in written.blocks}
            self._find()
            self.refresh_bindings()

    @work(thread=True, exclusive=True, group="blocks")
    def _find(self) -> None:
        """Look through the blocks of every run that counts."""
        found: list[Block] = []
        for key, row in self._view.rows.items():
            if row.counted and row.stops and (run := self._tailer.path(key)):
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
        self._read(block, self.showing, alike(self._blocks.values(), block), self.key_name("triage.alike"))

    def _show_choices(self) -> None:
        said = (block.said if (block := self._block) else None) or self._pending
        many = len(alike(self._blocks.values(), block)) if block and self.together else 1
        verdicts, causes = self.query_one("#verdicts", Choices), self.query_one("#causes", Choices)
        verdicts.cells = verdict_cells([self.key_name(f"triage.{word}") for word in VERDICTS], many)
        verdicts.chosen = VERDICTS.index(said.verdict) if said.verdict in VERDICTS else -1
        names = [self.key_name(f"triage.cause{number}") for number in range(1, len(CAUSES) + 1)]
        causes.cells = cause_cells(names, self.size.width)
        causes.chosen = CAUSES.index(said.cause) if said.cause in CAUSES else -1

    @work(thread=True, exclusive=True, group="evidence")
    def _read(self, block: Block, part: str, same: Sequence[Block], key: str) -> None:
        """Read files beside the ledger without holding the screen up."""
        lines = evidence_of(block, part, same, self._tailer.path(block.key), key)
        self.post_message(EvidenceRead((block.id, part), lines))
