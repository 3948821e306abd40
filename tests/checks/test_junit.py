"""JUnit XML of other runners, judged as our own report is."""

from pathlib import Path

import pytest
from gating import make_bench

from gatecore.checks.junit import read_junit
from gatecore.checks.outcome import CheckResult, outcome
from gatecore.checks.process import Ended
from gatecore.checks.requirements import judge_requirements

GREEN = '<testcase classname="a" name="adds"/>'
RED = '<testcase classname="a" name="divides"><failure message="0">by zero</failure></testcase>'


def _judged(xml: str, code: int = 0) -> CheckResult:
    report = read_junit(xml.encode()).report
    return outcome("suite", Ended(code, 1.0, False), report, limit=9.0, writes_junit=True)


@pytest.mark.parametrize(
    ("xml", "code", "verdict", "why"),
    [
        (f"<testsuites><testsuite>{GREEN}</testsuite></testsuites>", 0, "pass", ""),
        (f"<testsuite>{GREEN}</testsuite>", 1, "fail", "exit code 1 although no test failed"),
        (f"<testsuite>{GREEN}{RED}</testsuite>", 1, "fail", ""),
        (f"<testsuite>{GREEN}{RED}</testsuite>", 0, "fail", "exit code 0 although tests failed"),
        (f"<testsuite>{GREEN}<error>x</error></testsuite>", 1, "fail", "could not be collected"),
        ('<testsuite><testcase name="x"><skipped/></testcase></testsuite>', 0, "fail", "no test passed"),
        ("<testsuites/>", 0, "fail", "no test was collected"),
        ("<testsuites><tests", 1, "fail", "no test was reported"),
        ("", 1, "fail", "no test was reported"),
        ("", 0, "not_judged", "leave JUnit XML"),
        ("", 127, "not_judged", "leave JUnit XML"),
        ("", -9, "not_judged", "SIGKILL"),
    ],
)
def test_verdicts(xml: str, code: int, verdict: str, why: str) -> None:
    result = _judged(xml, code)
    assert result.verdict == verdict
    assert why in result.why


def test_names_and_what_failed() -> None:
    found = read_junit(f"<testsuite><testsuite>{RED}</testsuite>{GREEN}</testsuite>".encode())
    result = outcome("suite", Ended(1, 1.0, False), found.report, limit=9.0, writes_junit=True)
    assert result.failed == ("a::divides",)
    assert "by zero" in found.failures


def test_entities_do_not_blow_up() -> None:
    bomb = "".join(f'<!ENTITY e{i} "{f"&e{i - 1};" * 50 if i else "x" * 50}">' for i in range(12))
    xml = f'<!DOCTYPE t [{bomb}]><testsuite><testcase name="&e11;"/></testsuite>'
    assert read_junit(xml.encode()).report == b""


@pytest.mark.parametrize(
    ("cases", "passed", "failed"),
    [
        ({"req 1: adds": "", "req 2: divides": ""}, ("test_req1", "test_req2"), ()),
        ({"REQ-1 adds": "", "Req 1, nothing": "<failure/>"}, (), ("test_req1", "test_req2")),
        ({"requirement_2": "", "require 1": "", "prereq 1": ""}, ("test_req2",), ("test_req1",)),
    ],
)
def test_names_tell_the_requirement(
    tmp_path: Path, cases: dict[str, str], passed: tuple[str, ...], failed: tuple[str, ...]
) -> None:
    oracle = tmp_path / "test_T1.js"
    oracle.write_text('test("req 1: adds"); test("Req 1, nothing"); test("requirement_2")')
    xml = "".join(
        f'<testcase classname="req 9" name="{name}">{end}</testcase>' for name, end in cases.items()
    )
    said = judge_requirements(str(oracle), _judged(f"<testsuite>{xml}</testsuite>", int("failure" in xml)))
    assert (said.state, said.passed, said.failed) == ("judged", passed, failed)


def test_a_bench_whose_oracle_is_not_python(tmp_path: Path) -> None:
    node = (
        '["sh", "-c", "node --test --test-reporter=junit --test-reporter-destination=$GATECORE_JUNIT {file}"]'
    )
    files = {
        "bench.toml": f'[oracle]\ncommand = {node}\n[client]\nkind = "scripted"\n',
        "hidden/test_T3.js": "",
    }
    bench = make_bench(tmp_path / "bench", **files)
    oracle = bench.oracle("T3")
    assert oracle == bench.root / "hidden" / "test_T3.js"
    assert bench.tests_command(oracle)[-1].endswith(f"$GATECORE_JUNIT {oracle}")
