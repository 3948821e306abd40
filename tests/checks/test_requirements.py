from pathlib import Path

import pytest

from gatecore.checks.outcome import CheckResult, unjudged
from gatecore.checks.requirements import Requirements, judge, judge_requirements, requirements

SOURCE = """
import app
def test_req2(): pass
async def test_req1(): pass
def test_req10():
    def test_req11(): pass
def test_required(): pass
class TestMore:
    def test_req3(self): pass
def test_req2(): pass
"""
NAMES = ("test_req1", "test_req2")


def result(tests: dict[str, str], verdict: str = "fail", code: int | None = 1) -> CheckResult:
    return unjudged("oracle", "")._replace(verdict=verdict, exit=code, tests=tests)


def test_requirements_are_found_without_running_the_file() -> None:
    assert requirements(SOURCE) == ("test_req2", "test_req1", "test_req10", "test_req3")


@pytest.mark.parametrize(
    "kind", ["failed", "error", "skipped", "xfailed", "xpassed", "missing", "deselected"]
)
def test_a_requirement_passes_only_when_all_its_tests_passed(kind: str) -> None:
    tests = {
        "h/t.py::test_req1[a::b[c]]": "passed",
        "h/t.py::test_req1[d]": kind,
        "h/t.py::T::test_req2": "passed",
    }
    assert judge(NAMES, result(tests)) == Requirements("judged", ("test_req2",), ("test_req1",))


def test_parameters_do_not_name_a_requirement() -> None:
    tests = {"t.py::test_req1[x::test_req2]": "passed", "t.py::test_req12": "passed"}
    assert judge(NAMES, result(tests)) == Requirements("judged", ("test_req1",), ("test_req2",))


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (result({"t.py": "error"}, code=2), Requirements("judged", (), NAMES)),
        (result({}, code=-11), Requirements("judged", (), NAMES)),
        (result({}, code=4), Requirements("broken")),
        (result({}, code=3), Requirements("broken")),
        (result({"t.py::test_req1": "passed"}, "not_judged"), Requirements("broken")),
        (unjudged("oracle", "no such command"), Requirements("broken")),
    ],
)
def test_an_oracle_that_could_not_run_says_nothing(given: CheckResult, expected: Requirements) -> None:
    assert judge(NAMES, given) == expected


def test_states_of_the_file(tmp_path: Path) -> None:
    file = tmp_path / "test_T1.py"
    green = result({"t.py::test_req1": "passed"}, "pass", 0)
    states = [judge_requirements(str(file), green).state]
    for text in ("def test_req1(:", "def test_other(): pass", "def test_req1(): pass"):
        file.write_text(text)
        states.append(judge_requirements(str(file), green).state)
    assert states == ["absent", "broken", "absent", "judged"]
