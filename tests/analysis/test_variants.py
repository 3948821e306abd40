"""Rules over the same verdicts at the same stops, by hand."""

from typing import Any

import pytest

from gatecore.analysis.replays import corpus
from gatecore.analysis.variants import Judged, variants
from gatecore.ledger.records import Gate1, Gate2, Gate3, Hidden, Reviewer, Stop
from gatecore.ledger.replays import Replay, Replayed, ReplayMeta
from gatecore.ledger.run import Entry, Run

GATES = ("g1", "g3")
RED, GREEN = Hidden(passed=3, failed=2, state="judged"), Hidden(passed=5, failed=0, state="judged")


def stop(red: bool, decision: str, g1: bool | None, g3: bool | None, **more: Any) -> Judged:
    """A stop with what was decided at the time, and what each gate says now; a review costs 10 cents."""
    hidden = RED if red else GREEN
    old = Stop(n=1, decision=decision, blocked_by="g1" if decision == "block" else None, hidden=hidden)
    reviewers = (Reviewer(cost_usd=0.04, wall_s=2.0), Reviewer(cost_usd=0.06, wall_s=3.0))
    new = Replayed(
        n=1,
        replayed=True,
        gate1=Gate1(ran=True, passed=g1),
        gate3=Gate3(
            ran=True, passed=g3, verdict=None if g3 is not None else "not_judged", reviewers=reviewers
        ),
        wall_s=7.0,
        tests="own",
        tests_usd=0.5,
        **more,
    )
    return Judged("T1-g13-r1", "T1", 1, True, "right", old, new)


STOPS = (
    stop(True, "block", False, False),
    stop(True, "block", False, True),
    stop(True, "allow", True, False),
    stop(True, "give_up", True, True),
    stop(False, "allow", False, True),
    stop(False, "allow", True, True),
    stop(False, "block", True, False),
)


@pytest.mark.parametrize(
    ("rule", "classes", "against", "reviews"),
    [
        ("as recorded", (3, 1, 1, 2), (None, None, None, None), None),
        ("g1 alone", (2, 1, 2, 2), (0, 1, 1, 1), 0),
        ("g3 alone", (2, 1, 2, 2), (1, 2, 0, 0), 7),
        ("either: g1 or g3", (3, 2, 1, 1), (1, 1, 1, 0), 4),
        ("both: g1 and g3", (1, 0, 3, 3), (0, 2, 0, 1), 3),
        ("advice: g1, with g3 advising", (2, 1, 2, 2), (0, 1, 1, 1), 7),
    ],
)
def test_a_rule_decides_and_asks_no_gate_that_it_need_not(
    rule: str, classes: tuple[int, ...], against: tuple[int | None, ...], reviews: int | None
) -> None:
    found = variants(STOPS, GATES, {})
    (row,) = (row for row in found["rows"] if row["variant"] == rule)
    assert tuple(row[kind] for kind in ("right", "false", "missed", "clean")) == classes
    assert tuple(row[key] for key in ("more_right", "fewer_right", "more_false", "fewer_false")) == against
    assert row["stops"] == found["stops"] == len(STOPS)
    if reviews is not None:
        writing = 0.0 if rule == "g3 alone" else 0.5  # once, as all are stops of one run
        checking = 0 if rule == "g3 alone" else len(STOPS)
        assert row["cost_known_usd"] == pytest.approx(writing + 0.1 * reviews)
        assert row["waited_known_s"] == pytest.approx(4.0 * checking + 3.0 * reviews)
    assert found["advice"] == {"blocks": 3, "blocks_with_findings": 1, "red_let_go_with_findings": 1}


@pytest.mark.parametrize(
    ("odd", "why"),
    [
        (stop(True, "error", False, False), "no decision then"),
        (stop(True, "block", False, None), "not judged by every gate"),
        (stop(True, "block", False, False, outcomes={"g3": {"pass": 1, "fail": 1}}), "flaky"),
        (stop(True, "block", False, False, outcomes={"oracle": {"pass": 2, "fail": 1}}), "flaky"),
        (stop(True, "block", False, False, hidden=Hidden(state="broken")), "no oracle"),
    ],
)
def test_a_stop_of_which_somebody_says_nothing_is_outside_every_row(odd: Judged, why: str) -> None:
    found = variants((*STOPS, odd), GATES, {})
    assert found["left_out"] == {why: 1}
    assert found["rows"] == variants(STOPS, GATES, {})["rows"]


@pytest.mark.parametrize(
    ("g1", "blocks"),
    [
        ("fail", {"g1 alone": 1, "g2 alone": 0, "either": 1, "both": 1}),
        ("pass", dict.fromkeys(("either", "both"), 0)),
    ],
)
def test_a_gate_that_is_skipped_by_rule_has_no_say(g1: str, blocks: dict[str, int]) -> None:
    new = Replayed(
        n=1, replayed=True, gate1=Gate1(ran=True, passed=g1 == "pass"), gate2=Gate2(verdict="skipped")
    )
    odd = stop(True, "allow", True, True)._replace(new=new)
    found = variants((odd,), ("g1", "g2"), {})
    assert found["stops"] == 1
    rows = {row["variant"].partition(":")[0]: row["right"] for row in found["rows"]}
    assert {name: rows[name] for name in blocks} == blocks


def test_what_is_not_known_is_no_zero() -> None:
    row = variants(
        (
            stop(
                True,
                "block",
                False,
                False,
            ),
        ),
        ("g1",),
        {"T1-g13-r1": None},
    )["rows"][0]
    assert (row["cost_usd"], row["cost_unknown"], row["cost_per_right_block_usd"]) == (None, 1, None)


def test_stops_are_found_by_their_line_and_those_without_a_record_by_their_number() -> None:
    entries = tuple(Entry(Stop(n=n, decision="block", hidden=RED), n, 0, 0) for n in (1, 2, 4))
    run = Run("T1-g1-r1", entries=entries, snapshots=frozenset((1, 2, 3, 4)), over=True)
    lines = {
        (1, 1): Replayed(line=1, n=1, replayed=True, hidden=GREEN),
        (2, 2): Replayed(line=2, n=2, replayed=False, why="gone"),
        (None, 3): Replayed(n=3, replayed=True, hidden=RED),
    }
    found = corpus({"a": run}, {"a": Replay(ReplayMeta(), lines)})
    assert [(x.n, x.first, x.kind, x.kind_now) for x in found.judged] == [
        (1, True, "right", "false"),
        (3, False, "killed", "killed"),
    ]
    assert (found.not_replayed, found.pending) == ((("a", 2, "gone"),), (("a", 4),))
