"""Counts over stops and gates, exact and additive: tallies of parts sum to the tally of the whole.

Money is kept in whole billionths of a dollar and time in whole milliseconds, so that sums do not depend
on their order and a live total equals one made at the end.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from gatecore.ledger.classes import GATES, ClassedStop, classed_stops, gate_class
from gatecore.ledger.records import Gate3, Reviewer, Stop
from gatecore.ledger.run import Run

NANO = 1_000_000_000


class Amount(NamedTuple):
    """A sum of which parts may be unknown: `units` is a lower bound when `unknown` > 0."""

    units: int = 0  # billionths of a dollar, or milliseconds
    known: int = 0  # parts summed
    unknown: int = 0  # parts whose amount is not known

    def plus(self, other: "Amount", sign: int = 1) -> "Amount":
        """Return the sum (or with `sign` -1 the difference)."""
        return Amount(*(a + sign * b for a, b in zip(self, other, strict=True)))

    @property
    def dollars(self) -> float:
        """The known part in dollars."""
        return self.units / NANO

    @property
    def seconds(self) -> float:
        """The known part in seconds."""
        return self.units / 1000


NOTHING = Amount()


def dollars(value: float | None) -> Amount:
    """One amount of money."""
    return Amount(0, 0, 1) if value is None else Amount(round(value * NANO), 1, 0)


def seconds(value: float | None) -> Amount:
    """One span of time."""
    return Amount(0, 0, 1) if value is None else Amount(round(value * 1000), 1, 0)


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

    def plus(self, other: "GateTally", sign: int = 1) -> "GateTally":
        """Return the sum (or with `sign` -1 the difference)."""
        return GateTally(
            _add(self.stops, other.stops, sign),
            _add(self.blocks, other.blocks, sign),
            _add(self.repeats, other.repeats, sign),
            self.repeats_unknown + sign * other.repeats_unknown,
            self.gave_up + sign * other.gave_up,
            self.cost.plus(other.cost, sign),
            self.waited.plus(other.waited, sign),
        )


@dataclass(frozen=True, slots=True)
class Tally:
    """What happened at the stops of some runs."""

    runs: int = 0
    stops: Mapping[str, int] = field(default_factory=dict)  # StopClass -> stops
    blocks: int = 0  # of any class, by any gate
    repeats: int = 0  # blocks on a tree unchanged since the block before
    repeats_unknown: int = 0  # blocks of which the ledger does not tell whether they are repeats
    gates: Mapping[str, GateTally] = field(default_factory=dict)

    def plus(self, other: "Tally", sign: int = 1) -> "Tally":
        """Return the sum (or with `sign` -1 the difference)."""
        nothing = GateTally()
        gates = {
            gate: self.gates.get(gate, nothing).plus(other.gates.get(gate, nothing), sign)
            for gate in [*self.gates, *(g for g in other.gates if g not in self.gates)]
        }
        return Tally(
            self.runs + sign * other.runs,
            _add(self.stops, other.stops, sign),
            self.blocks + sign * other.blocks,
            self.repeats + sign * other.repeats,
            self.repeats_unknown + sign * other.repeats_unknown,
            {gate: tally for gate in sorted(gates) if (tally := gates[gate]) != nothing},
        )


def tally_run(run: Run) -> Tally:
    """Tally one run, whether it counts or not."""
    stops = classed_stops(run)
    kinds: Counter[str] = Counter(stop.kind for stop in stops)
    blocks = [s.entry.stop for s in stops if s.entry and s.entry.stop.decision == "block"]
    gates = {gate: _gate_tally(run, stops, gate) for gate in GATES}
    nothing = GateTally()
    return Tally(
        runs=1,
        stops=_ordered(kinds),
        blocks=len(blocks),
        repeats=sum(1 for b in blocks if b.repeat),
        repeats_unknown=sum(1 for b in blocks if b.repeat is None),
        gates={gate: tally for gate, tally in gates.items() if tally != nothing},
    )


def total(tallies: Iterable[Tally]) -> Tally:
    """Return the sum of all; the empty sum is ``Tally()``."""
    result = Tally()
    for tally in tallies:
        result = result.plus(tally)
    return result


def _gate_tally(run: Run, stops: tuple[ClassedStop, ...], gate: str) -> GateTally:
    judged: Counter[str] = Counter()
    blocks: Counter[str] = Counter()
    repeats: Counter[str] = Counter()
    repeats_unknown = gave_up = 0
    cost = _writer_cost(run) if gate == "g1" else NOTHING
    waited = NOTHING
    for _, kind, entry in stops:
        if entry is None:
            continue
        stop = entry.stop
        verdict = gate_class(stop, gate)
        if verdict is not None:
            judged[verdict] += 1
            if gate == "g3":
                cost = cost.plus(_review_cost(stop.gate3))
            waited = waited.plus(_waited(stop, gate))
        if stop.decision == "block" and stop.blocked_by == gate:
            blocks[kind] += 1
            if stop.repeat is None:
                repeats_unknown += 1
            elif stop.repeat:
                repeats[kind] += 1
        if stop.decision == "give_up" and stop.blocked_by == gate:
            gave_up += 1
    return GateTally(
        _ordered(judged), _ordered(blocks), _ordered(repeats), repeats_unknown, gave_up, cost, waited
    )


def _writer_cost(run: Run) -> Amount:
    if run.writer is None:
        return NOTHING
    return dollars(run.writer.cost_usd)


def _review_cost(gate: Gate3 | None) -> Amount:
    if gate is None or gate.reused:
        return NOTHING
    cost = NOTHING
    for reviewer in gate.reviewers:
        cost = cost.plus(_call_cost(reviewer))
    return cost if gate.reviewers else dollars(gate.cost_usd)


def _call_cost(reviewer: Reviewer) -> Amount:
    """What one call cost; the original harness writes 0 for a call whose answer it could not read."""
    if reviewer.error and not reviewer.cost_usd:
        return dollars(None)
    return dollars(reviewer.cost_usd)


def _waited(stop: Stop, gate: str) -> Amount:
    """How long the agent waited for the gate: reviewers for g3, the rest of the stop for g1."""
    reviewing = _reviewing(stop.gate3)
    if gate == "g3":
        return seconds(reviewing)
    if stop.wall_s is None or reviewing is None:
        return seconds(None)
    return seconds(max(0.0, stop.wall_s - reviewing))


def _reviewing(gate: Gate3 | None) -> float | None:
    """Seconds of reviewing: the longer call of two side by side, or both when one follows the other."""
    if gate is None or not gate.ran or gate.reused:
        return 0.0
    walls = [r.wall_s for r in gate.reviewers]
    known = [w for w in walls if w is not None]
    if len(known) < len(walls):
        return None
    return sum(known) if gate.variant == "adv" else max(known, default=0.0)


def _ordered(counts: Counter[str]) -> dict[str, int]:
    return dict(sorted(counts.items()))


def _add(a: Mapping[str, int], b: Mapping[str, int], sign: int) -> dict[str, int]:
    keys = sorted({*a, *b})
    return {key: n for key in keys if (n := a.get(key, 0) + sign * b.get(key, 0))}
