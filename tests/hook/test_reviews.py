"""Reviewers at a stop: what counts as an answer, and what each answer comes to."""

import json
import time
from pathlib import Path
from typing import Any

import pytest
from gating import DOUBLE, Gated, NewGate, answer, answering, gated, make_bench, raw_answer

from gatecore.gates.base import Stop
from gatecore.gates.review import ReviewGate
from gatecore.harness.bench import Bench
from gatecore.hook.config import from_dict
from gatecore.snapshot import Store

DEFECT = {"severity": "blocking", "file": "calc.py", "line": 2, "text": "wrong"}
SUCCESS = {"type": "result", "subtype": "success", "is_error": False, "total_cost_usd": 0.03, "num_turns": 3}


@pytest.fixture
def gate(new: NewGate) -> Gated:
    return new("g3", "T2")


@pytest.mark.parametrize(
    ("said", "error", "cost"),
    [
        (
            json.dumps({**SUCCESS, "result": "Looks good to me."}),
            "answered without the structured output",
            0.03,
        ),
        (
            json.dumps({**SUCCESS, "structured_output": {"approve": True}}),
            "the answer does not fit the schema",
            0.03,
        ),
        (json.dumps({**SUCCESS, "is_error": True, "terminal_reason": "api_error"}), "api_error", 0.03),
        ("I approve.", "no JSON result (exit code 0)", None),
        ("", "no JSON result (exit code 0)", None),
    ],
)
def test_what_is_no_answer_is_not_judged(
    gate: Gated, bench: Bench, said: str, error: str, cost: float | None
) -> None:
    raw_answer(bench, "B", said)
    assert gate.stop() is None
    review = gate.last()["gate3"]
    assert (review["verdict"], review["pass"], review["blocking_findings"]) == ("not_judged", None, 0)
    a, b = review["reviewers"]
    assert (a["approve"], b["approve"], b["cost_usd"]) == (True, None, cost)
    assert b["error"].startswith(error)
    assert review["why"].startswith(f"reviewer B: {error}")
    assert review["cost_usd"] == (None if cost is None else 0.04)


def test_what_one_reviewer_found_blocks_though_the_other_erred(gate: Gated, bench: Bench) -> None:
    answer(bench, "A", approve=False, findings=[DEFECT])
    raw_answer(bench, "B", "")
    assert gate.stop() is not None
    assert (gate.last()["gate3"]["verdict"], gate.last()["blocked_by"]) == ("fail", "g3")


def test_minor_findings_do_not_block_and_the_raw_word_is_kept(gate: Gated, bench: Bench) -> None:
    answer(bench, "A", approve=False, findings=[{**DEFECT, "severity": "minor"}])
    assert gate.stop() is None
    reviewer = gate.last()["gate3"]["reviewers"][0]
    assert (reviewer["approve"], reviewer["approve_raw"]) == (True, False)


@pytest.mark.parametrize(("verdict", "decision"), [("upheld", "block"), ("rejected", "allow")])
def test_a_challenger_is_given_the_findings_and_rules_on_them(
    new: NewGate, bench: Bench, verdict: str, decision: str
) -> None:
    gate = new("g13adv", "T2")
    gate.append("calc.py", DOUBLE)
    answer(bench, "A", approve=False, findings=[DEFECT])
    ruling = {"id": 1, "verdict": verdict, "reason": "see line 2"}
    answer(bench, "B", verdicts=[ruling], added_findings=[], approve=verdict == "rejected")
    gate.stop()
    assert "1. [blocking] calc.py:2 wrong" in gate.told("B")
    assert gate.last()["decision"] == decision
    a, b = gate.last()["gate3"]["reviewers"]
    assert (a["findings"][0]["challenge"], b["verdicts"]) == (verdict, [ruling])


def test_a_review_is_reused_on_an_unchanged_tree(gate: Gated, bench: Bench) -> None:
    answer(bench, "A", approve=False, findings=[DEFECT])
    first = gate.stop()
    raw_answer(bench, "A", "not asked again")
    assert gate.stop() == first
    assert (gate.last()["gate3"]["reused"], gate.last()["gate3"]["cost_usd"]) == (True, 0)
    gate.append("calc.py", DOUBLE)
    assert gate.stop() is None
    assert gate.last()["gate3"]["verdict"] == "not_judged", "another tree is another question"
    answer(bench, "A", approve=True, findings=[])
    assert gate.stop() is None
    assert gate.last()["gate3"]["verdict"] == "pass", "what was not judged is asked again"


def test_a_client_that_could_not_be_started_is_tried_once_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files: dict[str, Any] = answering(tmp_path)
    files["bench.toml"] = files["bench.toml"].replace('"/bin/sh", ', "")
    bench = make_bench(tmp_path, **files, **{"tasks/T2.md": "tidy up\n"})
    answer(bench, "A", approve=True, findings=[])
    answer(bench, "B", verdicts=[], added_findings=[], approve=True)
    gate = gated(bench, "g13adv", "T2")
    config = from_dict(json.loads((gate.run / "gate-config.json").read_bytes()))
    store = Store(config.state + "/git")
    deadline = time.monotonic() + 60
    stop = Stop(config, 1, store, store.take(config.work), deadline, lambda *_, **__: None, {})
    pauses = []

    def replaced(seconds: float) -> None:
        pauses.append(seconds)
        (tmp_path / "client.sh").chmod(0o755)

    monkeypatch.setattr(time, "sleep", replaced)
    judgement = ReviewGate().judge(stop, {})
    assert judgement.verdict == "pass"
    a, b = judgement.record["reviewers"]
    assert a["retry_after"].startswith("the client could not be started: [Errno 13] Permission denied")
    assert "retry_after" not in b
    assert pauses == [3.0]
