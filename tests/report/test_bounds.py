"""Bounds, what a strict report refuses, and JUnit XML."""

from pathlib import Path
from typing import Any
from xml.etree import ElementTree as Xml

import pytest
from synthetic_runs import write_run

from gateview.report.bounds import BoundError, parse
from gateview.report.command import Wanted, print_report
from gateview.store.gather import gather

RED, GREEN = {"pass": 2, "fail": 3, "failed_reqs": ["a", "b", "c"]}, {"pass": 5, "fail": 0}
SCORE = {
    "hidden_pass": 4,
    "hidden_fail": 1,
    "failed_reqs": ["test_req5"],
    "has_result_line": True,
    "cost_worker_usd": 0.2,
    "cost_total_usd": 0.25,
    "wall_s": 60,
}
REVIEW = {"ran": True, "pass": False, "reviewers": [{"error": "529"}, {"cost_usd": 0.5}]}


def stop(n: int, hidden: Any, **fields: Any) -> dict[str, Any]:
    gate1 = {"ran": True, "pass": False}
    return {"n": n, "decision": "block", "blocked_by": "g1", "hidden": hidden, "gate1": gate1} | fields


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    ledger = [stop(1, RED), stop(2, RED), stop(3, RED), stop(4, GREEN)]
    write_run(tmp_path / "runs" / "T1-g1-r1", ledger=ledger, score=SCORE, testwriter={"cost_usd": 0.3})
    review = stop(1, RED, blocked_by="g3", gate1={"ran": False}, gate3=REVIEW)
    write_run(tmp_path / "runs" / "T1-g3-r1", ledger=[review], score=SCORE)
    return tmp_path / "runs"


@pytest.mark.parametrize(
    ("bound", "hit"),
    [
        ("false_rate(g1) > 0.2", True),
        ("false_rate(g1) > 25%", False),
        ("false_rate(g1) >= 25%", True),
        (" precision( g1 )<.8 ", True),
        ("sensitivity(g1) < 1", False),
        ("missed_rate(g1) > 0", False),
        ("specificity(g1) == 0", True),
        ("not_judged(g1) > 0", False),
        ("cost_per_right(g1) > 0.05", True),
        ("cost_per_right(g1) != 0.1", False),
        ("cost_per_right(g3) > 0.4", True),  # at least 0.50
        ("cost_per_right(g3) > 0.6", None),  # it may be more
        ("cost_per_right(g3) < 0.4", False),
        ("cost_per_right(g3) < 0.6", None),
        ("cost_per_right(g3) == 0.5", None),
        ("minutes_per_right(g1) > 1", None),  # wall_s is not there
        ("missed_rate(g3) > 0.5", False),
        ("specificity(g3) < 0.5", None),  # 0/0
        ("precision(suite) < 0.5", None),  # it did not run
        ("requirements(g1) < 0.9", True),
        ("clean_runs(g1) > 0", False),
        ("cost(g1) > 0.2", True),
        ("seconds(g1) > 60", False),
        ("left_out > 0", False),
        ("unreadable > 0", False),
        ("killed > 0", False),
        ("blocks_per_stop > 0.9", True),
        ("hunted > 0", None),  # the original harness does not look
        ("alarms > 0", False),
    ],
)
def test_a_bound_is_hit_or_holds_or_cannot_be_told(folder: Path, bound: str, hit: bool | None) -> None:
    verdict = parse(bound).judge(gather([folder]).results())
    assert verdict.hit is hit, verdict.said
    assert verdict.said.startswith(f"{bound.strip()}: ")


@pytest.mark.parametrize(
    ("bound", "why"),
    [
        ("", "write FIGURE(GATE) > NUMBER"),
        ("precision(g1) > x", "write FIGURE(GATE) > NUMBER"),
        ("precision(g1) > 1; left_out > 0", "write FIGURE(GATE) > NUMBER"),
        ("__import__('os') > 0", "there is no figure __import__"),
        ("precision(g1).x > 0", "write FIGURE(GATE) > NUMBER"),
        ("beauty(g1) > 0", "there is no figure beauty; figures of a gate: precision, false_rate"),
        ("precision > 0", "precision is of a gate: precision(g1); gates are g1, g2, g3, suite, acceptance"),
        ("precision(g9) > 0", "gates are g1, g2, g3"),
        ("cost > 0", "cost is of a config: cost(g1)"),
        ("left_out(g1) > 0", "left_out is of all runs: leave out (g1)"),
    ],
)
def test_a_bound_that_says_nothing_is_refused(bound: str, why: str) -> None:
    with pytest.raises(BoundError) as caught:
        parse(bound)
    assert why in str(caught.value)


def test_a_config_that_is_not_there(folder: Path) -> None:
    with pytest.raises(BoundError, match="there is no config g7; there are g1, g3"):
        parse("cost(g7) > 0").judge(gather([folder]).results())


