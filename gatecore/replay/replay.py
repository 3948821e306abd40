"""A replay: recorded stops, run by run in lanes, resumable at any moment."""

import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from gatecore.checks.process import kill_all
from gatecore.harness.base import suite_on_base
from gatecore.harness.bench import Bench
from gatecore.harness.client import client_env
from gatecore.harness.gate_config import hook_config
from gatecore.harness.lock import holding
from gatecore.harness.matrix import Progress
from gatecore.harness.prep import make_store
from gatecore.harness.site import Site
from gatecore.hook.config import Config
from gatecore.ledger.folders import find_runs
from gatecore.ledger.reader import read_run
from gatecore.ledger.records import Stop
from gatecore.ledger.replays import EVENTS, LEDGER, key_of, read_replay, without_record
from gatecore.ledger.run import Run
from gatecore.ledger.writer import VERSION, append, append_event, now
from gatecore.replay.acceptance import Acceptance, Tests
from gatecore.replay.asked import Asked, open_replay, refuse_others, settings, tests
from gatecore.replay.stops import Again, head, judged
from gatecore.replay.trees import NoTreeError, Tree, Trees
from gatecore.snapshot import Store
from gatecore.text import line

_ENDING_S = 20.0
_POLL_S = 0.05


class Todo(NamedTuple):
    """A stop that is to be judged again."""

    line: int | None  # in gate.jsonl; None for a stop that left no record
    n: int | None
    stop: Stop | None
    shared: bool  # its number, and so its diff, belongs to another stop as well


class Outcome(NamedTuple):
    """What came of it: stops judged in this pass, stops of which that is not possible, runs left out (with why)."""

    done: int
    before: int  # stops that were judged in an earlier pass
    not_replayed: dict[str, str]  # run and stop -> why
    broken: int  # of them, stops of which a tree was kept
    left_out: dict[str, str]


class _EndedError(BaseException):
    """The replay was interrupted."""


class _Lane(NamedTuple):
    """Where one lane works: its directory, the base, and what finds trees."""

    state: Path
    store: Store
    trees: Trees


