"""Counts over stops and gates, exact and additive: the tally of a whole is the sum of its parts' tallies.

A tally is a vector of whole numbers, one a slot of `SLOTS`. Money is kept in whole billionths of a dollar
and time in whole milliseconds, so that sums do not depend on their order and a live total equals one made
at the end.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from operator import add, sub
from typing import NamedTuple, get_args

from gatecore.ledger.classes import (
    GATES,
    PARTS,
    STOP_CLASSES,
    GateClass,
    Judged,
    StopClass,
    against_oracle,
    judge,
    unrecorded,
)
from gatecore.ledger.records import Gate2, Gate3, Reviewer, ReviewGate, Stop
from gatecore.ledger.run import Run

NANO = 1_000_000_000
_MILLI = 1000
GATE_CLASSES: tuple[GateClass, ...] = get_args(GateClass)
_BY_ORACLE = ("right", "false", "no_oracle")
"""The classes of a block; of a stop that was given up, what the block would have been."""


class Amount(NamedTuple):
    """A sum of which parts may be unknown: `units` is a lower bound when `unknown` > 0."""

    units: int = 0  # billionths of a dollar, or milliseconds
    known: int = 0  # parts summed
    unknown: int = 0  # parts whose amount is not known

    def plus(self, other: "Amount", sign: int = 1) -> "Amount":
        """Return the sum (or with `sign` -1 the difference)."""
        units, known, unknown = other
        return Amount(self.units + sign * units, self.known + sign * known, self.unknown + sign * unknown)

    @property
    def dollars(self) -> float:
        """The known part in dollars."""
        return self.units / NANO

    @property
    def seconds(self) -> float:
        """The known part in seconds."""
        return self.units / _MILLI


NOTHING = Amount()
_UNKNOWN = Amount(0, 0, 1)


def dollars(value: float | None) -> Amount:
    """One amount of money."""
    return _UNKNOWN if value is None else Amount(round(value * NANO), 1, 0)


def seconds(value: float | None) -> Amount:
    """One span of time."""
    return _UNKNOWN if value is None else Amount(round(value * _MILLI), 1, 0)


def _amount(name: str) -> tuple[str, ...]:
    return tuple(f"{name}.{part}" for part in Amount._fields)


SLOTS: tuple[str, ...] = (
    "runs",
    *STOP_CLASSES,
    "blocks",
    "repeats",
    "repeats_unknown",
    *(f"gave_up.{kind}" for kind in _BY_ORACLE),
    *(f"{part}.{kind}" for part in PARTS for kind in GATE_CLASSES),
    *(
        f"{gate}.{slot}"
        for gate in GATES
        for slot in (
            *GATE_CLASSES,
            *(f"blocks.{kind}" for kind in _BY_ORACLE),
            *(f"repeats.{kind}" for kind in _BY_ORACLE),
            "repeats_unknown",
            "gave_up",
            *_amount("cost"),
            *_amount("waited"),
        )
    ),
)
"""What each number of a tally counts; stops where nothing else is said."""
_AT = {slot: i for i, slot in enumerate(SLOTS)}
_NONE = (0,) * len(SLOTS)


@dataclass(frozen=True, slots=True)
class GateTally:
    """What one gate caught and let through, by its own verdict whatever was decided."""

    stops: Mapping[str, int] = field(default_factory=dict)  # GateClass -> stops
    blocks: Mapping[str, int] = field(default_factory=dict)  # right, false, no_oracle -> blocks by this gate
    repeats: Mapping[str, int] = field(default_factory=dict)  # the same, blocks on an unchanged tree only
    repeats_unknown: int = 0  # blocks of which the ledger does not tell whether they are repeats
    gave_up: int = 0  # stops let go only because the limit on blocks was reached
    cost: Amount = NOTHING
    waited: Amount = NOTHING


@dataclass(frozen=True, slots=True)
class Tally:
    """What happened at the stops of some runs: `counts` by `SLOTS`."""

    counts: tuple[int, ...] = _NONE

    def plus(self, other: "Tally", sign: int = 1) -> "Tally":
        """Return the sum (or with `sign` -1 the difference)."""
        return Tally(tuple(map(add if sign == 1 else sub, self.counts, other.counts)))

    @property
    def runs(self) -> int:
        """How many runs are in it."""
        return self.counts[_AT["runs"]]

    @property
    def stops(self) -> dict[str, int]:
        """Stops by StopClass, without zeros."""
        return self._some("", STOP_CLASSES)

    @property
    def blocks(self) -> int:
        """Blocks of any class, by any gate."""
        return self.counts[_AT["blocks"]]

    @property
    def repeats(self) -> int:
        """Blocks on a tree unchanged since the block before."""
        return self.counts[_AT["repeats"]]

    @property
    def repeats_unknown(self) -> int:
        """Blocks of which the ledger does not tell whether they are repeats."""
        return self.counts[_AT["repeats_unknown"]]

    @property
    def gave_up(self) -> dict[str, int]:
        """Stops given up, by what the block would have been: right, false or no_oracle; without zeros."""
        return self._some("gave_up.", _BY_ORACLE)

    @property
    def cost(self) -> Amount:
        """What all gates cost."""
        amounts = (self.counts[at : at + len(Amount._fields)] for at in _COST.values())
        return Amount(*map(sum, zip(*amounts, strict=True)))

    @property
    def gates(self) -> dict[str, GateTally]:
        """Each gate that did or cost anything, in the order of judging."""
        every = {gate: self._gate(gate) for gate in GATES}
        return {gate: tally for gate, tally in every.items() if tally != _IDLE}

    @property
    def parts(self) -> dict[str, dict[str, int]]:
        """Stops by GateClass for each check of gate 1 that ran, without zeros."""
        every = {part: self._some(f"{part}.", GATE_CLASSES) for part in PARTS}
        return {part: stops for part, stops in every.items() if stops}

    def _gate(self, gate: str) -> GateTally:
        return GateTally(
            self._some(f"{gate}.", GATE_CLASSES),
            self._some(f"{gate}.blocks.", _BY_ORACLE),
            self._some(f"{gate}.repeats.", _BY_ORACLE),
            self.counts[_AT[f"{gate}.repeats_unknown"]],
            self.counts[_AT[f"{gate}.gave_up"]],
            Amount(*(self.counts[_AT[slot]] for slot in _amount(f"{gate}.cost"))),
            Amount(*(self.counts[_AT[slot]] for slot in _amount(f"{gate}.waited"))),
        )

    def _some(self, before: str, kinds: Iterable[str]) -> dict[str, int]:
        return {kind: n for kind in kinds if (n := self.counts[_AT[before + kind]])}


_IDLE = GateTally()


def total(tallies: Iterable[Tally]) -> Tally:
    """Return the sum of all; the empty sum is ``Tally()``."""
    return Tally(sum_counts(tally.counts for tally in tallies))


def sum_counts(counts: Iterable[tuple[int, ...]]) -> tuple[int, ...]:
    """The same of tallies' counts."""
    return tuple(map(sum, zip(_NONE, *counts, strict=True)))


