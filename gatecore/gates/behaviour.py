"""Gate 1, behaviour: the repo's own suite, and acceptance tests that the agent cannot reach."""

import os
from collections.abc import Mapping, Sequence
from typing import Any

from gatecore.checks.outcome import CheckResult
from gatecore.checks.run import Check
from gatecore.gates.base import FAIL, NOT_JUDGED, PASS, Judgement, Stop
from gatecore.gates.feedback import read_output, scrub, tail
from gatecore.gates.tools import check

SUITE, ACCEPTANCE = "suite", "acceptance"
_OUTPUTS = {SUITE: "gate1", ACCEPTANCE: "gatetests"}
_HEADS = {
    SUITE: "The repository's own test suite fails",
    ACCEPTANCE: "The acceptance tests for this change fail",
}
_WHY_CHARS = 80


class Behaviour:
    """Fails when the suite or an acceptance test fails on the tree at the stop."""

    name = "g1"
    key = "gate1"

    def checks(self, stop: Stop) -> Sequence[Check]:
        """The suite, and the acceptance tests when there are any."""
        config = stop.config
        checks = [check(stop, SUITE, _OUTPUTS[SUITE], config.suite, (), config.limits.suite_s)]
        if config.acceptance:
            tests, seconds = config.acceptance, config.limits.acceptance_s
            checks.append(check(stop, ACCEPTANCE, _OUTPUTS[ACCEPTANCE], tests.command, tests.env, seconds))
        return checks

    def judge(self, stop: Stop, results: Mapping[str, CheckResult]) -> Judgement:
        """Judge by both; a suite that is red on the base tree already judges nothing."""
        suite, why = _suite_verdict(stop, results[SUITE])
        acceptance = results.get(ACCEPTANCE)
        verdicts = [suite, *([acceptance.verdict] if acceptance else [])]
        if acceptance and acceptance.verdict == NOT_JUDGED:
            why = f"acceptance: {acceptance.why}"
        verdict = _overall(verdicts, base_red=stop.config.base.suite != PASS)
        record: dict[str, Any] = {
            "ran": True,
            "suite_pass": results[SUITE].counts.get("passed", 0),
            "suite_fail": _failures(results[SUITE]),
            "tests_touched": any(p.startswith(("tests/", "test/")) for p in stop.snapshot.changed),
            "gate_tests_present": acceptance is not None,
        }
        if acceptance:
            record["gate_tests_pass"] = acceptance.counts.get("passed", 0)
            record["gate_tests_fail"] = _failures(acceptance)
            record["gate_tests_failed"] = sorted({_function(test) for test in acceptance.failed})
            record["acceptance"] = acceptance.verdict
        record |= {"pass": None if verdict == NOT_JUDGED else verdict == PASS, "suite": suite}
        if NOT_JUDGED in verdicts:
            record["why"] = why
        failed = [
            r for r in (acceptance, results[SUITE] if suite == FAIL else None) if r and r.verdict == FAIL
        ]
        return Judgement(verdict, record, lambda chars: _feedback(stop, failed, chars))


def _suite_verdict(stop: Stop, suite: CheckResult) -> tuple[str, str]:
    base = stop.config.base
    if base.suite == PASS:
        return suite.verdict, f"suite: {suite.why}"
    what = "red" if base.suite == FAIL else "not judged"
    why = f" ({base.suite_why})" if base.suite_why else ""
    return NOT_JUDGED, f"suite: {what} on the base tree already{why}"


def _overall(verdicts: list[str], *, base_red: bool) -> str:
    if FAIL in verdicts:
        return FAIL
    judged = [v for v in verdicts if v != NOT_JUDGED]
    if len(judged) == len(verdicts) or (base_red and judged == verdicts[1:] and judged):
        return PASS
    return NOT_JUDGED


def _failures(result: CheckResult) -> int:
    failures = len(result.failed)
    return max(failures, 1) if result.verdict == FAIL else failures


def _function(test: str) -> str:
    """The test function's name in a node id, without its parameters."""
    return test.split("[", 1)[0].rsplit("::", 1)[-1]


def _feedback(stop: Stop, failed: Sequence[CheckResult], chars: int) -> str:
    """What failed and the end of its output; the acceptance tests first, as they tell more."""
    heads = [f"{_HEADS[r.name]}{' too' if r is not failed[0] else ''}{_why(r)}:\n" for r in failed]
    spare = chars - sum(map(len, heads)) - 2 * (len(heads) - 1)
    shares = [chars * part // 1500 for part in ((800, 550) if len(failed) > 1 else (1400,))]
    rooms = [min(share, spare * share // sum(shares)) for share in shares]
    texts = [tail(_shown(stop, r.name), room) for r, room in zip(failed, rooms, strict=True)]
    return "\n\n".join(map("".join, zip(heads, texts, strict=True)))


def _why(result: CheckResult) -> str:
    """What fails, where the end of the output may not say it."""
    return f" ({(result.why or f'{len(result.failed)} of {len(result.tests)}')[:_WHY_CHARS]})"


def _shown(stop: Stop, name: str) -> str:
    """A check's output with every folder of the harness replaced."""
    config = stop.config
    copy = os.path.join(config.state, "copies", name)
    shown = [(copy, ".")]
    if config.acceptance:
        shown.append((os.path.dirname(config.acceptance.file), "acceptance"))
    shown += [(path, "...") for path in config.hidden_paths]
    return scrub(read_output(os.path.join(config.run, f"{_OUTPUTS[name]}-{stop.n}.txt")), copy, shown)
