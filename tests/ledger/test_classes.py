"""The class of a stop and of a gate at it: every decision and verdict against every state of the oracle."""

import pytest

from gatecore.ledger.classes import classed_stops, gate_class, stop_class
from gatecore.ledger.records import Gate1, Gate3, Hidden, Reviewer, Stop
from gatecore.ledger.run import Activity, Begun, Entry, Loss, Run

RED, GREEN = Hidden(passed=2, failed=3), Hidden(passed=5, failed=0)
NO_ORACLE = (None, Hidden(), Hidden(passed=0, failed=0), Hidden(passed=0, failed=5, state="broken"))
PASSED, FAILED = Gate1(ran=True, passed=True), Gate1(ran=True, passed=False)


@pytest.mark.parametrize(
    ("decision", "red", "green", "unknown"),
    [
        ("block", "right", "false", "no_oracle"),
        ("allow", "missed", "clean", "no_oracle"),
        ("give_up", "gave_up", "gave_up", "gave_up"),
        ("error", "error", "error", "error"),
        ("skipped", "skipped", "skipped", "skipped"),
        ("defer", "other", "other", "other"),
        (None, "other", "other", "other"),
    ],
)
def test_a_stop_by_its_decision(decision: str | None, red: str, green: str, unknown: str) -> None:
    assert stop_class(Stop(decision=decision, hidden=RED)) == red
    assert stop_class(Stop(decision=decision, hidden=GREEN)) == green
    assert {stop_class(Stop(decision=decision, hidden=hidden)) for hidden in NO_ORACLE} == {unknown}


@pytest.mark.parametrize("decision", ["block", "allow", "give_up", "error"])
def test_a_gate_by_its_own_verdict_whatever_was_decided(decision: str) -> None:
    for gate1, red, green, unknown in (
        (FAILED, "right", "false", "no_oracle"),
        (PASSED, "missed", "clean", "no_oracle"),
        (Gate1(ran=True), "not_judged", "not_judged", "not_judged"),
        (Gate1(suite="skipped"), "skipped", "skipped", "skipped"),
        (Gate1(ran=False), None, None, None),
        (None, None, None, None),
    ):
        assert gate_class(Stop(decision=decision, gate1=gate1, hidden=RED), "g1") == red
        assert gate_class(Stop(decision=decision, gate1=gate1, hidden=GREEN), "g1") == green
        assert {gate_class(Stop(decision=decision, gate1=gate1, hidden=h), "g1") for h in NO_ORACLE} == {
            unknown
        }


def test_a_review_that_erred_approves_nothing() -> None:
    erred, fine = Reviewer(error="529", approve=True), Reviewer(approve=True)
    for reviewers, passed, expected in (
        ((fine, fine), True, "missed"),
        ((erred, fine), True, "not_judged"),
        ((erred, erred), True, "not_judged"),
        ((erred, fine), False, "right"),
    ):
        review = Gate3(ran=True, passed=passed, reviewers=reviewers)
        assert gate_class(Stop(gate3=review, hidden=RED), "g3") == expected
    assert gate_class(Stop(gate3=Gate3(ran=True, passed=True, verdict="fail"), hidden=RED), "g3") == "right"


@pytest.mark.parametrize(
    ("run", "kinds"),
    [
        (Run("r", snapshots=frozenset({1, 2}), over=True), [(1, "killed"), (2, "killed")]),
        (Run("r", snapshots=frozenset({1, 2})), []),  # both may still be judged
        (Run("r", snapshots=frozenset({1, 2}), crashes=1, over=True), [(1, "killed"), (2, "error")]),
        (Run("r", crashes=2, over=True), [(None, "error"), (None, "error")]),
        (
            Run("r", snapshots=frozenset({1, 3}), entries=(Entry(Stop(n=2, decision="allow"), 1, 0, 0),)),
            [(1, "killed"), (2, "no_oracle")],  # 3 may still be judged, 1 came before one that has ended
        ),
        (Run("r", activity=Activity(begun=(Begun(4, "x", None),)), over=True), [(4, "killed")]),
        # The record of stop 1 is there, but cannot be read: it was not killed.
        (Run("r", snapshots=frozenset({1}), losses=(Loss("gate.jsonl", 1, "is no JSON"),), over=True), []),
        (Run("r", snapshots=frozenset({1}), losses=(Loss("gate.jsonl", None, "barred"),), over=True), []),
    ],
)
def test_stops_that_left_no_record(run: Run, kinds: list[tuple[int | None, str]]) -> None:
    assert [(stop.n, stop.kind) for stop in classed_stops(run)] == kinds
