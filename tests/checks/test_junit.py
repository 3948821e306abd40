"""JUnit XML of other runners, judged as our own report is."""

import pytest

from gatecore.checks.junit import read_junit
from gatecore.checks.outcome import CheckResult, outcome
from gatecore.checks.process import Ended

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
