"""Acceptance tests for a request: on command, or in the background when they were asked for at installation."""

import json
from pathlib import Path

import pytest
from daily import DOUBLE, FILES, Daily
from gating import ACCEPTANCE, until


@pytest.fixture
def writing(daily: Daily, tmp_path: Path) -> Daily:
    """A client on PATH that answers with acceptance tests and keeps what it was asked."""
    answer = {
        "type": "result", "is_error": False, "subtype": "success", "structured_output": {"file": ACCEPTANCE},
        "total_cost_usd": 0.25, "num_turns": 2, "modelUsage": {"m": {}},
    }  # fmt: skip
    (tmp_path / "answer").write_text(json.dumps(answer))
    claude = tmp_path / "bin" / "claude"
    claude.parent.mkdir()
    claude.write_text(f'#!/bin/sh\ncat >>"{tmp_path}/asked"\nexec cat "{tmp_path}/answer"\n')
    claude.chmod(0o755)
    daily.env["PATH"] = f"{claude.parent}:{daily.env['PATH']}"
    return daily


def test_on_command_for_the_request_that_is_under_way(writing: Daily, tmp_path: Path) -> None:
    writing.install("--mode", "block")
    assert "no request was seen" in writing.gatecore("write-tests", code=2)
    writing.prompt("p1", prompt="add double(n) to calc")
    assert json.loads(writing.gatecore("write-tests"))["ok"]
    assert "add double(n) to calc" in (tmp_path / "asked").read_text()
    assert writing.stop("p1") is not None, "nothing was done, and the request has tests"
    writing.write("calc.py", FILES["calc.py"] + "\n\ndef double(n):\n    return n * 3\n")
    reason = writing.stop("p1")
    assert reason is not None
    assert "test_doubles" in reason
    writing.write("calc.py", FILES["calc.py"] + DOUBLE)
    assert writing.stop("p1") is None
    gate = writing.last()["gate1"]
    assert (gate["suite"], gate["acceptance"], gate["pass"]) == ("pass", "pass", True)
    writing.prompt("p2")
    assert writing.stop("p2") is None
    assert "nothing was changed" in writing.last()["skipped"], "the tests are of the request before"


def test_in_the_background_at_each_prompt(writing: Daily) -> None:
    writing.install("--writer")
    for i in range(1, 3):
        writing.prompt(f"p{i}")
        written = writing.runs()[-1] / "testwriter.json"
        until(
            lambda file=written, n=i: file.exists() and json.loads(file.read_text())["cost_usd"] == n * 0.25
        )
    writing.write("calc.py", FILES["calc.py"] + "\n\ndef double(n):\n    return n * 3\n")
    assert writing.stop("p2") is None
    assert writing.last()["gate1"]["gate_tests_failed"] == ["test_doubles"]
    assert writing.status() == " M calc.py\n"


def test_it_is_for_python_only_and_says_so(writing: Daily) -> None:
    writing.install("--suite", 'printf "<testsuite><testcase name=\'a\'/></testsuite>" >"$GATECORE_JUNIT"')
    writing.prompt()
    assert "pytest only" in writing.gatecore("write-tests", code=2)
