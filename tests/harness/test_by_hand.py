"""One call by hand: the writer, a pair of reviewers, a gated work copy."""

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from gating import DOUBLE, make_bench

from gatecore.harness.bench import Bench
from gatecore.ledger.reader import read_run

FINDING = {"severity": "blocking", "file": "calc.py", "line": 5, "text": "no check"}


def gatecore(bench: Bench, *args: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "gatecore", *args]
    return subprocess.run(command, cwd=bench.root, capture_output=True, text=True, check=False)


def play(bench: Bench, **scenarios: object) -> None:
    (bench.root / "scripted" / "scenarios.json").write_text(json.dumps(scenarios))


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return make_bench(tmp_path)


def test_the_writer_by_hand_prints_its_record_and_keeps_what_was_there(bench: Bench) -> None:
    first = gatecore(bench, "write-tests", "T1")
    assert first.returncode == 0, first.stderr
    record = json.loads(first.stdout)
    assert (record["ok"], record["on_base"]) == (True, {"test_T1.py::test_doubles": "failed"})
    assert Path(record["file"]) == bench.validation("T1") / "gate_tests" / "test_T1.py"
    assert record == json.loads((bench.validation("T1") / "testwriter.json").read_bytes())

    play(bench, none={"writer": "empty"})
    second = gatecore(bench, "write-tests", "T1")
    assert second.returncode == 1
    assert json.loads(second.stdout)["error"] == "no test of it is collected on the base tree"
    assert not (bench.validation("T1") / "gate_tests" / "test_T1.py").exists()
    assert (bench.root / "validation" / "T1-old1" / "gate_tests" / "test_T1.py").is_file()
    assert [path.name for path in (bench.root / ".gatecore").glob("by-hand-*")] == []


@pytest.mark.parametrize(
    ("variant", "answers", "verdict", "code"),
    [
        ("indep", {"B": {"approve": False, "findings": [FINDING]}}, "fail", 0),
        ("indep", {"A": {"error": "nojson"}}, "not_judged", 1),
        (
            "adv",
            {
                "A": {"approve": False, "findings": [FINDING]},
                "B": {
                    "verdicts": [{"id": 1, "verdict": "rejected", "reason": "not asked for"}],
                    "added_findings": [],
                    "approve": True,
                },
            },
            "pass",
            0,
        ),
    ],
)
def test_a_pair_of_reviewers_by_hand(
    bench: Bench, tmp_path: Path, variant: str, answers: dict[str, object], verdict: str, code: int
) -> None:
    work = tmp_path / "mine"
    subprocess.run(["git", "clone", "-q", str(bench.upstream), str(work)], check=True)
    with (work / "calc.py").open("a") as file:
        file.write(DOUBLE)
    play(bench, mine={"reviews": {"1": answers}})
    done = gatecore(bench, "review", str(work), "T1", "--variant", variant)
    assert done.returncode == code, done.stderr
    record = json.loads(done.stdout)
    assert (record["verdict"], record["variant"], record["ran"]) == (verdict, variant, True)
    assert record["diff_chars"] > 100
    assert [reviewer["id"] for reviewer in record["reviewers"]] == ["A", "B"]
    assert not bench.runs.exists()


def test_a_session_by_hand_is_gated_and_reuses_the_tests_of_an_earlier_run(bench: Bench) -> None:
    play(bench, **{"T1-g13-r1-hand": {"attempts": [None]}, "T1-g13-r2-hand": {"attempts": [None, None]}})
    written = gatecore(bench, "prep", "T1")
    assert written.returncode == 0, written.stderr
    first = bench.runs / "T1-g13-r1-hand"
    assert json.loads((first / "testwriter.json").read_bytes())["attempts"]

    done = gatecore(bench, "prep", "T1")
    lines = done.stdout.splitlines()
    run = bench.runs / "T1-g13-r2-hand"
    record = json.loads((run / "testwriter.json").read_bytes())
    assert record["reused"] == str(first / "gate_tests" / "test_T1.py")
    assert (record["attempts"], record["cost_usd"], record["ok"]) == ([], 0, True)
    assert lines[:3] == [
        f"folder:   {bench.work(run.name)}",
        f"settings: {run / 'settings.json'}",
        f"ledger:   {run / 'gate.jsonl'}",
    ]
    assert lines[4:] == [
        "request:",
        "",
        "add double(n) to calc",
        "",
        "When you are done, stop and summarise what you changed.",
    ]

    start = lines[3].removeprefix("start:    ")
    assert shlex.split(start)[:2] == ["cd", str(bench.work(run.name))]
    played = f"{start} -p --output-format stream-json --verbose < {shlex.quote(str(run / 'task.md'))}"
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("GATECORE_")}
    session = subprocess.run(
        ["/bin/sh", "-c", played], capture_output=True, text=True, env=inherited, check=False
    )
    assert session.returncode == 0, session.stderr
    ledger = read_run(run)
    assert ledger.tag == "hand"
    assert {entry.stop.decision for entry in ledger.entries} == {"block", "give_up"}
    assert "Stop hook feedback" in session.stdout


def test_a_session_without_a_gate_has_no_settings(bench: Bench) -> None:
    done = gatecore(bench, "prep", "T1", "--config", "bare")
    assert "settings: none, the config has no gate" in done.stdout
    assert "--settings" not in done.stdout


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["write-tests", "T9"], "no task 'T9'"),
        (["review", "upstream", "T9"], "no task 'T9'"),
        (["review", "nowhere", "T1"], "nowhere: no such folder"),
        (["prep", "T1", "--config", "g9"], "no config 'g9'"),
    ],
)
def test_wrong_use_is_told(bench: Bench, args: list[str], words: str) -> None:
    done = gatecore(bench, *args)
    assert (done.returncode, done.stdout) == (2, "")
    assert words in done.stderr
