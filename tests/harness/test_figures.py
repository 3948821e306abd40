"""The original harness's figures, added up here from score.json by nothing but its definitions."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

SAMPLE_RUNS = Path(__file__).parents[2] / "sample_runs"
Score = dict[str, Any]


def by_hand(scores: list[Score]) -> dict[str, Any]:
    """The columns of one config. A value that is null is unknown: it is left out, and not counted as 0."""

    def known(key: str) -> list[Any]:
        return [score[key] for score in scores if score[key] is not None]

    def mean(key: str, digits: int = 4) -> float | None:
        return round(sum(known(key)) / len(known(key)), digits) if known(key) else None

    judged = [s for s in scores if s["hidden_pass"] is not None and s["hidden_pass"] + s["hidden_fail"] > 0]
    met = sum(s["hidden_pass"] for s in judged)
    asked = met + sum(s["hidden_fail"] for s in judged)
    suites = [s for s in scores if s["suite_fail"] is not None]
    gates: dict[str, dict[str, int]] = {
        key: {gate: sum(s[f"{key}_by_gate"][gate] for s in scores) for gate in ("g1", "g3")}
        for key in ("blocks", "right_blocks", "false_blocks")
    }
    blocks = {gate: gates["right_blocks"][gate] + gates["false_blocks"][gate] for gate in ("g1", "g3")}
    models = known("model_ok")
    return {
        "runs": len(scores),
        "hidden_reqs_passed": met,
        "hidden_reqs_total": asked,
        "hidden_rate": round(met / asked, 4),
        "runs_fully_passing": sum(s["hidden_fail"] == 0 for s in judged),
        "suite_green_runs": sum(s["suite_fail"] == 0 and s["suite_pass"] != 0 for s in suites),
        "mean_cost_total_usd": mean("cost_total_usd"),
        "mean_cost_worker_usd": mean("cost_worker_usd"),
        "mean_cost_reviewers_usd": mean("cost_reviewers_usd"),
        "mean_cost_testwriter_usd": mean("cost_testwriter_usd"),
        "mean_cost_gate1_usd": mean("cost_testwriter_usd"),
        "mean_cost_gate3_usd": mean("cost_reviewers_usd"),
        "gate_tests_total": sum(known("gate_tests_total")),
        "gate_tests_fail_final": sum(known("gate_tests_fail_final")),
        "mean_wall_s": mean("wall_s"),
        "mean_turns": mean("turns"),
        "blocks_per_run": mean("blocks_total", 3),
        "blocks_by_gate": gates["blocks"],
        "right_blocks": gates["right_blocks"],
        "false_blocks": gates["false_blocks"],
        "false_block_rate": {
            gate: round(gates["false_blocks"][gate] / count, 3) if count else None
            for gate, count in blocks.items()
        },
        "give_ups": sum(known("give_up")),
        "ended_blocked": sum(known("ended_blocked")),
        "reviewer_findings": sum(known("reviewer_findings_total")),
        "reviewer_errors": sum(known("reviewer_errors")),
        "model_ok": all(models) if models else None,
        "missed_reqs": sorted({f"{s['task']}:{req}" for s in scores for req in s["failed_reqs"]}),
    }


def added_up(runs: Path) -> dict[str, dict[str, Any]]:
    """The columns by config over a runs folder in which every run counts."""
    scores = [json.loads(path.read_bytes()) for path in sorted(runs.glob("*/score.json"))]
    assert len(scores) >= 9
    by_cfg: dict[str, list[Score]] = {}
    for score in scores:
        assert score["invalid"] is None
        by_cfg.setdefault(score["cfg"], []).append(score)
    return {cfg: by_hand(some) for cfg, some in by_cfg.items()}


def check(runs: Path, expected: dict[str, dict[str, Any]]) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "gatecore", "analyze", str(runs)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == [str(runs.parent / name) for name in ("results.json", "results.md")]
    found = json.loads((runs.parent / "results.json").read_bytes())["by_cfg"]
    assert found.keys() == expected.keys()
    for cfg, columns in expected.items():
        assert {key: found[cfg][key] for key in columns} == columns, cfg
    table = (runs.parent / "results.md").read_text(encoding="utf-8")
    assert [line for line in table.splitlines() if line.startswith("| g13 |")]


def test_analyze_finds_what_adding_up_finds(runs: Path, played: dict[str, list[str]]) -> None:
    expected = added_up(runs)
    assert sum(columns["runs"] for columns in expected.values()) == len(played)
    assert (expected["g3"]["reviewer_errors"], expected["g13"]["give_ups"]) == (2, 1)
    check(runs, expected)


def test_what_is_not_known_is_left_out_of_means_and_not_counted_as_0(runs: Path, tmp_path: Path) -> None:
    for path in runs.glob("*/score.json"):
        score = json.loads(path.read_bytes())
        if score["run"] == "T3-g13-r1":
            score |= dict.fromkeys(("cost_worker_usd", "cost_total_usd", "wall_s", "turns", "suite_fail"))
            score |= dict.fromkeys(("hidden_pass", "hidden_fail"))
        copy = tmp_path / "runs" / path.parent.name / "score.json"
        copy.parent.mkdir(parents=True)
        copy.write_text(json.dumps(score))
    expected = added_up(tmp_path / "runs")
    assert expected["g13"]["hidden_reqs_total"] == 5
    check(tmp_path / "runs", expected)


def test_the_same_on_the_committed_runs(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    runs.mkdir()
    for path in SAMPLE_RUNS.glob("*/score.json"):
        (runs / path.parent.name).symlink_to(path.parent)
    if not any(runs.iterdir()):
        pytest.skip(f"{SAMPLE_RUNS} holds no runs")
    check(runs, added_up(runs))


def test_runs_that_are_not_in_the_figures_are_named(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    for name, score in {
        "T1-bare-r1": {"hidden_pass": 5, "hidden_fail": 0},
        "T2-g1-r2": {"hidden_pass": 4, "hidden_fail": 1, "is_error": False},
        "T2-bare-r1": {"invalid": "usage limit: come back later"},
        "T1-g1-r1-trial": {"hidden_pass": 5, "hidden_fail": 0},
    }.items():
        (runs / name).mkdir(parents=True)
        (runs / name / "score.json").write_text(json.dumps(score))
    command = [sys.executable, "-m", "gatecore", "analyze", str(runs)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "T2-bare-r1: left out: invalid, ended by an outage: usage limit: come back later" in done.stderr
    assert "T1-g1-r1-trial: left out: tagged: trial" in done.stderr
    missing = [line.split()[1] for line in done.stderr.splitlines() if line.endswith(": missing")]
    assert missing == [f"{name}:" for name in (
        "T1-bare-r2", "T1-g1-r1", "T1-g1-r2", "T2-bare-r2", "T2-g1-r1",
    )]  # fmt: skip
