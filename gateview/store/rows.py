"""What a list of runs keeps of one run, advanced as its files grow: its stops and counts, not its records.

Advancing by any split of what was read gives the row that `row_of` makes of the whole run. The records are
read again when the run is opened.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from sys import intern
from typing import Literal, NamedTuple

from gatecore.ledger.classes import ClassedStop, StopClass, in_order, stop_class, unrecorded
from gatecore.ledger.order import config_order, natural
from gatecore.ledger.records import RunMeta, Score, Stop, WriterRecord
from gatecore.ledger.run import Batch, Entry, Run, fold
from gatecore.ledger.signoffs import last_words, result
from gatecore.ledger.tallies import Amount, Tally, dollars, tally_frame, tally_records
from gateview.store.times import epoch

Status = Literal["scored", "invalid", "ended", "running", "open"]
"""`ended`: over without a score. `open`: not over, and nothing tells that it is under way."""

EVERYDAY = "everyday"
"""The config of sessions in somebody's own repository."""
_UNDER_WAY = ("preparing", "writer", "worker", "scoring")


class Passed(NamedTuple):
    """One stop as a row keeps it; `line` is that of its record in the ledger, None when it left none.

    `when` is seconds since the epoch, carried on from the stop before where the record has no time.
    """

    n: int | None
    kind: StopClass
    when: float
    line: int | None


class Decision(NamedTuple):
    """One stop for the feed, in the order of time."""

    when: float
    key: str
    place: int  # position among the run's stops
    stop: ClassedStop

    @property
    def identity(self) -> tuple[str, int]:
        return self.key, self.place


@dataclass(frozen=True, slots=True)
class Row:
    """One run as a list shows it; what sorting or counting many of them needs is made once."""

    key: str
    run: Run  # without its records, verdicts, and what no list shows of its files
    stops: tuple[Passed, ...]  # in order
    tally: Tally
    so_far: tuple[int, int | None] | None  # requirements met and failed at the newest stop that was judged
    status: Status  # by the run's own files
    counted: bool
    cost: Amount
    order: str  # sorts by task, config, repetition, then name
    about: str  # what a filter looks at besides the name
    result: str | None = None  # the engineer's word on it, or that it waits for one

    @property
    def latest(self) -> float:
        """When the newest stop was, 0 when there was none."""
        return self.stops[-1].when if self.stops else 0.0

    @property
    def kinds(self) -> tuple[StopClass, ...]:
        """The classes of the stops, in order."""
        return tuple([stop.kind for stop in self.stops])

    @property
    def requirements(self) -> tuple[int | None, int | None]:
        """Requirements met and judged, at the end or at the newest judged stop of a run that goes on."""
        score = self.run.score
        met, failed = (score.hidden_pass, score.hidden_fail) if score else self.so_far or (None, None)
        return (met, met + failed) if met is not None and failed is not None else (None, None)

    @property
    def met_share(self) -> float:
        """Share of the requirements met; above 1 when it is not known, so that it sorts last."""
        met, judged = self.requirements
        return met / judged if met is not None and judged else 2.0

    @property
    def seconds(self) -> float | None:
        """How long the worker took, None as long as it is not known."""
        return self.run.score.wall_s if self.run.score else None

    def count(self, kind: StopClass) -> int:
        """Stops of one class."""
        return sum(stop.kind == kind for stop in self.stops)


def row_of(key: str, run: Run) -> Row:
    """Make the row of a run that was read whole."""
    return _row(key, run, None)


def grown(key: str, before: Row | None, batch: Batch) -> Row:
    """Return the row with what `batch` brought; pure."""
    if before is None or batch.fresh:
        return row_of(key, fold(Run(key.rsplit("/", 1)[-1]), batch))
    return _row(key, fold(before.run, batch), before)


def decisions_of(row: Row, entries: Iterable[Entry]) -> list[Decision]:
    """The decisions of a row whose records are among `entries`, and those that left none."""
    records = {entry.line: entry for entry in entries}
    return [
        Decision(stop.when, row.key, place, ClassedStop(stop.n, stop.kind, records.get(stop.line or 0)))
        for place, stop in enumerate(row.stops)
        if stop.line is None or stop.line in records
    ]


def _row(key: str, run: Run, before: Row | None) -> Row:
    """Make a row; what of the records is in `before` is not in `run` any more."""
    recorded, was_missing = _apart(before.stops if before else ())
    so_far = before.so_far if before else None
    when = recorded[-1].when if recorded else 0.0
    for entry in run.entries:
        stop = entry.stop
        when = _when(stop, when)
        recorded.append(Passed(stop.n, stop_class(stop), when, entry.line))
        if stop.hidden and stop.hidden.passed is not None:
            so_far = stop.hidden.passed, stop.hidden.failed
    missing = unrecorded(run, [stop.n for stop in recorded])
    tally = tally_records(entry.stop for entry in run.entries)
    if before is None:
        tally = tally.plus(tally_frame(run, [stop.kind for stop in missing]))
    else:
        tally = before.tally.plus(tally)
        if missing or was_missing or run.writer is not before.run.writer:
            tally = tally.plus(tally_frame(run, [stop.kind for stop in missing]))
            tally = tally.plus(tally_frame(before.run, [stop.kind for stop in was_missing]), -1)
    status = _status(run)
    signed = result(run, last_words(run.signoffs))
    light = _light(run, before.run if before else _NOTHING, recorded)
    same = before is not None and light.meta is before.run.meta and light.score is before.run.score
    return Row(
        key=key,
        run=light,
        stops=_in_order(recorded, missing) if missing else in_order(recorded),
        tally=tally,
        so_far=so_far,
        status=status,
        counted=run.counted,
        cost=_cost(run.score, tally),
        order=before.order if before and same else _order(key, run),
        result=signed,
        about=_about(run, status, signed, {stop.kind for stop in recorded} | {stop.kind for stop in missing}),
    )


