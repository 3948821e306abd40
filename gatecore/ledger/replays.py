"""What was said of recorded stops when they were judged again: the files in a run's ``replay/<name>/``.

A line of `replay.jsonl` has the fields of a record in `gate.jsonl` where they mean the same, and those of
`Replayed` beside them. A stop may have several lines: the last one counts.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import msgspec

from gatecore.ledger.lenient import UnreadableError, decode
from gatecore.ledger.reader import LineReader
from gatecore.ledger.records import Count, Dollars, Record, Stop
from gatecore.ledger.run import Entry, Run

FOLDER, META, LEDGER = "replay", "replay.json", "replay.jsonl"
EVENTS = "replays.jsonl"
"""In the runs folder: how far replays are, one line a happening."""

Key = tuple[int | None, int | None]
"""A recorded stop: its line in `gate.jsonl` (None for a stop that left no record) and its number."""


class Replayed(Stop, frozen=True, kw_only=True, omit_defaults=True):
    """One line of `replay.jsonl`: a recorded stop, judged again.

    What was not asked for is not there: without an oracle no `hidden`, without gates no decision, which is
    that of a first stop.
    """

    line: Count | None = None  # of the stop in gate.jsonl
    replayed: bool | None = None
    why: str | None = None  # why it was not
    source: str | None = None  # where its tree came from: store or diff
    tests: str | None = None  # whose acceptance tests gate 1 judged by: own, a run's name, or a file
    tests_usd: Dollars | None = None  # what these cost to write
    outcomes: dict[str, dict[str, Count]] = msgspec.field(
        default_factory=dict
    )  # check or gate -> verdict -> times, of several repetitions
    flaky_tests: dict[str, tuple[str, ...]] = msgspec.field(
        default_factory=dict
    )  # check -> tests that ended in more than one way

    @property
    def key(self) -> Key:
        """Which stop it is."""
        return self.line, self.n

    @property
    def flaky(self) -> tuple[str, ...]:
        """Checks and gates that both passed and failed on this very tree."""
        return tuple(name for name, times in self.outcomes.items() if times.get("pass") and times.get("fail"))


class ReplayMeta(Record, frozen=True, kw_only=True, omit_defaults=True):
    """`replay.json`: what was asked. `settings` has a hash of each part that a verdict depends on."""

    name: str | None = None
    ts: str | None = None
    oracle: str | None = None
    cfg: str | None = None
    gates: dict[str, dict[str, str]] = msgspec.field(default_factory=dict)
    tests: str | None = None
    repeat: Count | None = None
    settings: dict[str, str] = msgspec.field(default_factory=dict)

    @property
    def names(self) -> frozenset[str]:
        """The gates that are asked, as they are called in `blocked_by`."""
        return frozenset(key.replace("gate", "g", 1) for key in self.gates)


class Replay(NamedTuple):
    """A replay of one run, as far as it is; `unreadable` counts lines that could not be read."""

    meta: ReplayMeta
    stops: Mapping[Key, Replayed]
    unreadable: int = 0


def folder_of(run: Path, name: str) -> Path:
    """Where the replay `name` of a run lies."""
    return run / FOLDER / name


def replays_of(run: Path) -> list[str]:
    """The names of a run's replays."""
    try:
        return sorted(path.name for path in (run / FOLDER).iterdir() if (path / META).is_file())
    except OSError:
        return []


def read_replay(run: Path, name: str) -> Replay | None:
    """The replay `name` of the run directory `run`; None where there is none."""
    folder = folder_of(run, name)
    try:
        meta, _ = decode((folder / META).read_bytes(), ReplayMeta)
        lines, _ = LineReader(folder / LEDGER).poll(finished=True)
    except (OSError, UnreadableError):
        return None
    stops, unreadable = dict[Key, Replayed](), 0
    for line in lines:
        try:
            stop, _ = decode(line.raw, Replayed)
        except UnreadableError:
            unreadable += 1
        else:
            stops[stop.key] = stop
    return Replay(meta, stops, unreadable)


def relabelled(stop: Stop, replayed: Replayed) -> Stop:
    """The recorded stop as it was decided, with what the replay's oracle says of it, where there was one."""
    if replayed.hidden is None:
        return stop
    return msgspec.structs.replace(stop, hidden=replayed.hidden)


def without_record(run: Run) -> list[int]:
    """Numbers of the stops whose tree was kept, and which left no record although later ones did or all is over."""
    known = {entry.stop.n for entry in run.entries}
    latest = max((n for n in known if n is not None), default=0)
    return sorted(n for n in run.snapshots - known if run.over or n < latest)


def key_of(entry: Entry) -> Key:
    """Which stop a record is of."""
    return entry.line, entry.stop.n
