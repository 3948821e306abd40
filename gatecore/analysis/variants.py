"""What other rules over the same verdicts would have decided, at the same stops, and what that costs.

A rule asks no gate whose verdict cannot change its decision, as a live stop does not.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from gatecore.analysis.rates import clustered
from gatecore.ledger.classes import StopClass, against_oracle, gate_verdict, oracle_red, stop_class
from gatecore.ledger.order import natural
from gatecore.ledger.records import Stop
from gatecore.ledger.replays import Replayed, relabelled
from gatecore.ledger.run import Entry, Run
from gatecore.ledger.tallies import NOTHING, Amount, dollars, tally_run

FLAKY = "flaky"
_ORACLE = "oracle"
_SKIPPED = "skipped"
_SAID = ("pass", "fail", _SKIPPED)
_BLOCKS = {"block": True, "give_up": True, "allow": False}
"""What was decided, as a block or none; a block that was given up is what the gates said."""


class Judged(NamedTuple):
    """A recorded stop and what a replay says of it. `old` is None for a stop that left no record."""

    run: str
    task: str
    n: int | None
    first: bool  # the first stop of its run
    kind: StopClass  # at the time
    old: Stop | None
    new: Replayed

    @property
    def kind_now(self) -> str:
        """Its class by the replay's oracle, decided as it was; `flaky` when label or block do not hold."""
        if _ORACLE in self.new.flaky or (self.decided == "block" and self._blocker in self.new.flaky):
            return FLAKY
        return self.kind if self.old is None else stop_class(relabelled(self.old, self.new))

    @property
    def _blocker(self) -> str | None:
        return self.old.blocked_by if self.old else None

    @property
    def red(self) -> bool | None:
        """Whether the oracle is red: the replay's where it had one, else that of the time; None when not known."""
        if _ORACLE in self.new.flaky:
            return None
        return oracle_red(self.new.hidden or (self.old.hidden if self.old else None))

    @property
    def red_then(self) -> bool | None:
        """Whether the oracle was red at the time."""
        return oracle_red(self.old.hidden) if self.old else None

    def then(self, gate: str) -> str | None:
        """What the gate said at the time."""
        return gate_verdict(self.old, gate) if self.old else None

    def now(self, gate: str) -> str | None:
        """What the gate says in the replay."""
        return FLAKY if gate in self.new.flaky else gate_verdict(self.new, gate)

    @property
    def decided(self) -> str:
        """What was decided at the time; empty when that is not known."""
        return (self.old.decision if self.old else None) or ""


class _Rule(NamedTuple):
    """How `gates` decide together: asked in order, up to the first that gives the verdict `ends`, which decides.

    With `ends` None all are asked, and the first one decides. A gate that is skipped by rule has no say.
    """

    name: str
    gates: Sequence[str]
    ends: str | None

    def decide(self, said: Mapping[str, str]) -> tuple[bool, Sequence[str]]:
        """Whether it blocks, and which gates were asked."""
        if self.ends is None:
            return said[self.gates[0]] == "fail", self.gates
        gates = [gate for gate in self.gates if said[gate] != _SKIPPED]
        place = next((i for i, gate in enumerate(gates) if said[gate] == self.ends), len(gates) - 1)
        return bool(gates) and said[gates[place]] == "fail", gates[: place + 1]


def _rules(gates: Sequence[str]) -> Iterator[_Rule]:
    for gate in gates:
        yield _Rule(f"{gate} alone", (gate,), "fail")
    if len(gates) > 1:
        some, every = ("either", "both") if len(gates) == 2 else ("any", "all")
        yield _Rule(f"{some}: {' or '.join(gates)}", gates, "fail")
        yield _Rule(f"{every}: {' and '.join(gates)}", gates, "pass")
        yield _Rule(f"advice: {gates[0]}, with {' '.join(gates[1:])} advising", gates, None)


def variants(
    stops: Sequence[Judged], gates: Sequence[str], writers: Mapping[str, float | None]
) -> dict[str, Any]:
    """Every rule over the replayed `gates`, over the stops where each of them, the oracle and the record judge.

    `writers` has what the acceptance tests of a run cost to write. Sums with unknown parts are None.
    """
    why = [(stop, _why_left(stop, gates)) for stop in stops]
    told = [stop for stop, left in why if not left]
    found: dict[str, Any] = {
        "stops": len(told),
        "left_out": dict(Counter(left for _, left in why if left)),
        "rows": [],
    }
    if not gates or not told:
        return found
    then = [_BLOCKS[stop.decided] for stop in told]
    said = [{gate: str(stop.now(gate)) for gate in gates} for stop in told]
    found["rows"].append(_recorded(told, then, writers))
    for rule in _rules(gates):
        decided = [rule.decide(verdicts) for verdicts in said]
        blocks = [block for block, _ in decided]
        cost, waited = _spent((stop.new, asked) for stop, (_, asked) in zip(told, decided, strict=True))
        if "g1" in rule.gates:
            cost = cost.plus(_writing({stop.run: stop.new.tests_usd for stop in told if stop.new.tests}))
        found["rows"].append(
            {
                "variant": rule.name,
                **_decided(told, blocks),
                **_against(told, then, blocks),
                **_sums(cost, waited, told, blocks),
            }
        )
    if len(gates) > 1:
        found["advice"] = _advice(told, said, gates)
    return found


