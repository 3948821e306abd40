"""The original harness's columns over some runs, from their score.json.

A value that is not known is left out of means and sums, and counted; where no run tells, the figure is None.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import fsum
from typing import Any, NamedTuple

from gatecore.ledger.classes import GATES
from gatecore.ledger.records import Score
from gatecore.ledger.run import Run


class Columns(NamedTuple):
    """`figures` by the original's keys; `unknown`: key -> runs whose value is not known, if any."""

    figures: dict[str, Any]
    unknown: dict[str, int]


def columns(runs: Iterable[Run]) -> Columns:
    """Return the columns over the scored ones of `runs`, whose order does not matter."""
    scored = [(run.task, run.score) for run in runs if run.score]
    scores = [score for _, score in scored]
    known = {key: [value(score) for score in scores] for key, value in _VALUES.items()}
    passed, judged = _sum(known["hidden_reqs_passed"]), _sum(known["hidden_reqs_total"])
    blocks = _by_gate([score.blocks_by_gate for score in scores])
    right = _by_gate([score.right_blocks_by_gate for score in scores])
    false = _by_gate([score.false_blocks_by_gate for score in scores])
    figures = {
        "runs": len(scores),
        "hidden_reqs_passed": passed,
        "hidden_reqs_total": judged,
        "hidden_rate": _rate(passed, judged, 4),
        "runs_fully_passing": _sum(known["runs_fully_passing"]),
        "suite_green_runs": _sum(known["suite_green_runs"]),
        "mean_cost_total_usd": _mean(known["mean_cost_total_usd"], 4),
        "mean_cost_worker_usd": _mean(known["mean_cost_worker_usd"], 4),
        "mean_cost_reviewers_usd": _mean(known["mean_cost_reviewers_usd"], 4),
        "mean_cost_testwriter_usd": _mean(known["mean_cost_testwriter_usd"], 4),
        "mean_cost_gate1_usd": _mean(known["mean_cost_testwriter_usd"], 4),
        "mean_cost_gate3_usd": _mean(known["mean_cost_reviewers_usd"], 4),
        "gate_tests_total": _sum(known["gate_tests_total"]),
        "gate_tests_fail_final": _sum(known["gate_tests_fail_final"]),
        "mean_wall_s": _mean(known["mean_wall_s"], 4),
        "mean_turns": _mean(known["mean_turns"], 4),
        "blocks_per_run": _mean(known["blocks_per_run"], 3),
        "blocks_by_gate": blocks,
        "right_blocks": right,
        "false_blocks": false,
        "false_block_rate": {gate: _share(false[gate], right[gate]) for gate in GATES},
        "give_ups": _sum(known["give_ups"]),
        "ended_blocked": _sum(known["ended_blocked"]),
        "reviewer_findings": _sum(known["reviewer_findings"]),
        "reviewer_errors": _sum(known["reviewer_errors"]),
        "model_ok": _all(known["model_ok"]),
        "missed_reqs": sorted({f"{task}:{req}" for task, score in scored for req in score.failed_reqs}),
    }
    unknown = {key: n for key, values in known.items() if (n := values.count(None))}
    return Columns(figures, unknown)


def _oracle(score: Score) -> tuple[int, int] | None:
    """Requirements passed and judged at the end; None when the oracle did not judge."""
    if score.hidden_pass is None or score.hidden_fail is None:
        return None
    judged = score.hidden_pass + score.hidden_fail
    return (score.hidden_pass, judged) if judged else None


def _passed(score: Score) -> int | None:
    oracle = _oracle(score)
    return oracle and oracle[0]


def _judged(score: Score) -> int | None:
    oracle = _oracle(score)
    return oracle and oracle[1]


def _fully_passing(score: Score) -> bool | None:
    oracle = _oracle(score)
    return oracle and oracle[0] == oracle[1]


def _suite_green(score: Score) -> bool | None:
    if score.suite_fail is None:
        return None
    return score.suite_fail == 0 and score.suite_pass != 0


def _worker_cost(score: Score) -> float | None:
    """The original harness writes 0 where the client never told the cost."""
    return score.cost_worker_usd if score.cost_worker_usd or score.has_result_line else None


def _total_cost(score: Score) -> float | None:
    return None if _worker_cost(score) is None else score.cost_total_usd


def _gate_tests(value: int | None, score: Score) -> int | None:
    """Null is unknown only where the writer left a file; without a file there are no such tests."""
    return 0 if value is None and not score.testwriter_ok else value


def _model_ok(score: Score) -> bool | None:
    """Without a result line the client did not tell its model."""
    return score.model_ok if score.has_result_line else None


def _names_of_missed(score: Score) -> tuple[str, ...] | None:
    return None if score.hidden_fail and not score.failed_reqs else score.failed_reqs


_VALUES: dict[str, Callable[[Score], Any]] = {
    "hidden_reqs_passed": _passed,
    "hidden_reqs_total": _judged,
    "runs_fully_passing": _fully_passing,
    "suite_green_runs": _suite_green,
    "mean_cost_total_usd": _total_cost,
    "mean_cost_worker_usd": _worker_cost,
    "mean_cost_reviewers_usd": lambda score: score.cost_reviewers_usd,
    "mean_cost_testwriter_usd": lambda score: score.cost_testwriter_usd,
    "gate_tests_total": lambda score: _gate_tests(score.gate_tests_total, score),
    "gate_tests_fail_final": lambda score: _gate_tests(score.gate_tests_fail_final, score),
    "mean_wall_s": lambda score: score.wall_s,
    "mean_turns": lambda score: score.turns,
    "blocks_per_run": lambda score: score.blocks_total,
    "blocks_by_gate": lambda score: score.blocks_by_gate or None,
    "right_blocks": lambda score: score.right_blocks_by_gate or None,
    "false_blocks": lambda score: score.false_blocks_by_gate or None,
    "give_ups": lambda score: score.give_up,
    "ended_blocked": lambda score: score.ended_blocked,
    "reviewer_findings": lambda score: score.reviewer_findings_total,
    "reviewer_errors": lambda score: score.reviewer_errors,
    "model_ok": _model_ok,
    "missed_reqs": _names_of_missed,
}
"""What one run tells for a figure; None when it does not tell."""


def _sum(values: Sequence[int | None]) -> int | None:
    known = [int(value) for value in values if value is not None]
    return sum(known) if known or not values else None


def _by_gate(counts: Sequence[Mapping[str, int]]) -> dict[str, int | None]:
    return {gate: _sum([count.get(gate) for count in counts]) for gate in GATES}


def _mean(values: Sequence[float | None], digits: int) -> float | None:
    known = [value for value in values if value is not None]
    return round(fsum(known) / len(known), digits) if known else None


def _all(values: Sequence[bool | None]) -> bool | None:
    known = [value for value in values if value is not None]
    return all(known) if known else None


def _rate(part: int | None, whole: int | None, digits: int) -> float | None:
    return None if part is None or not whole else round(part / whole, digits)


def _share(part: int | None, rest: int | None) -> float | None:
    return None if part is None or rest is None else _rate(part, part + rest, 3)