def tally_run(run: Run, judged: Sequence[Judged] | None = None) -> Tally:
    """Tally one run, whether it counts or not; `judged` are its records, where they were judged before."""
    if judged is None:
        judged = [judge(entry.stop) for entry in run.entries]
    counts = _without_records(run, (s.kind for s in unrecorded(run, [e.stop.n for e in run.entries])))
    for entry, said in zip(run.entries, judged, strict=True):
        _count_stop(counts, entry.stop, said)
    return Tally(tuple(counts))


def tally_frame(run: Run, missing: Iterable[StopClass]) -> Tally:
    """The part of a run's tally that its records have no share in: `missing` are the stops that left none."""
    return Tally(tuple(_without_records(run, missing)))


def tally_records(stops: Iterable[Stop]) -> Tally:
    """The share of some records in the tally of their run."""
    counts = list(_NONE)
    for stop in stops:
        _count_stop(counts, stop, judge(stop))
    return Tally(tuple(counts))


def _without_records(run: Run, missing: Iterable[StopClass]) -> list[int]:
    counts = list(_NONE)
    counts[_AT["runs"]] = 1
    if run.writer is not None:
        _add(counts, _COST["g1"], run.writer.cost_usd, NANO)
    for kind in missing:
        counts[_AT[kind]] += 1
    return counts


