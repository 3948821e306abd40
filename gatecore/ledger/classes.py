"""What a stop was, and what each gate said at it, against the oracle: the only definitions of both."""

from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise
from typing import Literal, NamedTuple, Protocol, TypeVar

from gatecore.ledger.records import Gate1, Hidden, ReviewGate, Stop
from gatecore.ledger.run import Entry, Run

StopClass = Literal[
    "right", "false", "missed", "clean", "gave_up", "error", "killed", "no_oracle", "skipped", "other"
]
GateClass = Literal["right", "false", "missed", "clean", "no_oracle", "not_judged", "skipped"]
STOP_CLASSES: tuple[StopClass, ...] = (
    "right", "false", "missed", "clean", "gave_up", "error", "killed", "no_oracle", "skipped", "other",
)  # fmt: skip
GATES = ("g1", "g2", "g3")
"""The gates in the order in which they judge."""
REVIEWS = ("g2", "g3")
"""Those of them whose verdict is that of reviewers."""
PARTS = ("suite", "acceptance")
"""The checks of gate 1, each of which has a verdict of its own."""


class ClassedStop(NamedTuple):
    """One stop of a run: `entry` is None for a stop that left no record (killed or crashed hook)."""

    n: int | None
    kind: StopClass
    entry: Entry | None


def oracle_red(hidden: Hidden | None) -> bool | None:
    """Whether some requirement failed at the stop; None when no oracle judged it."""
    if hidden is None or hidden.failed is None or hidden.state in ("broken", "absent"):
        return None
    if hidden.failed == 0 and not hidden.passed:
        return None  # nothing was judged
    return hidden.failed > 0


def sent_back_by(stop: Stop) -> str | None:
    """The gate that blocked the stop, or that would have if it did more than observe; None when none did."""
    if stop.decision == "block":
        return stop.blocked_by or "?"
    if stop.decision == "allow":
        modes = {"g1": stop.gate1, "g2": stop.gate2, "g3": stop.gate3}
        for gate, said in modes.items():
            if said and said.mode == "observe" and gate_verdict(stop, gate) == "fail":
                return gate
    return None


def stop_class(stop: Stop) -> StopClass:
    """The class of a recorded stop."""
    return _STOPS.get((stop.decision, oracle_red(stop.hidden)), "other")


_STOPS: dict[tuple[str | None, bool | None], StopClass] = {
    ("block", True): "right",
    ("block", False): "false",
    ("block", None): "no_oracle",
    ("allow", True): "missed",
    ("allow", False): "clean",
    ("allow", None): "no_oracle",
    **{("give_up", red): "gave_up" for red in (True, False, None)},
    **{("error", red): "error" for red in (True, False, None)},
    **{("skipped", red): "skipped" for red in (True, False, None)},
}


def gate_verdict(stop: Stop, gate: str) -> str | None:
    """`pass`, `fail`, `not_judged` or `skipped` as the gate judged the stop; None when it did not run.

    A ledger of the original harness counts an errored reviewer as an approval; here such a review is
    `not_judged` unless the other reviewer found something that blocks.
    """
    match gate:
        case "g1":
            return _verdict1(stop.gate1)
        case "g2" | "g3":
            return _verdict_of_review(review_of(stop, gate))
    return None


def review_of(stop: Stop, gate: str) -> ReviewGate | None:
    """What `gate`, one of `REVIEWS`, left at a stop; None for any other."""
    return stop.gate3 if gate == "g3" else stop.gate2 if gate == "g2" else None


def reviews_of(stop: Stop) -> Iterator[ReviewGate]:
    """What the gates with reviewers left at a stop, in the order in which they judge."""
    if stop.gate2:
        yield stop.gate2
    if stop.gate3:
        yield stop.gate3


def gate_class(stop: Stop, gate: str) -> GateClass | None:
    """The gate's own pass or fail against the oracle, whatever was decided; None when it did not run."""
    return against_oracle(gate_verdict(stop, gate), oracle_red(stop.hidden))


def part_verdict(stop: Stop, part: str) -> str | None:
    """The verdict of one check of gate 1, `suite` or `acceptance`, as `gate_verdict` has it for the gate."""
    gate = stop.gate1
    if gate is None:
        return None
    said, failed = (
        (gate.suite, gate.suite_fail) if part == "suite" else (gate.acceptance, gate.gate_tests_fail)
    )
    if said:
        return said
    if not gate.ran or (part == "acceptance" and not gate.gate_tests_present):
        return None
    if failed is None:
        return "not_judged"
    return "fail" if failed else "pass"