@pytest.mark.parametrize(
    ("bounds", "code", "said"),
    [
        (["false_rate(g1) > 0.3", "left_out > 0"], 0, []),
        (["false_rate(g1) > 0.2"], 1, ["false_rate(g1) > 0.2: false_rate(g1) is 0.25; refused"]),
        (
            ["specificity(g3) < 0.5", "killed > 0"],
            1,
            ["specificity(g3) < 0.5: specificity(g3) is not known; cannot be told, so it is refused"],
        ),
        (["nonsense"], 2, ["nonsense: write FIGURE(GATE) > NUMBER, as in false_rate(g1) > 0.2"]),
        (["cost(g7) > 0"], 2, ["cost(g7) > 0: there is no config g7"]),
    ],
)
def test_bounds_decide_the_exit_code(
    folder: Path, bounds: list[str], code: int, said: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert print_report([folder], "table", Wanted(bounds=bounds)) == code
    out, err = capsys.readouterr()
    assert (out == "") == (code == 2)
    lines = err.splitlines()
    assert len(lines) == len(said)
    for line, text in zip(lines, said, strict=True):
        assert line.startswith(f"gateview report: {text}")


def damaged(folder: Path, what: str) -> None:
    run = folder / "T1-g1-r1"
    match what:
        case "unreadable: 1 lines":
            (run / "gate.jsonl").write_bytes(b"{torn\n" * 4)
            (run / "score.json").write_text('{"hook_calls": 4}')
            (run / "gate.jsonl").write_bytes(b"{torn\n")
            (run / "score.json").write_text('{"hook_calls": 1}')
        case "left out, unscored: 1 (T1-g1-r1)":
            (run / "score.json").unlink()
        case "left out, invalid: 1 (T1-g1-r1)":
            (run / "score.json").write_text('{"invalid": "usage limit"}')
        case "planned and not there: 1 (T9-g1-r1)":
            line = '{"event": "planned", "cells": [{"run": "T9-g1-r1"}]}\n'
            (folder / "matrix.jsonl").write_text(line)
        case "hook killed: 1 (T1-g1-r1)":
            (run / "snap-7.diff").touch()
        case "gate broke: 1 (T1-g1-r1)":
            with (run / "gate.jsonl").open("a") as file:
                file.write('{"n": 5, "decision": "error"}\n')
        case "decision unknown: 1 (T1-g1-r1)":
            with (run / "gate.jsonl").open("a") as file:
                file.write('{"n": 5, "decision": "defer"}\n')
        case "alarm: 1 (T1-g1-r1)":
            (run / "score.json").write_text('{"hook_calls": 9}')


@pytest.mark.parametrize(
    "what",
    [
        "unreadable: 1 lines",
        "left out, unscored: 1 (T1-g1-r1)",
        "left out, invalid: 1 (T1-g1-r1)",
        "planned and not there: 1 (T9-g1-r1)",
        "hook killed: 1 (T1-g1-r1)",
        "gate broke: 1 (T1-g1-r1)",
        "decision unknown: 1 (T1-g1-r1)",
        "alarm: 1 (T1-g1-r1)",
    ],
)
def test_strict_refuses_what_the_tables_are_silent_about(
    folder: Path, what: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert print_report([folder], "table", Wanted(strict=True)) == 0
    damaged(folder, what)
    assert print_report([folder], "table", Wanted(strict=True)) == 1
    assert capsys.readouterr().err == f"gateview report: strict: {what}\n"
    assert print_report([folder], "table") == 0


def test_tagged_runs_are_left_out_on_purpose(folder: Path) -> None:
    write_run(folder / "T1-g1-r2-trial", score=SCORE)
    assert print_report([folder], "table", Wanted(strict=True)) == 0


def test_junit(folder: Path, tmp_path: Path) -> None:
    write_run(folder / "T1-g1-r2", score=SCORE | {"failed_reqs": ["\x01<evil>\x1b"]})
    write_run(folder / "T1-g1-r3-trial", score=SCORE)
    write_run(folder / "T2-g1-r1", ledger=[b"{torn"])
    write_run(folder / "T1-bare-r1", score=SCORE)
    wanted = Wanted(
        "gate", strict=True, bounds=["false_rate(g1) > 0.2", "killed > 0"], junit=tmp_path / "j.xml"
    )
    assert print_report([folder], "table", wanted) == 1
    root = Xml.parse(tmp_path / "j.xml").getroot()
    suites = {suite.get("name"): suite for suite in root}
    assert {name: suite.get("failures") for name, suite in suites.items()} == {
        "bare": "0", "g1": "2", "g3": "1", "left out": "0", "strict": "3", "bounds": "1",
    }  # fmt: skip
    assert suites["left out"].get("skipped") == "2"
    ungated = suites["bare"].find("testcase/skipped")
    assert ungated is not None
    assert ungated.get("message") == "no gate judged this config; requirements not met: test_req5"
    runs = {case.get("name"): case for case in suites["g1"]}
    assert runs["T1-g1-r1"].get("time") == "60"
    failure = runs["T1-g1-r1"].find("failure")
    assert failure is not None
    assert failure.get("message") == "requirements not met: test_req5"
    bounds = {case.get("name"): case.find("failure") is not None for case in suites["bounds"]}
    assert bounds == {"false_rate(g1) > 0.2": True, "killed > 0": False}
    assert print_report([folder], "table", Wanted(junit=tmp_path / "absent" / "j.xml")) == 2
