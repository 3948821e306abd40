"""A matrix: cells in lanes, each a process of its own, resumable at any moment."""

import fcntl
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from queue import Empty, Queue
from typing import Any

from gatecore.harness.bench import Bench
from gatecore.harness.errors import UsageError
from gatecore.harness.prep import Cell
from gatecore.ledger.reader import MATRIX, read_run
from gatecore.ledger.writer import VERSION, append, now


def plan(configs: Sequence[str], tasks: Sequence[str], reps: int) -> list[Cell]:
    """The cells in the order of the original kit.

    Odd repetitions take the configs in order and even ones in reverse; each config is a block of all tasks,
    and the tasks are rotated by one more from block to block.
    """
    cells: list[Cell] = []
    rotation = 0
    for rep in range(1, reps + 1):
        for cfg in configs if rep % 2 else reversed(configs):
            shift = rotation % len(tasks) if tasks else 0
            cells += [Cell(task, cfg, rep) for task in (*tasks[shift:], *tasks[:shift])]
            rotation += 1
    return cells


def read_list(path: Path, bench: Bench) -> list[Cell]:
    """Read a plan: `<config> <task> <rep>` a line, `#` begins a comment. Raises UsageError naming the line."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as err:
        raise UsageError(f"{path}: {err}") from None
    cells = []
    for number, text in enumerate(lines, 1):
        words = text.split("#", 1)[0].split()
        if not words:
            continue
        if len(words) != 3 or not words[2].isdigit():
            raise UsageError(f"{path}:{number}: must be `<config> <task> <rep>`, is {text!r}")
        try:
            bench.config(words[0])
            bench.request(words[1])
        except UsageError as err:
            raise UsageError(f"{path}:{number}: {err}") from None
        cells.append(Cell(words[1], words[0], int(words[2])))
    return cells


def is_done(run: Path) -> bool:
    """Whether a run is over, scored and not ended by an outage."""
    ledger = read_run(run)
    return ledger.score is not None and ledger.invalid is None


@dataclass
class Matrix:
    """One pass over a plan. `told` is called with a line for people after each cell."""

    bench: Bench
    cells: Sequence[Cell]
    lanes: int
    told: Callable[[str], None]
    fresh: bool = False
    _stopping: threading.Event = field(default_factory=threading.Event)
    _children: dict[str, "subprocess.Popen[bytes]"] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def run(self) -> dict[str, str]:
        """Run what is not done yet and return the state of each cell that ran: scored, invalid or failed.

        Raises UsageError when another matrix is running in these runs. On Ctrl-C the children are ended, and
        the matrix resumes when it is started again.
        """
        self.bench.runs.mkdir(parents=True, exist_ok=True)
        with _only_matrix(self.bench.runs):
            todo = [c for c in self.cells if self.fresh or not is_done(self.bench.runs / c.name)]
            self._log("planned", cells=[_planned(cell) for cell in self.cells], lanes=self.lanes)
            states = self._in_lanes(todo)
            self._log("matrix_ended")
        return states

    def _in_lanes(self, todo: Sequence[Cell]) -> dict[str, str]:
        queue: Queue[Cell] = Queue()
        for cell in todo:
            queue.put(cell)
        states: dict[str, str] = {}

        def lane() -> None:
            while not self._stopping.is_set():
                try:
                    cell = queue.get_nowait()
                except Empty:
                    return
                states[cell.name] = self._run(cell)
                self.told(f"{len(states)}/{len(todo)} {cell.name}: {states[cell.name]}")

        threads = [threading.Thread(target=lane, daemon=True) for _ in range(min(self.lanes, len(todo)))]
        for thread in threads:
            thread.start()
        try:
            for thread in threads:
                while thread.is_alive():
                    thread.join(0.5)
        except KeyboardInterrupt:
            self._stopping.set()
            self._end_children()
            for thread in threads:
                thread.join()
            raise
        return states

    def _run(self, cell: Cell) -> str:
        """Run one cell as a process and return how it ended."""
        command = [sys.executable, "-m", "gatecore", "run", cell.cfg, cell.task, str(cell.rep)]
        self._log("cell_started", run=cell.name)
        with (self.bench.runs / "matrix.log").open("ab") as log:
            process = subprocess.Popen(
                [*command, "--bench", str(self.bench.root)],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
            with self._lock:
                self._children[cell.name] = process
            code = process.wait()
            with self._lock:
                del self._children[cell.name]
        run = self.bench.runs / cell.name
        scored = code in (0, 1) and (run / "score.json").exists()
        state = "failed" if not scored else "scored" if is_done(run) else "invalid"
        self._log("cell_ended", run=cell.name, state=state, exit=code)
        return state

    def _end_children(self) -> None:
        with self._lock:
            for process in self._children.values():
                process.send_signal(signal.SIGTERM)

    def _log(self, event: str, **fields: Any) -> None:
        append(str(self.bench.runs / MATRIX), {"v": VERSION, "ts": now(), "event": event, **fields})


def _planned(cell: Cell) -> dict[str, Any]:
    return {"run": cell.name, "cfg": cell.cfg, "task": cell.task, "rep": cell.rep}


@contextmanager
def _only_matrix(runs: Path) -> Iterator[None]:
    """Hold the runs folder's lock; the system takes it from a process that dies."""
    fd = os.open(runs / ".matrix.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise UsageError(f"{runs}: another matrix is running here; wait for it or stop it") from None
        yield
    finally:
        os.close(fd)
