"""A matrix on the sample bench, from the plan to the scores, with every class of stop that the sample plays."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from gating import make_bench

from gatecore.ledger.classes import classed_stops, gate_class
from gatecore.ledger.reader import MatrixReader, read_run
from gatecore.ledger.run import Run


@pytest.fixture(scope="module")
def ledgers(runs: Path, played: dict[str, list[str]]) -> dict[str, Run]:
    return {name: read_run(runs / name) for name in played}


def test_every_stop_is_classed_as_the_scenario_means_it(
    ledgers: dict[str, Run], played: dict[str, list[str]]
) -> None:
    assert {name: [stop.kind for stop in classed_stops(run)] for name, run in ledgers.items()} == played
    for run in ledgers.values():
        assert run.losses == ()
        assert run.score is not None
        assert run.invalid is None
        assert run.activity.phase == "done"


def test_a_writer_that_fails_leaves_the_suite_alone_to_judge(ledgers: dict[str, Run]) -> None:
    run = ledgers["T3-g13-r1"]
    assert run.writer is not None
    assert run.writer.ok is False
    gate = run.entries[0].stop.gate1
    assert gate is not None
    assert (gate.gate_tests_present, gate.acceptance, gate.suite) == (False, None, "pass")


def test_reviewers_that_err_judge_nothing(ledgers: dict[str, Run]) -> None:
    stop = ledgers["T3-g3-r2"].entries[0].stop
    assert gate_class(stop, "g3") == "not_judged"
    assert stop.gate3 is not None
    assert [r.approve for r in stop.gate3.reviewers] == [None, None]
    score = ledgers["T3-g3-r2"].score
    assert score is not None
    assert score.reviewer_errors == 2


def test_a_worker_out_of_turns_after_a_block_ended_blocked(ledgers: dict[str, Run]) -> None:
    score = ledgers["T2-g1-r2"].score
    assert score is not None
    assert (score.ended_blocked, score.subtype, score.exit_code) == (True, "error_max_turns", "1")


def test_a_wrong_model_shows(ledgers: dict[str, Run]) -> None:
    score = ledgers["T2-bare-r2"].score
    assert score is not None
    assert score.model_ok is False


def test_costs_add_up(ledgers: dict[str, Run]) -> None:
    for name, run in ledgers.items():
        score = run.score
        assert score is not None
        parts = (score.cost_worker_usd, score.cost_reviewers_usd, score.cost_testwriter_usd)
        if None in parts:
            assert score.cost_total_usd is None, name
        else:
            assert score.cost_total_usd == pytest.approx(sum(p for p in parts if p is not None)), name


def test_a_snapshot_rebuilds_the_tree_that_was_judged(runs: Path, tmp_path: Path) -> None:
    upstream = runs.parent / "upstream"
    for entry in read_run(runs / "T3-g1-r2").entries:
        copy = tmp_path / f"copy-{entry.stop.n}"
        subprocess.run(["git", "clone", "-q", str(upstream), str(copy)], check=True)
        patch = runs / "T3-g1-r2" / f"snap-{entry.stop.n}.diff"
        subprocess.run(["git", "apply", "--index", "--whitespace=nowarn", str(patch)], cwd=copy, check=True)
        tree = subprocess.check_output(["git", "write-tree"], cwd=copy, text=True).strip()
        assert tree == entry.stop.tree


def test_no_path_of_the_bench_reaches_the_agent(runs: Path, ledgers: dict[str, Run]) -> None:
    told = [entry.stop.reason for run in ledgers.values() for entry in run.entries if entry.stop.reason]
    assert len(told) >= 10
    assert not [reason for reason in told if str(runs.parent) in reason or ".gatecore" in reason]


def test_the_plan_and_every_cell_are_in_matrix_jsonl(runs: Path, played: dict[str, list[str]]) -> None:
    events, _ = MatrixReader(runs).poll()
    assert events[0].event == "planned"
    assert {cell.run for cell in events[0].cells} == set(played)
    ended = {event.run: event.state for event in events if event.event == "cell_ended"}
    assert ended == dict.fromkeys(played, "scored")
    assert events[-1].event == "matrix_ended"


def test_a_second_pass_runs_nothing_again(runs: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in runs.glob("*/score.json")}
    command = [sys.executable, "-m", "gatecore", "matrix", "--list", "plan.txt"]
    subprocess.run(command, cwd=runs.parent, capture_output=True, check=True)
    assert {path: path.stat().st_mtime_ns for path in runs.glob("*/score.json")} == before


def test_scoring_again_gives_the_same_score(runs: Path) -> None:
    path = runs / "T3-g1-r2" / "score.json"
    before = json.loads(path.read_bytes())
    command = [sys.executable, "-m", "gatecore", "score", "runs/T3-g1-r2"]
    subprocess.run(command, cwd=runs.parent, capture_output=True, check=True)
    assert json.loads(path.read_bytes()) == before


def test_a_run_that_is_made_again_is_kept_under_another_name(tmp_path: Path) -> None:
    bench = make_bench(tmp_path, **{"scripted/scenarios.json": '{"T1-bare-r1": {"attempts": [null]}}'})
    command = [sys.executable, "-m", "gatecore", "run", "bare", "T1"]
    subprocess.run(command, cwd=bench.root, capture_output=True, check=True)
    first = (bench.runs / "T1-bare-r1" / "score.json").read_bytes()
    subprocess.run(command, cwd=bench.root, capture_output=True, check=True)
    assert (bench.runs / "T1-bare-r1-old1" / "score.json").read_bytes() == first
    assert read_run(bench.runs / "T1-bare-r1-old1").tag
    assert read_run(bench.runs / "T1-bare-r1").tag is None
