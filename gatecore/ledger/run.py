"""What is known of one run, folded from what was read of its directory.

``fold(fold(run, a), b) == fold(run, a + b)`` for any split of the input, so a run watched line by line and a
run read at once are equal.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from gatecore.ledger.records import Event, RunMeta, Score, Signoff, Stop, Triage, WriterRecord

NAME = re.compile(r"(?P<task>.+?)-(?P<cfg>[^-]+)-r(?P<rep>\d+)(?P<suffix>\D.*)?", re.DOTALL)
"""How a run is named; a suffix tags it."""


class Loss(NamedTuple):
    """Something that could not be read: a file (`line` None), a line (counted from 1) or one field of either.

    `why` names the field when `fields_only`, else it says why.
    """

    file: str
    line: int | None
    why: str
    fields_only: bool = False


class Entry(NamedTuple):
    """A stop as it stands in `gate.jsonl`: line number from 1, place and length in bytes.

    `chained` is False when the record names another predecessor than the line before it, None when it names
    none (a ledger of the original harness).
    """

    stop: Stop
    line: int
    offset: int
    size: int
    chained: bool | None = None


class Begun(NamedTuple):
    """A stop that began and has not ended."""

    n: int | None
    stop_id: str | None
    ts: str | None
    checks: tuple[tuple[str, str | None], ...] = ()  # running checks: name, since


@dataclass(frozen=True, slots=True)
class Activity:
    """Where a run is, from `events.jsonl`."""

    phase: str = ""  # "", "preparing", "writer", "worker", "scoring", "done"
    since: str | None = None
    begun: tuple[Begun, ...] = ()
    invalid: str | None = None


@dataclass(frozen=True, slots=True)
class Batch:
    """What one look at a run directory brought. `fresh`: the ledger was replaced, forget what was known."""

    fresh: bool = False
    meta: RunMeta | None = None
    score: Score | None = None
    writer: WriterRecord | None = None
    entries: tuple[Entry, ...] = ()
    events: tuple[Event, ...] = ()
    triage: tuple[Triage, ...] = ()
    signoffs: tuple[Signoff, ...] = ()
    losses: tuple[Loss, ...] = ()
    reread: frozenset[str] = frozenset()  # whole files read anew: their earlier losses no longer hold
    snapshots: frozenset[int] = frozenset()  # numbers of the snap-<n>.diff that are there
    crashes: int = 0  # tracebacks in gate-errors.txt (original harness)
    over: bool = False


@dataclass(frozen=True, slots=True)
class Run:
    """One run directory."""

    name: str
    meta: RunMeta | None = None
    score: Score | None = None
    writer: WriterRecord | None = None
    entries: tuple[Entry, ...] = ()
    triage: tuple[Triage, ...] = ()
    signoffs: tuple[Signoff, ...] = ()
    losses: tuple[Loss, ...] = ()
    activity: Activity = field(default_factory=Activity)
    snapshots: frozenset[int] = frozenset()
    crashes: int = 0
    over: bool = False

    @property
    def identity(self) -> tuple[str | None, str | None, int | None]:
        """Task, config and repetition: from meta.json, else score.json, else guessed from the name."""
        for source in (self.meta, self.score):
            if source and source.task and source.cfg:
                return source.task, source.cfg, source.rep
        match = NAME.fullmatch(self.name)
        return (match["task"], match["cfg"], int(match["rep"])) if match else (None, None, None)

    @property
    def task(self) -> str:
        """The task's name, ``?`` when unknown."""
        return self.identity[0] or "?"

    @property
    def cfg(self) -> str:
        """The config's name, ``?`` when unknown."""
        return self.identity[1] or "?"

    @property
    def gated(self) -> bool:
        """Whether a gate should have run: every config but `bare`."""
        return self.cfg != "bare"

    @property
    def tag(self) -> str | None:
        """Why the run stays out of the tables by default, None when it does not."""
        if self.meta and self.meta.tag:
            return self.meta.tag
        if self.name.startswith("_"):
            return self.name
        task, cfg, rep = self.identity
        rest = self.name.removeprefix(f"{task}-{cfg}-r{rep}")
        return rest if rest != self.name and rest and not rest[0].isdigit() else None

    @property
    def invalid(self) -> str | None:
        """Why an outage, and not the agent or a gate, ended the run; None when it did not."""
        if self.score is None:
            return self.activity.invalid
        if self.score.invalid:
            return self.score.invalid
        if self.score.is_error and not (self.score.subtype or "").startswith("error_max"):
            return self.score.subtype or "error"
        return None

    @property
    def counted(self) -> bool:
        """Whether the run's stops belong in the tallies: neither tagged nor invalid."""
        return self.tag is None and self.invalid is None


def fold(run: Run, batch: Batch) -> Run:
    """Return `run` with what `batch` brought; pure."""
    if batch.fresh:
        run = Run(run.name)
    return Run(
        run.name,
        meta=batch.meta or run.meta,
        score=batch.score or run.score,
        writer=batch.writer or run.writer,
        entries=run.entries + batch.entries,
        triage=run.triage + batch.triage,
        signoffs=run.signoffs + batch.signoffs,
        losses=_losses(run.losses, batch),
        activity=advance(run.activity, batch.events),
        snapshots=run.snapshots | batch.snapshots,
        crashes=max(run.crashes, batch.crashes),
        over=run.over or batch.over or any(e.event in OVER for e in batch.events),
    )


def _losses(before: tuple[Loss, ...], batch: Batch) -> tuple[Loss, ...]:
    """In an order of their own, so that it does not depend on how the reading was split."""
    kept = (x for x in before if x.line or x.file not in batch.reread)
    return tuple(sorted((*kept, *batch.losses), key=lambda x: (x.file, x.line or 0, x.why)))


OVER = ("worker_ended", "run_scored")
"""Events after which no stop comes any more."""
_PHASES = {
    "run_started": "preparing",
    "writer_started": "writer",
    "writer_ended": "preparing",
    "worker_started": "worker",
    "worker_ended": "scoring",
    "run_scored": "done",
}


def advance(activity: Activity, events: Iterable[Event]) -> Activity:
    """Return where a run is after `events`; pure."""
    phase, since, begun, invalid = activity.phase, activity.since, activity.begun, activity.invalid
    for event in events:
        if event.event in _PHASES:
            phase, since = _PHASES[event.event], event.ts
            invalid = event.invalid or invalid
        elif event.event == "stop_begun":
            begun += (Begun(event.n, event.stop_id, event.ts),)
        elif event.event == "stop_ended":
            begun = tuple(b for b in begun if not _same(b, event))
        elif event.event in ("check_started", "check_ended"):
            begun = tuple(_with_check(b, event) if _same(b, event) else b for b in begun)
    return Activity(phase, since, begun, invalid)


def _same(begun: Begun, event: Event) -> bool:
    return (begun.n, begun.stop_id) == (event.n, event.stop_id)


def _with_check(begun: Begun, event: Event) -> Begun:
    others = tuple(c for c in begun.checks if c[0] != event.check)
    started = event.event == "check_started"
    return begun._replace(checks=(*others, (event.check or "?", event.ts)) if started else others)
