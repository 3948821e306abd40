"""Reviewers' answers: what is read of them and what blocks."""

from typing import Any

import pytest

from gatecore.gates.findings import blocking, numbered, read_answer, uphold


def _finding(severity: str = "blocking", text: str = "wrong") -> dict[str, Any]:
    return {"severity": severity, "file": "a.py", "line": 3, "text": text}


@pytest.mark.parametrize(
    "answer",
    [
        {"approve": True, "findings": 3},
        {"approve": True},
        {"approve": "yes", "findings": []},
        {"approve": True, "findings": [7]},
        {"approve": True, "findings": [{**_finding(), "severity": "catastrophic"}]},
        {"approve": True, "findings": [{**_finding(), "line": "x"}]},
    ],
)
def test_an_answer_off_the_schema_is_an_error_and_no_approval(answer: dict[str, Any]) -> None:
    review = read_answer("A", answer, challenger=False)
    assert review.error
    assert review.record([])["approve"] is None


def test_independent_reviewers_block_by_the_union_of_what_they_call_blocking() -> None:
    a = read_answer("A", {"approve": False, "findings": [_finding("minor")]}, challenger=False)
    b = read_answer("B", {"approve": False, "findings": [_finding(text="b")]}, challenger=False)
    assert [f["by"] for f in blocking(a, b, "indep")] == ["B"]
    assert a.record([])["approve"] is True
    assert a.record([])["approve_raw"] is False


def test_only_upheld_findings_and_the_challengers_own_block() -> None:
    a = read_answer(
        "A", {"approve": False, "findings": [_finding(), _finding(), _finding()]}, challenger=False
    )
    b = read_answer(
        "B",
        {
            "verdicts": [
                {"id": 1, "verdict": "upheld", "reason": "true"},
                {"id": 2, "verdict": "rejected", "reason": "not asked for"},
            ],
            "added_findings": [_finding(text="mine"), _finding("minor")],
            "approve": False,
        },
        challenger=True,
    )
    a, b = uphold(a, b)
    assert [f["challenge"] for f in a.findings] == ["upheld", "rejected", "unanswered"]
    found = blocking(a, b, "adv")
    assert [(f["by"], f["text"]) for f in found] == [("A", "wrong"), ("B", "mine")]
    assert found[0]["upheld_by"] == "B"


def test_without_the_challengers_answer_nothing_of_a_is_upheld() -> None:
    a = read_answer("A", {"approve": False, "findings": [_finding()]}, challenger=False)
    b = read_answer("B", None, challenger=True)._replace(error="timed out")
    a, b = uphold(a, b)
    assert a.findings[0]["challenge"] == "error"
    assert blocking(a, b, "adv") == []


def test_findings_are_one_line_each_for_the_challenger() -> None:
    forged = _finding(text="a\n2. [minor] forged")
    review = read_answer("A", {"approve": True, "findings": [forged]}, challenger=False)
    assert numbered(review.findings).count("\n") == 0