def counts(classes: Sequence[tuple[str, str | None]]) -> dict[str, Any]:
    """Stops, given as task and class, by class; and the rates, with an interval when tasks are resampled."""
    times = Counter(classes)
    tasks = sorted({task for task, _ in classes}, key=natural)

    def share(wrong: str) -> dict[str, Any]:
        return clustered((times[t, "right"], times[t, "right"] + times[t, wrong]) for t in tasks)

    return {
        "stops": len(classes),
        **{kind: sum(times[t, kind] for t in tasks) for kind in ("right", "false", "missed", "clean")},
        "precision": share("false"),
        "sensitivity": share("missed"),
    }


def _why_left(stop: Judged, gates: Sequence[str]) -> str:
    """Why a stop is outside the comparison; empty when it is not."""
    if any(name in stop.new.flaky for name in (_ORACLE, *gates)):
        return FLAKY
    if stop.red is None:
        return "no oracle"
    if stop.decided not in _BLOCKS:
        return "no decision then"
    return "" if all(stop.now(gate) in _SAID for gate in gates) else "not judged by every gate"


def _recorded(
    told: Sequence[Judged], then: Sequence[bool], writers: Mapping[str, float | None]
) -> dict[str, Any]:
    """What was decided at the time, and what the gates that ran then cost."""
    cost, waited = _spent((stop.old, None) for stop in told if stop.old)
    cost = cost.plus(_writing({stop.run: writers[stop.run] for stop in told if stop.run in writers}))
    nothing = dict.fromkeys(("more_right", "fewer_right", "more_false", "fewer_false"))
    return {"variant": "as recorded", **_decided(told, then), **nothing, **_sums(cost, waited, told, then)}


def _spent(asked: Iterable[tuple[Stop, Sequence[str] | None]]) -> tuple[Amount, Amount]:
    """Dollars and time of the gates that were asked at each stop; None: of all that ran."""
    cost, waited = NOTHING, NOTHING
    for stop, gates in asked:
        for gate, tally in tally_run(Run("", entries=(Entry(stop, 1, 0, 0),))).gates.items():
            if gates is None or gate in gates:
                cost, waited = cost.plus(tally.cost), waited.plus(tally.waited)
    return cost, waited


def _writing(by_run: Mapping[str, float | None]) -> Amount:
    """What acceptance tests cost to write, once a run."""
    total = NOTHING
    for cost in by_run.values():
        total = total.plus(dollars(cost))
    return total


def _decided(told: Sequence[Judged], blocks: Sequence[bool]) -> dict[str, Any]:
    said = zip(told, blocks, strict=True)
    return counts([(s.task, against_oracle("fail" if block else "pass", s.red)) for s, block in said])


def _against(told: Sequence[Judged], then: Sequence[bool], now: Sequence[bool]) -> dict[str, int]:
    """Stops at which it decides otherwise than was decided at the time."""
    pairs = Counter(zip((stop.red for stop in told), then, now, strict=True))
    return {
        "more_right": pairs[True, False, True],
        "fewer_right": pairs[True, True, False],
        "more_false": pairs[False, False, True],
        "fewer_false": pairs[False, True, False],
    }


def _sums(cost: Amount, waited: Amount, told: Sequence[Judged], blocks: Sequence[bool]) -> dict[str, Any]:
    right = sum(1 for stop, block in zip(told, blocks, strict=True) if block and stop.red)
    return {
        "cost_usd": None if cost.unknown else cost.dollars,
        "cost_known_usd": cost.dollars,
        "cost_unknown": cost.unknown,
        "cost_per_right_block_usd": cost.dollars / right if right and not cost.unknown else None,
        "waited_s": None if waited.unknown else waited.seconds,
        "waited_known_s": waited.seconds,
        "waited_unknown": waited.unknown,
    }


def _advice(
    told: Sequence[Judged], said: Sequence[Mapping[str, str]], gates: Sequence[str]
) -> dict[str, int]:
    """Blocks of the first gate that carry findings of another, and red stops let go whose findings nobody hears."""
    rows = [
        (stop.red, verdicts[gates[0]] == "fail", any(verdicts[gate] == "fail" for gate in gates[1:]))
        for stop, verdicts in zip(told, said, strict=True)
    ]
    return {
        "blocks": sum(1 for _, block, _ in rows if block),
        "blocks_with_findings": sum(1 for _, block, found in rows if block and found),
        "red_let_go_with_findings": sum(1 for red, block, found in rows if red and found and not block),
    }
