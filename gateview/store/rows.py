"""What a list of runs says of one run, and what a feed says of one stop: made once per change of the run."""

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from gatecore.analysis.order import config_order, natural
from gatecore.ledger.classes import ClassedStop, StopClass, classed_stops
from gatecore.ledger.run import Entry, Run
from gatecore.ledger.signoffs import last_words, result
from gatecore.ledger.tallies import Amount, dollars, tally_run
from gateview.store.times import epoch

Status = Literal["scored", "invalid", "ended", "running", "open"]
"""`ended`: over without a score. `open`: not over, and nothing tells that it is under way."""

_UNDER_WAY = ("preparing", "writer", "worker", "scoring")


class Decision(NamedTuple):
    """One stop in the order of time; `when` is seconds since the epoch, carried on where there is none."""

    when: float
    key: str
    place: int  # position among the run's stops
    stop: ClassedStop

    @property
    def identity(self) -> tuple[str, int]:
        return self.key, self.place


@dataclass(frozen=True, slots=True)
class Row:
    """One run as a list shows it; everything that sorting or counting many of them needs is made once."""

    key: str
    run: Run
    status: Status  # by the run's own files
    counted: bool
    stops: tuple[StopClass, ...]
    decisions: tuple[Decision, ...]
    met: int | None  # requirements met at the end, or at the newest judged stop of a run that goes on
    judged: int | None
    cost: Amount
    seconds: float | None  # of the worker
    order: tuple[Any, ...]  # by task, config, repetition
    words: str  # what a filter looks at
    result: str | None = None  # the engineer's word on it, or that it waits for one

    @property
    def latest(self) -> float:
        """When the newest stop was, 0 when there was none."""
        return self.decisions[-1].when if self.decisions else 0.0

    @property
    def met_share(self) -> float:
        """Share of the requirements met; above 1 when it is not known, so that it sorts last."""
        return self.met / self.judged if self.met is not None and self.judged else 2.0

    def count(self, kind: StopClass) -> int:
        """Stops of one class."""
        return self.stops.count(kind)


def row_of(key: str, run: Run) -> Row:
    """Make the row of a run."""
    stops = classed_stops(run)
    kinds = tuple(stop.kind for stop in stops)
    task, cfg, rep = run.identity
    status = _status(run)
    met, judged = _requirements(run)
    signed = result(run, last_words(run.signoffs))
    words = (key, task or "", cfg or "", run.tag or "", status, signed or "", run.activity.phase, *set(kinds))
    return Row(
        key=key,
        run=run,
        status=status,
        counted=run.counted,
        stops=kinds,
        decisions=_decisions(key, stops),
        met=met,
        judged=judged,
        cost=cost_of(run),
        seconds=run.score.wall_s if run.score else None,
        order=(natural(task or run.name), config_order(cfg or ""), rep or 0, natural(key)),
        words=" ".join(words).casefold(),
        result=signed,
    )


def _status(run: Run) -> Status:
    if run.invalid:
        return "invalid"
    if run.score:
        return "scored"
    if run.activity.phase in _UNDER_WAY:
        return "running"
    return "ended" if run.over else "open"


def _requirements(run: Run) -> tuple[int | None, int | None]:
    """Requirements met and judged."""
    if run.score:
        met, failed = run.score.hidden_pass, run.score.hidden_fail
    else:
        judged = [h for e in run.entries if (h := e.stop.hidden) and h.passed is not None]
        met, failed = (judged[-1].passed, judged[-1].failed) if judged else (None, None)
    return (met, met + failed) if met is not None and failed is not None else (None, None)


def cost_of(run: Run) -> Amount:
    """What the run cost: worker, writer and reviewers; parts without a known price are counted as such."""
    score = run.score
    worker = score.cost_worker_usd if score and score.has_result_line is not False else None
    cost = dollars(worker)
    for gate in tally_run(run).gates.values():
        cost = cost.plus(gate.cost)
    return cost


def _decisions(key: str, stops: tuple[ClassedStop, ...]) -> tuple[Decision, ...]:
    when = 0.0
    decisions = []
    for place, stop in enumerate(stops):
        when = _when(stop.entry, when)
        decisions.append(Decision(when, key, place, stop))
    return tuple(decisions)


def _when(entry: Entry | None, before: float) -> float:
    at = epoch(entry.stop.ts) if entry else None
    return before if at is None else at
