"""Somebody else's bench from end to end, against the ledgers that the original harness wrote on it."""

import json
import subprocess
import sys
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from notedb import lay_out

pytestmark = pytest.mark.shared

TASKS = ("T1", "T3", "T5")
CONFIGS = ("bare", "g1", "g3", "g13", "g13adv")
NAMES = tuple(f"{task}-{cfg}-r{rep}" for task, cfg, rep in product(TASKS, CONFIGS, (1, 2)))


class Said(NamedTuple):
    """What was said at a stop: the decision, the oracle's unmet requirements, each gate's pass or fail."""

    decision: str
    blocked_by: str | None
    unmet: int
    gate1: bool | None
    gate3: bool | None


DIFFERENT: dict[tuple[str, int], tuple[dict[str, Any], str]] = {
    ("T5-g3-r1", 1): ({"gate3": None}, "T5-g3-r2: an errored reviewer counted as an approval"),
    ("T5-g3-r2", 1): ({"gate3": None}, "T5-g3-r2: two errored reviewers counted as a pass of gate 3"),
}
"""Run and stop -> what is different here, and the fault of the original that makes the difference.

No decision is different: both of these stops are let go, here without being called reviewed.
"""


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory, shared: Path) -> Path:
    root = lay_out(shared, tmp_path_factory.mktemp("notedb") / "bench")
    (root / "hidden" / "guards.json").write_text('{"T5": ["test_req3"]}')
    return root


@pytest.fixture(scope="module")
def runs(bench: Path) -> Path:
    """The runs folder after the matrix."""
    done = gatecore(bench, "matrix", "--tasks", ",".join(TASKS), "--jobs", "2")
    assert done.returncode == 0, done.stderr
    return bench / "runs"


def gatecore(bench: Path, *args: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "gatecore", *args]
    return subprocess.run(command, cwd=bench, capture_output=True, text=True, check=False)


def said(run: Path) -> dict[int, Said]:
    """What was said at each stop of a run of either harness."""
    ledger = run / "gate.jsonl"
    records = [json.loads(line) for line in ledger.read_bytes().splitlines()] if ledger.exists() else []
    return {
        record["n"]: Said(
            record["decision"],
            record["blocked_by"],
            record["hidden"]["fail"],
            record["gate1"].get("pass"),
            record["gate3"].get("pass"),
        )
        for record in records
    }


def test_the_bench_is_right(bench: Path) -> None:
    done = gatecore(bench, "validate")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "OK    oracle T5: fails on upstream: 4 requirements fail; guards: test_req3" in done.stdout


def test_every_stop_is_decided_as_the_original_decided_it(runs: Path, shared: Path) -> None:
    theirs = shared / "ledgers/gate-bench/runs"
    expected = {name: said(theirs / name) for name in NAMES}
    assert sum(map(len, expected.values())) == 43
    for (name, n), (fields, _) in DIFFERENT.items():
        assert expected[name][n] != expected[name][n]._replace(**fields)
        expected[name][n] = expected[name][n]._replace(**fields)
    assert {name: said(runs / name) for name in NAMES} == expected


def test_scores_agree_with_the_originals_but_for_what_it_did_not_know(runs: Path, shared: Path) -> None:
    keys = (
        "hidden_pass", "hidden_fail", "failed_reqs", "suite_pass", "suite_fail", "hook_calls", "blocks_total",
        "blocks_by_gate", "right_blocks_by_gate", "false_blocks_by_gate", "give_up", "ended_blocked",
        "testwriter_ok", "gate_tests_total", "gate_tests_fail_final", "reviewer_findings_total",
        "reviewer_errors", "has_result_line",
    )  # fmt: skip
    for name in NAMES:
        theirs = json.loads((shared / "ledgers/gate-bench/runs" / name / "score.json").read_bytes())
        ours = json.loads((runs / name / "score.json").read_bytes())
        assert {key: ours[key] for key in keys} == {key: theirs[key] for key in keys}, name
        assert theirs.keys() <= ours.keys()


def test_scoring_again_changes_nothing(runs: Path) -> None:
    path = runs / "T5-g13-r2" / "score.json"
    before = path.read_bytes()
    done = gatecore(runs.parent, "score", str(path.parent))
    assert (done.returncode, done.stdout[:29]) == (0, "T5-g13-r2: 5/5 requirements, "), done.stderr
    assert path.read_bytes() == before


def test_analyze_writes_the_originals_tables(runs: Path, shared: Path) -> None:
    done = gatecore(runs.parent, "analyze")
    assert done.returncode == 0, done.stderr
    found = json.loads((runs.parent / "results.json").read_bytes())
    theirs = json.loads((shared / "ledgers/gate-bench/results.json").read_bytes())
    for cfg in CONFIGS:
        for key in ("hidden_reqs_passed", "runs_fully_passing", "right_blocks", "false_blocks", "give_ups"):
            assert found["by_cfg"][cfg][key] == theirs["by_cfg"][cfg][key]
    assert (runs.parent / "results.md").read_text(encoding="utf-8").startswith("# gate-bench results\n")


def test_a_second_matrix_has_nothing_to_do(runs: Path) -> None:
    done = gatecore(runs.parent, "matrix", "--tasks", ",".join(TASKS))
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr.splitlines() == ["0/0 0 of 30 cells to run, 3 at a time", "0/0 ended"]