def against_oracle(verdict: str | None, red: bool | None) -> GateClass | None:
    """The class of a verdict where the oracle was `red`; None for no verdict."""
    return None if verdict is None else _VERDICTS.get((verdict, red), "not_judged")


_VERDICTS: dict[tuple[str, bool | None], GateClass] = {
    ("fail", True): "right",
    ("fail", False): "false",
    ("fail", None): "no_oracle",
    ("pass", True): "missed",
    ("pass", False): "clean",
    ("pass", None): "no_oracle",
    **{("skipped", red): "skipped" for red in (True, False, None)},
}


class Judged(NamedTuple):
    """Everything that is said of one recorded stop: by oracle, decision, gates, and the checks of gate 1."""

    red: bool | None
    kind: StopClass
    g1: str | None
    g2: str | None
    g3: str | None
    suite: str | None
    acceptance: str | None

    @property
    def verdicts(self) -> tuple[str | None, ...]:
        """The verdicts of `GATES`, then of `PARTS`."""
        return self[2:]


def judge(stop: Stop) -> Judged:
    """Say it all at once, where all of it is needed."""
    red = oracle_red(stop.hidden)
    return Judged(
        red,
        _STOPS.get((stop.decision, red), "other"),
        _verdict1(stop.gate1),
        _verdict_of_review(stop.gate2),
        _verdict_of_review(stop.gate3),
        part_verdict(stop, "suite"),
        part_verdict(stop, "acceptance"),
    )


def classed_stops(run: Run) -> tuple[ClassedStop, ...]:
    """Every stop of the run in order, those that left no record included."""
    stops = [ClassedStop(e.stop.n, stop_class(e.stop), e) for e in run.entries]
    return in_order([*stops, *unrecorded(run, [e.stop.n for e in run.entries])])


class _Numbered(Protocol):
    @property
    def n(self) -> int | None: ...


N = TypeVar("N", bound=_Numbered)


def in_order(stops: Sequence[N]) -> tuple[N, ...]:
    """Stops of one run by number, those without one last; as they are where numbers do not tell."""
    if any(a.n is None or b.n is None or a.n > b.n for a, b in pairwise(stops)):
        return tuple(sorted(stops, key=lambda stop: (stop.n is None, stop.n or 0)))
    return tuple(stops)


def unrecorded(run: Run, numbers: Collection[int | None]) -> tuple[ClassedStop, ...]:
    """The stops that left no record, in order; `numbers` are those of the stops that left one."""
    if run.crashes or run.activity.begun or not run.snapshots.issubset(numbers):
        return tuple(_unrecorded(run, set(numbers)))
    return ()


def _unrecorded(run: Run, known: set[int | None]) -> Iterator[ClassedStop]:
    """Stops that began and left no record: killed, or (original harness) crashed with a traceback."""
    if any(x.file == "gate.jsonl" and x.line is None for x in run.losses):
        return  # the ledger itself cannot be read: what it holds is unknown
    latest = max((n for n in known if n is not None), default=0)
    begun = {b.n for b in run.activity.begun if b.n is not None} | run.snapshots
    missing = sorted(n for n in begun - known if run.over or n < latest)
    unreadable = sum(1 for x in run.losses if x.file == "gate.jsonl" and x.line and not x.fields_only)
    missing = missing[unreadable:]  # a line that cannot be read is a record, and its loss is counted as such
    crashes = 0 if run.meta and run.meta.harness == "gatecore" else run.crashes  # ours leave a record each
    numbered = [*missing, *[None] * (crashes - len(missing))]
    for i, n in enumerate(reversed(numbered)):
        yield ClassedStop(n, "error" if i < crashes else "killed", None)


def _verdict1(gate: Gate1 | None) -> str | None:
    if gate is None:
        return None
    if gate.suite == "skipped":
        return "skipped"
    if not gate.ran:
        return None
    if gate.passed is None:
        return "not_judged"
    return "pass" if gate.passed else "fail"


def _verdict_of_review(gate: ReviewGate | None) -> str | None:
    if gate is None or not (gate.ran or gate.verdict):
        return None
    if gate.verdict:
        return gate.verdict
    if gate.passed is None:
        return "not_judged"
    if gate.passed and any(r.error for r in gate.reviewers):
        return "not_judged"
    return "pass" if gate.passed else "fail"