def _apart(stops: Sequence[Passed]) -> tuple[list[Passed], list[Passed]]:
    """The stops that left a record, in the order of the ledger, and those that did not."""
    recorded = [stop for stop in stops if stop.line is not None]
    recorded.sort(key=lambda stop: stop.line or 0)
    return recorded, [stop for stop in stops if stop.line is None]


def _in_order(recorded: list[Passed], missing: Iterable[ClassedStop]) -> tuple[Passed, ...]:
    stops = in_order([*recorded, *(Passed(stop.n, stop.kind, 0.0, None) for stop in missing)])
    when, timed = 0.0, []
    for stop in stops:
        when = when if stop.line is None else stop.when
        timed.append(stop._replace(when=when))
    return tuple(timed)


def _light(run: Run, before: Run, recorded: Sequence[Passed]) -> Run:
    """The run without its records, and with no more of its files than lists show."""
    return Run(
        run.name,
        meta=run.meta if run.meta is before.meta else _light_meta(run.meta),
        score=run.score if run.score is before.score else _light_score(run.score),
        writer=run.writer if run.writer is before.writer else _light_writer(run.writer),
        signoffs=run.signoffs,
        losses=run.losses,
        activity=run.activity,
        snapshots=run.snapshots and run.snapshots.difference([stop.n for stop in recorded]),
        crashes=run.crashes,
        over=run.over,
    )


_NOTHING = Run("")
_NO_COUNTS: dict[str, int] = {}


def _light_meta(meta: RunMeta | None) -> RunMeta | None:
    return meta and RunMeta(
        task=meta.task and intern(meta.task),
        cfg=meta.cfg and intern(meta.cfg),
        rep=meta.rep,
        harness=meta.harness and intern(meta.harness),
        tag=meta.tag,
        signoff=meta.signoff,
    )


def _light_score(score: Score | None) -> Score | None:
    return score and Score(
        task=score.task and intern(score.task),
        cfg=score.cfg and intern(score.cfg),
        rep=score.rep,
        hidden_pass=score.hidden_pass,
        hidden_fail=score.hidden_fail,
        cost_worker_usd=score.cost_worker_usd,
        has_result_line=score.has_result_line,
        wall_s=score.wall_s,
        invalid=score.invalid,
        is_error=score.is_error,
        subtype=score.subtype and intern(score.subtype),
        blocks_by_gate=_NO_COUNTS,
        right_blocks_by_gate=_NO_COUNTS,
        false_blocks_by_gate=_NO_COUNTS,
    )


def _light_writer(writer: WriterRecord | None) -> WriterRecord | None:
    return writer and WriterRecord(cost_usd=writer.cost_usd, wall_s=writer.wall_s)


def _status(run: Run) -> Status:
    if run.invalid:
        return "invalid"
    if run.score:
        return "scored"
    if run.cfg == EVERYDAY:
        return "running" if run.activity.begun else "open"  # nobody says when a session ends
    if run.activity.phase in _UNDER_WAY:
        return "running"
    return "ended" if run.over else "open"


def _cost(score: Score | None, tally: Tally) -> Amount:
    """What the run cost: worker, writer and reviewers; parts without a known price are counted as such."""
    worker = score.cost_worker_usd if score and score.has_result_line is not False else None
    return dollars(worker).plus(tally.cost)


def _about(run: Run, status: Status, signed: str | None, kinds: set[StopClass]) -> str:
    task, cfg, _ = run.identity
    words = (task or "", cfg or "", run.tag or "", status, signed or "", run.activity.phase, *sorted(kinds))
    return intern(" ".join(words).casefold())


def _when(stop: Stop, before: float) -> float:
    at = epoch(stop.ts)
    return before if at is None else at


def _order(key: str, run: Run) -> str:
    task, cfg, rep = run.identity
    parts = (_sortable(task or run.name), _config(cfg or ""), f"{rep or 0:016}", _sortable(key))
    return "\0\0".join(parts)


@lru_cache(4096)
def _sortable(name: str) -> str:
    """A text that sorts as `natural` has it."""
    return "".join(f"\0{chr(size)}{part}" if size else part for size, part in natural(name))


@lru_cache(256)
def _config(cfg: str) -> str:
    place, name = config_order(cfg)
    return f"{place}{name}"
