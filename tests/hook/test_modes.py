"""Modes of a gate: block, advise (its findings go along, it never blocks), observe (counted, and not heard of)."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from gating import ACCEPTANCE, DOUBLE, Gated, answer, answering, gated, make_bench

from gatecore.harness.bench import Bench
from gatecore.ledger.classes import gate_verdict
from gatecore.ledger.reader import read_run

CONFIGS = {
    f"{behaviour}{review}": {"gate1": {"mode": behaviour}, "gate3": {"mode": review}}
    for behaviour, review in [
        ("block", "block"),
        ("block", "advise"),
        ("block", "observe"),
        ("advise", "block"),
        ("observe", "block"),
    ]
}
SUITE, REVIEW = "The repository's own test suite fails", "The review of this change found"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Gated]:
    """Make a run whose suite is red or green, and a stop in it that the reviewers approve or not."""
    root = tmp_path_factory.mktemp("modes")
    files = {"configs.json": json.dumps(CONFIGS), "tasks/T2.md": "tidy up\n"}
    bench = make_bench(root, **answering(root), **files)
    answer(bench, "writer", file=ACCEPTANCE)
    answer(bench, "B", approve=True, findings=[])
    gates: dict[str, Gated] = {}

    def stop(cfg: str, *, suite_red: bool, review_red: bool) -> Gated:
        if cfg not in gates:
            gates[cfg] = gated(bench, cfg, "T2")
        _review(bench, red=review_red)
        body = "a - b" if suite_red else "a + b"
        (gates[cfg].work / "calc.py").write_text(
            f"def add(a, b):\n    return {body}\n{DOUBLE}\n# {review_red}\n"
        )
        gates[cfg].stop()
        return gates[cfg]

    return stop


def _review(bench: Bench, *, red: bool) -> None:
    finding = {"severity": "blocking", "file": "calc.py", "line": 2, "text": "is wrong " * 200}
    answer(bench, "A", approve=not red, findings=[finding] if red else [])


@pytest.mark.parametrize(
    ("cfg", "red", "blocked_by", "told", "verdicts"),
    [
        ("blockblock", (True, True), "g1", {SUITE}, ("fail", None)),
        ("blockblock", (False, True), "g3", {REVIEW}, ("pass", "fail")),
        ("blockadvise", (True, True), "g1", {SUITE, REVIEW}, ("fail", "fail")),
        ("blockadvise", (False, True), None, set(), ("pass", "fail")),
        ("blockobserve", (True, True), "g1", {SUITE}, ("fail", "fail")),
        ("adviseblock", (True, True), "g3", {SUITE, REVIEW}, ("fail", "fail")),
        ("adviseblock", (True, False), None, set(), ("fail", "pass")),
        ("observeblock", (True, True), "g3", {REVIEW}, ("fail", "fail")),
        ("observeblock", (True, False), None, {SUITE}, ("fail", "pass")),  # not told, but on record
    ],
)
def test_what_blocks_and_what_is_told(
    run: Callable[..., Gated],
    cfg: str,
    red: tuple[bool, bool],
    blocked_by: str | None,
    told: set[str],
    verdicts: tuple[str | None, str | None],
) -> None:
    gate = run(cfg, suite_red=red[0], review_red=red[1])
    record: dict[str, Any] = gate.last()
    assert (record["decision"], record["blocked_by"]) == ("block" if blocked_by else "allow", blocked_by)
    assert {head for head in (SUITE, REVIEW) if head in record["reason"]} == told
    assert len(record["reason"]) <= 1500
    stop = read_run(gate.run).entries[-1].stop
    assert (gate_verdict(stop, "g1"), gate_verdict(stop, "g3")) == verdicts