@dataclass
class Replay:
    """One pass over the stops of the runs in `folders`. `told` hears of each stop that ends.

    Runs that the tables leave out are left out here as well, unless they are named themselves.
    """

    bench: Bench
    asked: Asked
    folders: Sequence[Path]
    lanes: int
    told: Callable[[Progress], None]
    _paths: dict[str, Path] = field(default_factory=dict)
    _todo: "deque[tuple[str, Run, Path, list[Todo]]]" = field(default_factory=deque)
    _total: int = 0
    _done: int = 0
    _before: int = 0
    _running: dict[str, None] = field(default_factory=dict)
    _not_replayed: dict[str, str] = field(default_factory=dict)
    _broken: int = 0
    _left_out: dict[str, str] = field(default_factory=dict)
    _ending: bool = False
    _crash: BaseException | None = None
    _lock: threading.RLock = field(default_factory=threading.RLock)
    _base: threading.Lock = field(default_factory=threading.Lock)
    _acceptance: Acceptance = field(init=False)

    def run(self) -> Outcome:
        """Judge what is not judged yet. On KeyboardInterrupt nothing of it goes on; it resumes when run again.

        Raises UsageError, NoRunsError.
        """
        self._paths = find_runs(self.folders)
        self._acceptance = Acceptance(self.bench, self.asked, self._paths)
        lock = self.bench.root / ".gatecore" / "locks" / f"replay {self.asked.name}"
        with holding(
            lock, f"replay {self.asked.name}: is running already; wait for it, or give another --name"
        ):
            self._look()
            self._event("replay_started", stops=self._total + self._before, done=self._before)
            why = "interrupted"
            try:
                self._in_lanes()
                why = line(str(self._crash)) if self._crash else ""
            finally:
                self._event("replay_ended", why=why or None)
        if self._crash:
            raise self._crash
        return Outcome(self._done, self._before, self._not_replayed, self._broken, self._left_out)

    def _look(self) -> None:
        """Find the stops that are to be judged."""
        parts = settings(self.bench, self.asked)
        refuse_others({path.parent for path in self._paths.values()}, self.asked.name, parts)
        named = {str(folder.resolve()) for folder in self.folders}
        for key, path in self._paths.items():
            run = read_run(path)
            why = None if str(path.resolve()) in named else _left_out(run)
            if why is None and run.task not in self.bench.tasks:
                why = f"the bench has no task {run.task!r}"
            stops = list(_stops(run))
            if why:
                self._left_out[key] = why
            elif stops:
                folder = open_replay(path, self.asked, parts)
                replay = read_replay(path, self.asked.name)
                known = replay.stops if replay else {}
                todo = [s for s in stops if (s.line, s.n) not in known or not known[s.line, s.n].replayed]
                self._before += len(stops) - len(todo)
                self._total += len(todo)
                if todo:
                    self._todo.append((key, run, folder, todo))

    def _in_lanes(self) -> None:
        folder = self.bench.root / ".gatecore"
        with ExitStack() as stack:
            # Not joined: an interrupted `Thread.join` takes a thread that still runs for ended.
            lanes = [threading.Event() for _ in range(min(self.lanes, len(self._todo)))]
            places = [
                tempfile.TemporaryDirectory(prefix="replay-", dir=folder, ignore_cleanup_errors=True)
                for _ in lanes
            ]
            states = [Path(stack.enter_context(place)) for place in places]
            try:
                for state, ended in zip(states, lanes, strict=True):
                    threading.Thread(target=self._lane, args=(state, ended), daemon=True).start()
                for ended in lanes:
                    ended.wait()
            except KeyboardInterrupt:
                self._ending = True
                until = time.monotonic() + _ENDING_S
                while not all(ended.is_set() for ended in lanes) and time.monotonic() < until:
                    kill_all()  # again: a check may just have been about to start
                    time.sleep(_POLL_S)
                raise

    def _lane(self, state: Path, ended: threading.Event) -> None:
        try:
            store = make_store(self.bench, state)
            lane = _Lane(state, store, Trees(self.bench, state, store))
            while (work := self._next()) is not None:
                self._one_run(lane, *work)
        except _EndedError:
            return
        except Exception as err:
            with self._lock:
                self._crash = self._crash or err
                self._ending = True
        finally:
            ended.set()

    def _next(self) -> "tuple[str, Run, Path, list[Todo]] | None":
        with self._lock:
            return self._todo.popleft() if self._todo and not self._ending else None

    def _one_run(self, lane: _Lane, key: str, run: Run, folder: Path, todo: list[Todo]) -> None:
        path = self._paths[key]
        written = None
        if "gate1" in self.asked.gates:
            written = self._acceptance.of(path, run.task, lane.store, lane.state)
        again = Again([{} for _ in range(self.asked.repeat)], self._check)
        for stop in todo:
            self._check()
            self._say(key, stop, None)
            record = head(stop.n, stop.line, stop.stop.stop_id if stop.stop else None)
            append_event(str(folder), "stop_begun", n=stop.n, stop_id=record["stop_id"])
            why = ""
            try:
                record |= self._judged(lane, path, run, folder, stop, written, again)
            except NoTreeError as err:
                why = line(str(err))
                self._broken += err.kept
            except Exception as err:
                self._check()
                why = f"judging it broke: {line(f'{type(err).__name__}: {err}')}"
                self._broken += 1
            if why:
                self._not_replayed[f"{key} stop {stop.n}"] = why
                record |= {"replayed": False, "why": why}
            append(str(folder / LEDGER), record)
            append_event(
                str(folder),
                "stop_ended",
                n=stop.n,
                stop_id=record["stop_id"],
                decision=record.get("decision"),
            )
            self._say(key, stop, why or "judged")

    def _judged(
        self, lane: _Lane, path: Path, run: Run, folder: Path, stop: Todo, written: Tests | None, again: Again
    ) -> dict[str, Any]:
        if stop.shared and not (stop.stop and stop.stop.tree):
            raise NoTreeError(f"several stops have the number {stop.n}, and one diff", kept=True)
        tree = lane.trees.find(path, stop.n, stop.stop)
        config = self._config(lane, path, run, folder, tree, written)
        record: dict[str, Any] = {
            "replayed": True,
            "source": tree.source,
            "base": tree.store.base_commit,
            "tree": tree.snapshot.tree,
            "repeat": stop.stop.repeat if stop.stop else None,
        }
        if written:
            record |= {"tests": written.source or None, "tests_usd": written.cost_usd}
        return record | judged(config, tree, stop.n or 0, stop.stop.stop_id if stop.stop else None, again)

    def _config(
        self, lane: _Lane, path: Path, run: Run, folder: Path, tree: Tree, written: Tests | None
    ) -> Config:
        """The configuration by which a hook would have judged the stop."""
        bench, gates = self.bench, {key: dict(value) for key, value in self.asked.gates.items()}
        env = client_env(bench, path, run.task) if self.asked.calls_client else {}
        site = Site(folder, lane.state, lane.state / "work", tree.store, env)
        with self._base:  # the first lane runs it for all
            suite = suite_on_base(bench, tree.store, lane.state) if "gate1" in gates else None
        config = hook_config(bench, run.task, gates, site, suite, None)
        request = path / "task.md"
        return config._replace(
            request=request.read_text("utf-8", "replace") if request.is_file() else config.request,
            oracle=tests(bench, self.asked.oracle_of(run.task)),
            acceptance=tests(bench, written.file if written else None),
            guarded={},
        )

    def _check(self) -> None:
        if self._ending:
            raise _EndedError

    def _say(self, key: str, stop: Todo, came: str | None) -> None:
        """Tell people that a stop begins, or what came of it."""
        with self._lock:
            name = f"{key} stop {stop.n}"
            if came is None:
                self._running[name] = None
                self._event("stop_begun", run=self._paths[key].name, n=stop.n)
                return
            self._running.pop(name, None)
            self._done += came == "judged"
            self._event(
                "stop_replayed",
                run=self._paths[key].name,
                n=stop.n,
                state="judged" if came == "judged" else "not_replayed",
            )
            self.told(
                Progress(
                    self._done + len(self._not_replayed), self._total, tuple(self._running), f"{name}: {came}"
                )
            )

    def _event(self, event: str, **fields: Any) -> None:
        """Put a happening on record in every runs folder that is replayed."""
        known = {key: value for key, value in fields.items() if value is not None}
        record = {"v": VERSION, "ts": now(), "event": event, "name": self.asked.name, **known}
        for folder in {path.parent for path in self._paths.values()}:
            append(str(folder / EVENTS), record)


def _left_out(run: Run) -> str | None:
    if run.tag is not None:
        return "tagged"
    return f"invalid: {line(run.invalid)}" if run.invalid else None


def _stops(run: Run) -> Iterator[Todo]:
    """Every stop of which a tree may have been kept, in order."""
    numbers = [entry.stop.n for entry in run.entries]
    found = [Todo(*key_of(entry), entry.stop, numbers.count(entry.stop.n) > 1) for entry in run.entries]
    found += [Todo(None, n, None, False) for n in without_record(run)]
    yield from sorted(found, key=lambda stop: (stop.n is None, stop.n or 0, stop.line or 0))
