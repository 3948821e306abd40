"""A matrix: cells in lanes, each a process of its own, resumable at any moment."""

import math
import signal
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, BinaryIO, NamedTuple

from gatecore.agents.stream import USAGE_LIMIT
from gatecore.harness.bench import Bench
from gatecore.harness.estimate import cost
from gatecore.harness.lock import holding
from gatecore.harness.plan import is_done
from gatecore.harness.site import Cell
from gatecore.ledger.reader import MATRIX, read_run
from gatecore.ledger.run import Run
from gatecore.ledger.signoffs import AWAITING, last_words, result
from gatecore.ledger.writer import VERSION, append, now
from gatecore.text import line

_ENDING_S = 15.0
_INTERRUPTED = 130
_OUTAGES = 3  # so many invalid cells in a row are no accident of one of them


class Progress(NamedTuple):
    """How far a matrix is; `news` is a line for people."""

    done: int
    total: int
    running: tuple[str, ...]
    news: str


class Outcome(NamedTuple):
    """What came of a pass: the state of each cell that ran (scored, invalid, failed), and why it paused.

    `as_asked`: that was no mishap, but `max_usd`. `awaiting`: runs that are scored, and whose result is held.
    """

    states: dict[str, str]
    paused: str | None
    as_asked: bool
    awaiting: tuple[str, ...] = ()


