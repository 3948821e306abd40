"""Judging from the report's lines alone."""

import json
from collections.abc import Iterable

import pytest

from gatecore.checks.outcome import CheckResult, outcome
from gatecore.checks.process import Ended

GREEN = [
    ["start", "1"],
    ["collected", "a"],
    ["collected", "b"],
    ["test", "a", "passed", ""],
    ["test", "b", "passed", ""],
]
FINISH = ["finish", "0"]


def report(lines: Iterable[object]) -> bytes:
    return b"".join(json.dumps(line).encode() + b"\n" for line in lines)


def judged(data: bytes, code: int = 0, *, timed_out: bool = False, base: tuple[str, ...] = ()) -> CheckResult:
    return outcome("suite", Ended(code, 1.0, timed_out), data, limit=300, base_modules=base)


def test_no_torn_report_passes() -> None:
    whole = report([*GREEN, FINISH])
    assert judged(whole).verdict == "pass"
    assert {judged(whole[:end]).verdict for end in range(len(whole) - 2)} == {"fail", "not_judged"}


def test_foreign_lines_cost_nothing_but_themselves() -> None:
    junk = [
        [],
        [1, 2],
        {"start": 1},
        None,
        "test",
        ["test"],
        ["test", "a"],
        ["test", "a", "failed?"],
        ["test", "a", 1],
    ]
    deep = b"[" * 100_000 + b"\n\xff\xfe\n\n"
    assert judged(deep + report([*GREEN, *junk, FINISH])) == judged(report([*GREEN, FINISH]))


@pytest.mark.parametrize(
    ("lines", "code", "verdict", "why"),
    [
        ([*GREEN, FINISH], 3, "fail", "exit code 3 although no test failed"),
        ([*GREEN, FINISH], -9, "fail", "killed by SIGKILL although no test failed"),
        ([*GREEN, FINISH], -99, "fail", "killed by signal 99 although no test failed"),
        (
            [*GREEN, ["start", "2"], FINISH],
            0,
            "fail",
            "pytest did not reach the end of its session (exit code 0)",
        ),
        (
            [*GREEN, ["collected", "c"], FINISH],
            0,
            "fail",
            "1 of 3 collected tests have no outcome (exit code 0)",
        ),
        # collected twice, ended once
        (
            [*GREEN, ["collected", "a"], FINISH],
            0,
            "fail",
            "1 of 2 collected tests have no outcome (exit code 0)",
        ),
        ([*GREEN, ["test", "a", "failed", ""], FINISH], 1, "fail", ""),
        (
            [*GREEN, ["shadowed", "re", "re.py"], FINISH],
            1,
            "not_judged",
            "module re was loaded from re.py in the tree",
        ),
        (
            [*GREEN, ["outside", "x", "/x.py"], FINISH],
            1,
            "not_judged",
            "module x was loaded from /x.py, outside",
        ),
        ([*GREEN, ["runner", "pluggy", "/x.py"], FINISH], 0, "pass", ""),
        ([], 0, "not_judged", "the command did not run pytest with our report plugin (exit code 0)"),
    ],
)
def test_rules(lines: list[list[str]], code: int, verdict: str, why: str) -> None:
    result = judged(report(lines), code)
    assert result.verdict == verdict
    assert result.why.startswith(why) if why else not result.why


def test_modules_of_the_base_hide_nothing_new() -> None:
    lines = [*GREEN, ["shadowed", "queue", "queue.py"], ["shadowed", "types", "types/__init__.py"], FINISH]
    assert judged(report(lines), base=("queue.py", "types")).verdict == "pass"
    assert "types" in judged(report(lines), base=("queue.py",)).why
    assert "(and 1 more)" in judged(report(lines), base=("que",)).why
    assert (
        judged(report([*GREEN, ["runner", "pluggy", "/x.py"], FINISH]), base=("pluggy",)).verdict
        == "not_judged"
    )
    pytest_ini = judged(report([*GREEN, ["runner", "pytest", "/x.py"], FINISH]), base=("pytest.ini",))
    assert pytest_ini.verdict == "pass", "settings are no module"


def test_a_timeout_outweighs_everything_and_names_where() -> None:
    result = judged(report([*GREEN, ["collected", "c"], ["shadowed", "re", "re.py"]]), -9, timed_out=True)
    assert (result.verdict, result.why) == ("not_judged", "timed out after 300 s, before c had ended")
    assert result.failed == ("c",)


def test_order_of_tests_and_of_failures() -> None:
    lines = [["start", "1"], *(["collected", name] for name in "dcba")]
    lines += [["test", "a", "error", ""], ["test", "c", "failed", ""], ["test", "new", "passed", ""]]
    lines += [["module", "m", "error", ""], ["deselected", "z"], ["deselected", "a"], FINISH]
    result = judged(report(lines), 1)
    kinds = {
        "d": "missing",
        "c": "failed",
        "b": "missing",
        "a": "error",
        "new": "passed",
        "z": "deselected",
        "m": "error",
    }
    assert list(result.tests.items()) == list(kinds.items())
    assert result.failed == ("c", "a", "m", "d", "b")
    assert result.counts == {
        **dict.fromkeys(("passed", "failed", "deselected"), 1),
        **dict.fromkeys(("error", "missing"), 2),
        **dict.fromkeys(("skipped", "xfailed", "xpassed", "rerun"), 0),
        "collected": 4,
    }


def test_reasons_are_one_clean_line_of_bounded_length() -> None:
    lines = [*GREEN, ["outside", "x" * 9999, "\x1b]0;title\x07\n" + "y" * 9999], FINISH]
    why = judged(report(lines)).why
    assert why.isprintable()
    assert len(why) < 600


def test_a_report_without_end_is_not_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = report([*GREEN, FINISH])
    monkeypatch.setattr("gatecore.checks.outcome.MAX_REPORT_BYTES", len(lines))
    assert judged(lines).verdict == "pass"
    assert judged(lines + b"\n").why == "the report is larger than 0 MB"
