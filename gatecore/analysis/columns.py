"""The original harness's columns over some runs, from their score.json.

A value that is not known is left out of means and sums, and counted; where no run tells, the figure is None.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from math import fsum
from operator import attrgetter
from typing import Any, NamedTuple

from gatecore.ledger.classes import GATES
from gatecore.ledger.records import Score


class Columns(NamedTuple):
    """`figures` by the original's keys; `unknown`: key -> runs whose value is not known, if any."""

    figures: dict[str, Any]
    unknown: dict[str, int]


Value = int | float | bool | None


def values(score: Score) -> tuple[Value, ...]:
    """What one scored run tells, by `KEYS`; None where it does not tell."""
    oracle = _oracle(score)
    passed, judged = oracle or (None, None)
    return (
        passed,
        judged,
        None if oracle is None else passed == judged,
        None if score.suite_fail is None else score.suite_fail == 0 and score.suite_pass != 0,
        None if worker_cost(score) is None else score.cost_total_usd,
        worker_cost(score),
        *_PLAIN(score),
        _gate_tests(score.gate_tests_total, score),
        _gate_tests(score.gate_tests_fail_final, score),
        score.model_ok if score.has_result_line else None,  # without it the client did not tell its model
        None if score.hidden_fail and not score.failed_reqs else True,  # whether the failed ones are named
        *map(score.blocks_by_gate.get, GATES),
        *map(score.right_blocks_by_gate.get, GATES),
        *map(score.false_blocks_by_gate.get, GATES),
    )


def requirements_unmet(score: Score) -> frozenset[str] | None:
    """The requirements that are not met at the end; None when the oracle did not judge, or did not name them."""
    if _oracle(score) is None or len(score.failed_reqs) != score.hidden_fail:
        return None
    return frozenset(score.failed_reqs)


Series = tuple[tuple[Value, ...], ...]
"""For each of `KEYS`, what each of some runs tells."""


def series(rows: Sequence[tuple[Value, ...]]) -> Series:
    """The `values` of some runs, by key."""
    return tuple(zip(*rows, strict=True)) if rows else ((),) * len(KEYS)


def columns(parts: Sequence[Series], missed_reqs: Iterable[str]) -> Columns:
    """Return the columns over scored runs: their values, whose order does not matter, and what they missed."""
    by_key: dict[str, tuple[Value, ...]] = {
        key: sum((part[i] for part in parts), ()) for i, key in enumerate(KEYS)
    }
    passed, judged = _sum(by_key["hidden_reqs_passed"]), _sum(by_key["hidden_reqs_total"])
    gates = [
        gate
        for gate in GATES
        if gate in _ALWAYS or any(n is not None for n in by_key[f"blocks_by_gate.{gate}"])
    ]
    blocks, right, false = (
        {gate: _sum(by_key[f"{key}.{gate}"]) for gate in gates}
        for key in ("blocks_by_gate", "right_blocks", "false_blocks")
    )
    sums = {key: _sum(by_key[key]) for key in _SUMS}
    means = {key: _mean(by_key[key], digits) for key, digits in _MEANS.items()}
    figures = {
        "runs": len(by_key[KEYS[0]]),
        "hidden_reqs_passed": passed,
        "hidden_reqs_total": judged,
        "hidden_rate": _rate(passed, judged, 4),
        "runs_fully_passing": sums["runs_fully_passing"],
        "suite_green_runs": sums["suite_green_runs"],
        "mean_cost_total_usd": means["mean_cost_total_usd"],
        "mean_cost_worker_usd": means["mean_cost_worker_usd"],
        "mean_cost_reviewers_usd": means["mean_cost_reviewers_usd"],
        "mean_cost_testwriter_usd": means["mean_cost_testwriter_usd"],
        "mean_cost_gate1_usd": means["mean_cost_testwriter_usd"],
        **({"mean_cost_gate2_usd": means["mean_cost_gate2_usd"]} if "g2" in gates else {}),
        "mean_cost_gate3_usd": means["mean_cost_reviewers_usd"],
        "gate_tests_total": sums["gate_tests_total"],
        "gate_tests_fail_final": sums["gate_tests_fail_final"],
        "mean_wall_s": means["mean_wall_s"],
        "mean_turns": means["mean_turns"],
        "blocks_per_run": means["blocks_per_run"],
        "blocks_by_gate": blocks,
        "right_blocks": right,
        "false_blocks": false,
        "false_block_rate": {gate: _share(false[gate], right[gate]) for gate in gates},
        "give_ups": sums["give_ups"],
        "ended_blocked": sums["ended_blocked"],
        "reviewer_findings": sums["reviewer_findings"],
        "reviewer_errors": sums["reviewer_errors"],
        "model_ok": _all(by_key["model_ok"]),
        "missed_reqs": sorted(missed_reqs),
    }
    unknown = Counter[str]()
    for key, column in by_key.items():
        if key in _OPTIONAL:
            continue
        unknown[key.partition(".")[0]] = max(unknown[key.partition(".")[0]], column.count(None))
    return Columns(figures, {key: n for key, n in unknown.items() if n})