_COST = {gate: _AT[f"{gate}.cost.units"] for gate in GATES}
_WAITED = {gate: _AT[f"{gate}.waited.units"] for gate in GATES}


def _count_stop(counts: list[int], stop: Stop, said: Judged) -> None:
    for at in _slots(said, stop.decision, stop.blocked_by, stop.repeat):
        counts[at] += 1
    looking, reviewing = _looking(stop.gate2), _reviewing(stop.gate3)
    if said.g1 is not None:
        waited = _rest(stop.wall_s, looking, reviewing)
        _add(counts, _WAITED["g1"], waited, _MILLI)
    if said.g2 is not None:
        _add(counts, _WAITED["g2"], looking, _MILLI)
        _count_review_cost(counts, "g2", stop.gate2)
    if said.g3 is not None:
        _add(counts, _WAITED["g3"], reviewing, _MILLI)
        _count_review_cost(counts, "g3", stop.gate3)


@lru_cache(1024)
def _slots(said: Judged, decision: str | None, blocked_by: str | None, repeat: bool | None) -> list[int]:
    """Where such a stop is counted: there are few kinds of stops, and many of each."""
    return [_AT[slot] for slot in _counted(said, decision, blocked_by, repeat)]


def _counted(
    said: Judged, decision: str | None, blocked_by: str | None, repeat: bool | None
) -> Iterator[str]:
    word = "no_oracle" if said.red is None else "right" if said.red else "false"
    yield said.kind
    for name, verdict in zip((*GATES, *PARTS), said.verdicts, strict=True):
        if found := against_oracle(verdict, said.red):
            yield f"{name}.{found}"
    gate = blocked_by if blocked_by in GATES else None
    if decision == "give_up":
        yield f"gave_up.{word}"
        if gate:
            yield f"{gate}.gave_up"
    elif decision == "block":
        yield "blocks"
        if gate:
            yield f"{gate}.blocks.{word}"
        if repeat is None:
            yield "repeats_unknown"
            if gate:
                yield f"{gate}.repeats_unknown"
        elif repeat:
            yield "repeats"
            if gate:
                yield f"{gate}.repeats.{word}"


def _add(counts: list[int], at: int, value: float | None, scale: int) -> None:
    """Add a value to the amount whose first slot is `at`."""
    if value is None:
        counts[at + 2] += 1
    else:
        counts[at] += round(value * scale)
        counts[at + 1] += 1


def _count_review_cost(counts: list[int], name: str, gate: ReviewGate | None) -> None:
    if gate is None or gate.reused or gate.verdict == "skipped":
        return
    for reviewer in gate.reviewers:
        _add(counts, _COST[name], _call_cost(reviewer), NANO)
    if not gate.reviewers:
        _add(counts, _COST[name], gate.cost_usd, NANO)


def _call_cost(reviewer: Reviewer) -> float | None:
    """What one call cost; the original harness writes 0 for a call whose answer it could not read."""
    return None if reviewer.error and not reviewer.cost_usd else reviewer.cost_usd


def _rest(wall: float | None, *others: float | None) -> float | None:
    """Seconds of a stop that went to no other gate: what the agent waited for gate 1."""
    known = [span for span in others if span is not None]
    return None if wall is None or len(known) < len(others) else max(0.0, wall - sum(known))


def _looking(gate: Gate2 | None) -> float | None:
    """Seconds of rendering and of the review that follows it."""
    if gate is None or not gate.ran or gate.reused:
        return 0.0
    spans = [gate.render_s, *(r.wall_s for r in gate.reviewers)]
    known = [span for span in spans if span is not None]
    return sum(known) if len(known) == len(spans) else None


def _reviewing(gate: Gate3 | None) -> float | None:
    """Seconds of reviewing: the longer call of two side by side, or both when one follows the other."""
    if gate is None or not gate.ran or gate.reused:
        return 0.0
    walls = [r.wall_s for r in gate.reviewers]
    known = [w for w in walls if w is not None]
    if len(known) < len(walls):
        return None
    return sum(known) if gate.variant == "adv" else max(known, default=0.0)
