"""The outcome as JUnit XML, for the page of a pipeline."""

from collections.abc import Sequence
from pathlib import Path
from xml.etree import ElementTree as Xml

from gatecore.analysis import Results
from gatecore.text import line
from gateview.report.bounds import Verdict
from gateview.report.strict import refused
from gateview.store.gather import Gathered


def write_junit(path: Path, gathered: Gathered, results: Results, verdicts: Sequence[Verdict]) -> None:
    """Write one suite a config with a case a scored run, one of the runs that are left out (skipped), one of
    what a strict report refuses, and one of the bounds. Raises OSError.

    Unmet requirements fail a run of a config that a gate judged; where none did they are told, as skipped, since
    no gate is to blame: a bound can refuse them.
    """
    judged = {cfg for gate in results["by_gate"].values() for cfg in gate["by_cfg"]}
    root = Xml.Element("testsuites", name="gateview report")
    suites = {cfg: _suite(root, cfg) for cfg in results["by_cfg"]}
    for run in sorted(gathered.scored):
        digest, score = gathered.scored[run]
        case = _case(suites[digest.cfg], digest.cfg, run, score.wall_s)
        unmet = f"requirements not met: {', '.join(digest.unmet)}"
        if digest.unmet and digest.cfg in judged:
            _fail(case, unmet)
        elif digest.unmet:
            _skip(case, f"no gate judged this config; {unmet}")
    left_out = _suite(root, "left out")
    for run, why in results["left_out"].items():
        _skip(_case(left_out, "left out", run), why)
    strict = _suite(root, "strict")
    for said in refused(results):
        _fail(_case(strict, "strict", said.partition(":")[0]), said)
    bounds = _suite(root, "bounds")
    for verdict in verdicts:
        case = _case(bounds, "bounds", verdict.bound)
        if verdict.hit is not False:
            _fail(case, verdict.said)
    for suite in root:
        suite.set("tests", str(len(suite)))
        suite.set("failures", str(len(suite.findall("testcase/failure"))))
        suite.set("skipped", str(len(suite.findall("testcase/skipped"))))
    Xml.indent(root)
    Xml.ElementTree(root).write(path, "utf-8", xml_declaration=True)


def _suite(root: Xml.Element, name: str) -> Xml.Element:
    return Xml.SubElement(root, "testsuite", name=line(name))


def _case(suite: Xml.Element, of: str, name: str, seconds: float | None = None) -> Xml.Element:
    case = Xml.SubElement(suite, "testcase", classname=line(of), name=line(name))
    if seconds is not None:
        case.set("time", f"{seconds:g}")
    return case


def _fail(case: Xml.Element, why: str) -> None:
    Xml.SubElement(case, "failure", message=line(why))


def _skip(case: Xml.Element, why: str) -> None:
    Xml.SubElement(case, "skipped", message=line(why))