@dataclass
class Matrix:
    """One pass over a plan. `told` hears of each cell that begins or ends.

    No cell begins any more after a usage limit, or after an outage that ends one cell after the other.
    With `max_usd` no cell begins once the runs of the plan, earlier passes included, are known to have cost
    that much.
    """

    bench: Bench
    cells: Sequence[Cell]
    lanes: int
    told: Callable[[Progress], None]
    fresh: bool = False
    max_usd: float | None = None
    _todo: deque[Cell] = field(default_factory=deque)
    _total: int = 0
    _costs: dict[str, float | None] = field(default_factory=dict)
    _children: dict[str, "subprocess.Popen[bytes]"] = field(default_factory=dict)
    _states: dict[str, str] = field(default_factory=dict)
    _awaiting: list[str] = field(default_factory=list)
    _paused: str | None = None
    _spent: bool = False
    _outages: int = 0
    _lock: threading.RLock = field(default_factory=threading.RLock)

    def run(self) -> Outcome:
        """Run what is not done yet.

        Raises UsageError when another matrix is running in these runs. On KeyboardInterrupt the children are
        ended before it is passed on. However it ends, the matrix resumes when it is started again.
        """
        runs = self.bench.runs
        busy = f"{runs}: another matrix is running here; wait for it or stop it"
        with holding(runs / ".matrix.lock", busy):
            self._look()
            self._event("planned", cells=[_planned(cell) for cell in self.cells], lanes=self.lanes)
            self._say(f"{self._total} of {len(self.cells)} cells to run, {self.lanes} at a time")
            try:
                self._in_lanes()
            finally:
                if self._paused:
                    self._event("matrix_paused", why=self._paused)
                    self._say(f"paused: {self._paused}")
                else:
                    self._event("matrix_ended")
                    self._say("ended")
        return Outcome(self._states, self._paused, self._spent, tuple(sorted(self._awaiting)))

    def _look(self) -> None:
        """Find out what is to do, and what the runs of the plan have cost so far.

        What an outage ended comes last, so that cells which fail every time do not keep the others waiting.
        """
        again: list[Cell] = []
        for cell in self.cells:
            path = self.bench.runs / cell.name
            run = read_run(path)
            if path.is_dir():
                self._costs[cell.name] = cost(run)
            if self.fresh or not is_done(run):
                (again if run.score and run.invalid else self._todo).append(cell)
        self._todo.extend(again)
        self._total = len(self._todo)

    def _in_lanes(self) -> None:
        # Not joined: an interrupted `Thread.join` takes a thread that still runs for ended.
        lanes = [threading.Event() for _ in range(min(self.lanes, self._total))]
        for ended in lanes:
            threading.Thread(target=self._lane, args=(ended,), daemon=True).start()
        try:
            for ended in lanes:
                ended.wait()
        except KeyboardInterrupt:
            self._pause("interrupted")
            self._end_children()
            for ended in lanes:
                ended.wait(_ENDING_S)
            raise

    def _lane(self, ended: threading.Event) -> None:
        try:
            while cell := self._next():
                self._run(cell)
        except Exception as err:
            self._pause(f"{type(err).__name__}: {err}")
            raise
        finally:
            ended.set()

    def _next(self) -> Cell | None:
        """The next cell that may begin; None when there is none, or no more."""
        with self._lock:
            if self._todo and not self._paused and self._known_usd() >= (self.max_usd or math.inf):
                self._spent = True
                self._pause(
                    f"the runs so far cost ${self._known_usd():.2f}{self._untold()}, as much as was allowed"
                )
            return self._todo.popleft() if self._todo and not self._paused else None

    def _known_usd(self) -> float:
        return sum(usd for usd in self._costs.values() if usd is not None)

    def _untold(self) -> str:
        unknown = [name for name, usd in self._costs.items() if usd is None and name not in self._children]
        return f" ({len(unknown)} of them did not tell theirs)" if unknown else ""

    def _run(self, cell: Cell) -> None:
        """Run one cell as a process, to its end."""
        with (self.bench.runs / "matrix.log").open("ab") as log, self._lock:
            if self._paused:
                return
            process = self._start(cell, log)
            self._children[cell.name] = process
            self._event("cell_started", run=cell.name)
            self._say(f"{cell.name}: begun")
        code = process.wait()
        if process.stdin:
            process.stdin.close()
        self._ended(cell, code)

    def _start(self, cell: Cell, log: BinaryIO) -> "subprocess.Popen[bytes]":
        """Its stdin stays open as long as we live: at its end, however we died, it ends its worker and itself."""
        return subprocess.Popen(
            [
                *(sys.executable, "-X", "utf8", "-m", "gatecore", "run", "--tied"),
                *("--bench", str(self.bench.root), cell.cfg, cell.task, str(cell.rep)),
            ],
            stdin=subprocess.PIPE,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )

    def _ended(self, cell: Cell, code: int) -> None:
        run = read_run(self.bench.runs / cell.name)
        state, why = _state(run, code)
        awaiting = result(run, last_words(run.signoffs)) == AWAITING
        with self._lock:
            del self._children[cell.name]
            self._costs[cell.name] = cost(run)
            self._states[cell.name] = state
            self._event("cell_ended", run=cell.name, state=state, exit=code, why=why)
            self._awaiting += [cell.name] if awaiting else []
            self._say(f"{cell.name}: {state}" + (f", {why}" if why else f", {AWAITING}" if awaiting else ""))
            self._outages = self._outages + 1 if state == "invalid" else 0
            if why and why.startswith(USAGE_LIMIT):
                self._pause(why)
            elif self._outages == _OUTAGES:
                self._pause(f"an outage ended {_OUTAGES} cells in a row, the last by {why}")

    def _pause(self, why: str) -> None:
        """Let no more cells begin; those that run go on."""
        with self._lock:
            self._paused = self._paused or why

    def _end_children(self) -> None:
        with self._lock:
            children = list(self._children.values())
        for number, patience in ((signal.SIGTERM, _ENDING_S), (signal.SIGKILL, 1.0)):
            running = [process for process in children if process.poll() is None]
            for process in running:
                process.send_signal(number)
            for process in running:
                try:
                    process.wait(patience)
                except subprocess.TimeoutExpired:
                    continue

    def _event(self, event: str, **fields: Any) -> None:
        known = {key: value for key, value in fields.items() if value is not None}
        append(str(self.bench.runs / MATRIX), {"v": VERSION, "ts": now(), "event": event, **known})

    def _say(self, text: str) -> None:
        """Tell people: `told`, and `matrix.log`."""
        with self._lock, (self.bench.runs / "matrix.log").open("ab") as log:
            log.write(f"{now()[:19]} {text}\n".encode("utf-8", "surrogateescape"))
            self.told(Progress(len(self._states), self._total, tuple(self._children), text))


def _state(run: Run, code: int) -> tuple[str, str | None]:
    """How a cell's run ended, and why it did not end well."""
    if run.invalid and code in (0, 1, _INTERRUPTED):
        return "invalid", line(run.invalid)
    if code in (0, 1) and run.score:
        return "scored", None
    return "failed", f"its process ended with exit code {code}"


def _planned(cell: Cell) -> dict[str, Any]:
    return {"run": cell.name, "cfg": cell.cfg, "task": cell.task, "rep": cell.rep}
