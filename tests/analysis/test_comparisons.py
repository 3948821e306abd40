"""Configs against each other over the same runs, and what so few tasks can show."""

from fractions import Fraction
from pathlib import Path

import pytest

from gatecore.analysis import results
from gatecore.analysis.comparisons import Paired, comparison
from gatecore.ledger.reader import read_runs
from gatecore.ledger.records import Score
from gatecore.ledger.run import Run


def scored(name: str, met: int | None, judged: int = 5, cost: float | None = 0.1) -> Run:
    failed = None if met is None else judged - met
    score = Score(
        hidden_pass=met, hidden_fail=failed, has_result_line=True, cost_worker_usd=cost, cost_total_usd=cost
    )
    return Run(name, score=score)


def compared(*runs: Run, key: str = "{}") -> dict[str, dict[str, object]]:
    found = results({key.format(run.name): run for run in runs})
    return {f"{x['new']} against {x['old']}": x for x in found["comparisons"]}


@pytest.mark.shared
def test_the_published_14_points(shared: Path) -> None:
    runs = {run.name: run for run in read_runs(shared / "ledgers/published-50/runs")}
    found = {(x["old"], x["new"]): x for x in results(runs)["comparisons"]}
    assert list(found) == [
        ("bare", "g1"), ("bare", "g3"), ("bare", "g13"), ("bare", "g13adv"), ("g1", "g13"), ("g13", "g13adv"),
    ]  # fmt: skip
    g1 = found["bare", "g1"]
    assert (g1["pairs"], g1["unpaired"], g1["tasks"], g1["better"], g1["worse"]) == (10, 0, 5, 2, 0)
    assert (g1["difference"], g1["p"], g1["p_exact"]) == (0.14, 0.5, True)
    assert (g1["low"], g1["high"]) == pytest.approx((0.0, 0.34))
    assert g1["sentence"] == (
        "+14 points over 5 tasks: p = 0.5 (sign-flip test over tasks); 0 to +34 points when tasks are resampled "
        "(95 %). This may be chance: no p below 0.0625 is possible with 5 tasks, none below 0.5 with 2 tasks that "
        "differ. More tasks can tell, more repetitions of these cannot."
    )
    assert g1["cost_difference_usd"] == pytest.approx(0.201 - 0.0849, abs=1e-4)
    assert g1["requirements_gained"] == 7
    assert g1["cost_per_requirement_gained_usd"] == pytest.approx(10 * 0.1161 / 7, abs=1e-3)
    assert found["bare", "g3"]["cost_per_requirement_gained_usd"] is None  # it gained none


def test_runs_are_paired_by_task_and_repetition() -> None:
    found = compared(
        scored("T1-bare-r1", 1),
        scored("T1-bare-r2", 5),
        scored("T1-g1-r1", 3),
        scored("T1-g1-r3", 0),  # no such repetition of bare
        scored("T2-g1-r1", 0),  # nor such a task
    )["g1 against bare"]
    assert (found["pairs"], found["unpaired"], found["tasks"]) == (1, 3, 1)
    assert (found["difference"], found["p"], found["low"]) == (0.4, 1.0, None)


def test_each_task_weighs_the_same_however_often_it_was_run() -> None:
    many = [scored(f"T1-{cfg}-r{rep}", 5) for cfg in ("bare", "g1") for rep in range(9)]
    found = compared(*many, scored("T2-bare-r1", 0), scored("T2-g1-r1", 5))["g1 against bare"]
    assert (found["pairs"], found["difference"]) == (10, 0.5)


def test_a_run_whose_requirements_are_not_known_is_no_half_of_a_pair() -> None:
    found = compared(
        scored("T1-bare-r1", None),
        scored("T1-g1-r1", 5),
        scored("T2-bare-r1", 1, judged=4),
        scored("T2-g1-r1", 3, judged=5, cost=None),
    )["g1 against bare"]
    assert (found["pairs"], found["unpaired"]) == (1, 1)
    assert found["difference"] == pytest.approx(3 / 5 - 1 / 4)
    assert (found["cost_pairs"], found["cost_difference_usd"], found["requirements_gained"]) == (
        0,
        None,
        None,
    )


def test_runs_of_two_folders_are_no_pair() -> None:
    one, other = scored("T1-bare-r1", 1), scored("T1-g1-r1", 3)
    assert results({"a/T1-bare-r1": one, "b/T1-g1-r1": other})["comparisons"] == []
    assert results({"a/T1-bare-r1": one, "a/T1-g1-r1": other})["comparisons"]


def test_without_bare_the_first_config_is_compared_with() -> None:
    found = compared(scored("T1-g3-r1", 1), scored("T1-g13-r1", 2), scored("T1-zeta-r1", 3))
    assert list(found) == ["g13 against g3", "zeta against g3"]
    assert compared(scored("T1-g1-r1", 1)) == {}


def said(*differences: Fraction) -> str:
    paired = [Paired(f"T{i}", 1, value, (0,), (None,)) for i, value in enumerate(differences)]
    sentence: str = comparison("bare", "g1", paired, unpaired=0)["sentence"]
    return sentence


def test_the_sentence_says_what_the_tasks_can_show() -> None:
    fifth = Fraction(1, 5)
    assert said(Fraction(0), Fraction(0)) == (
        "no difference on any of 2 tasks, which so few do not show to be equality."
    )
    assert "all tasks differ alike, so resampling them tells no spread" in said(fifth, fifth)
    assert "no p below 0.0625 is possible with 5 tasks. More tasks can tell, more repetitions" in said(
        *[fifth] * 4, fifth / 2
    )
    clear = said(*(fifth + Fraction(i, 100) for i in range(8)))
    assert "p = 0.00781" in clear
    assert clear.endswith(
        "That is more than chance gives on these tasks; of other tasks it says nothing yet."
    )
    unclear = said(*[fifth, -fifth] * 4, fifth)
    assert "no p below 0.00391 is possible with 9 tasks. More tasks can tell." in unclear
    assert "1 task that differs" in said(fifth, Fraction(0))