def _oracle(score: Score) -> tuple[int, int] | None:
    """Requirements passed and judged at the end; None when the oracle did not judge."""
    if score.hidden_pass is None or score.hidden_fail is None:
        return None
    judged = score.hidden_pass + score.hidden_fail
    return (score.hidden_pass, judged) if judged else None


def worker_cost(score: Score) -> float | None:
    """The original harness writes 0 where the client never told the cost."""
    return score.cost_worker_usd if score.cost_worker_usd or score.has_result_line else None


def _gate_tests(value: int | None, score: Score) -> int | None:
    """Null is unknown only where the writer left a file; without a file there are no such tests."""
    return 0 if value is None and not score.testwriter_ok else value


_PLAIN = attrgetter(
    "cost_reviewers_usd", "cost_testwriter_usd", "wall_s", "turns", "blocks_total", "give_up", "ended_blocked",
    "reviewer_findings_total", "reviewer_errors", "cost_ui_reviewer_usd",
)  # fmt: skip
KEYS = (
    "hidden_reqs_passed", "hidden_reqs_total", "runs_fully_passing", "suite_green_runs", "mean_cost_total_usd",
    "mean_cost_worker_usd",
    "mean_cost_reviewers_usd", "mean_cost_testwriter_usd", "mean_wall_s", "mean_turns", "blocks_per_run",
    "give_ups", "ended_blocked", "reviewer_findings", "reviewer_errors",
    "mean_cost_gate2_usd", "gate_tests_total", "gate_tests_fail_final", "model_ok", "missed_reqs",
    *(f"{key}.{gate}" for key in ("blocks_by_gate", "right_blocks", "false_blocks") for gate in GATES),
)  # fmt: skip
"""What `values` are: key of a column (of a column by gate: with the gate)."""
_ALWAYS = ("g1", "g3")
"""Gates that every score names. Where a score does not name another one, the run did not have it."""
_OPTIONAL = frozenset(
    key for key in KEYS if key == "mean_cost_gate2_usd" or key.partition(".")[2] not in ("", *_ALWAYS)
)
"""Columns in which None is no value that is missing."""
_MEANS = {
    "mean_cost_total_usd": 4,
    "mean_cost_worker_usd": 4,
    "mean_cost_reviewers_usd": 4,
    "mean_cost_testwriter_usd": 4,
    "mean_cost_gate2_usd": 4,
    "mean_wall_s": 4,
    "mean_turns": 4,
    "blocks_per_run": 3,
}
"""Columns that are means, and to how many digits they are rounded."""
_SUMS = (
    "runs_fully_passing", "suite_green_runs", "gate_tests_total", "gate_tests_fail_final", "give_ups",
    "ended_blocked", "reviewer_findings", "reviewer_errors",
)  # fmt: skip


def _known(values: Sequence[Value]) -> Sequence[int | float]:
    return [value for value in values if value is not None] if None in values else values  # type: ignore[return-value]


def _sum(values: Sequence[Value]) -> int | None:
    known = _known(values)
    return int(sum(known)) if known or not values else None


def _mean(values: Sequence[Value], digits: int) -> float | None:
    known = _known(values)
    return round(fsum(known) / len(known), digits) if known else None


def _all(values: Sequence[Value]) -> bool | None:
    known = _known(values)
    return all(known) if known else None


def _rate(part: int | None, whole: int | None, digits: int) -> float | None:
    return None if part is None or not whole else round(part / whole, digits)


def _share(part: int | None, rest: int | None) -> float | None:
    return None if part is None or rest is None else _rate(part, part + rest, 3)
