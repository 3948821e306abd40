"""Gate 1, behaviour: the repo's own suite, and acceptance tests that the agent cannot reach."""

import os
import time
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from gatecore.checks.outcome import CheckResult
from gatecore.checks.run import Check, run_checks
from gatecore.gates.base import FAIL, NOT_JUDGED, PASS, Judgement, Stop
from gatecore.gates.feedback import read_output, scrub, tail
from gatecore.gates.tools import check
from gatecore.hook.config import Config, Suite

SUITE, ACCEPTANCE = "suite", "acceptance"
BASE = "base"
"""The check that runs a suite on the base tree."""
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
        checks = [
            check(stop, name, _output(name), suite.command, (), config.limits.suite_s, folder=suite.folder)
            for name, suite in _suites(config).items()
        ]
        if config.acceptance:
            tests, seconds = config.acceptance, config.limits.acceptance_s
            checks.append(check(stop, ACCEPTANCE, _output(ACCEPTANCE), tests.command, tests.env, seconds))
        return checks

    def judge(self, stop: Stop, results: Mapping[str, CheckResult]) -> Judgement:
        """Judge by both; a suite that is red on the base tree already judges nothing."""
        said = {name: _said(stop, suite, results[name]) for name, suite in _suites(stop.config).items()}
        suites = [results[name] for name in said]
        suite, why, base_red = _combined(list(said.values()))
        acceptance = results.get(ACCEPTANCE)
        verdicts = [suite, *([acceptance.verdict] if acceptance else [])]
        if acceptance and acceptance.verdict == NOT_JUDGED:
            why = f"acceptance: {acceptance.why}"
        verdict = _overall(verdicts, base_red=base_red)
        record: dict[str, Any] = {
            "ran": True,
            "suite_pass": sum(result.counts.get("passed", 0) for result in suites),
            "suite_fail": sum(map(_failures, suites)),
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
        red = [result for result in suites if said[result.name].verdict == FAIL]
        failed = [*([acceptance] if acceptance and acceptance.verdict == FAIL else []), *red]
        return Judgement(verdict, record, lambda chars: _feedback(stop, failed, chars))


class _Said(NamedTuple):
    """What one suite says of the change."""

    verdict: str
    why: str
    base_red: bool


def _suites(config: Config) -> dict[str, Suite]:
    """The suites to run by the name of their check; the only one there is has the plain name."""
    if not config.suites:
        return {SUITE: Suite("", config.suite, config.base.suite, config.base.suite_why)}
    if len(config.suites) == 1:
        return {SUITE: config.suites[0]}
    return {f"{SUITE}-{suite.folder.replace('/', '.')}".rstrip("-"): suite for suite in config.suites}


def _said(stop: Stop, suite: Suite, result: CheckResult) -> _Said:
    """What the suite says, held to what it says of the base tree: what is red there says nothing here."""
    base, why = suite.base, suite.base_why
    if stop.config.suites and result.verdict != FAIL:
        base = PASS
    elif not base:
        base, why = _on_base(stop, suite)
    if base == PASS:
        return _Said(result.verdict, f"{result.name}: {result.why}", base_red=False)
    what = "red" if base == FAIL else "not judged"
    because = f" ({why})" if why else ""
    return _Said(NOT_JUDGED, f"{result.name}: {what} on the base tree already{because}", base_red=True)


def _on_base(stop: Stop, suite: Suite) -> tuple[str, str]:
    """Run the suite on the base tree, once for each base."""
    key = "\0".join((stop.store.base_tree, suite.folder, *suite.command))
    known = stop.memory.setdefault("bases", {})
    if key not in known:
        seconds = min(stop.config.limits.suite_s, stop.deadline - time.monotonic())
        one = check(
            stop, BASE, BASE, suite.command, (), seconds, folder=suite.folder, tree=stop.store.base_tree
        )
        stop.event("check_started", check=BASE)
        result = run_checks([one])[0]
        stop.event("check_ended", check=BASE, verdict=result.verdict, seconds=round(result.seconds, 3))
        known[key] = (result.verdict, result.why)
    verdict, why = known[key]
    return verdict, why


def _combined(said: list[_Said]) -> tuple[str, str, bool]:
    """One verdict of several suites, why it is none, and whether only the base is to blame for that."""
    verdicts = [one.verdict for one in said]
    unjudged = [one for one in said if one.verdict == NOT_JUDGED]
    verdict = FAIL if FAIL in verdicts else NOT_JUDGED if unjudged else PASS
    base_red = bool(unjudged) and all(one.base_red for one in unjudged)
    return verdict, "; ".join(one.why for one in unjudged or said), base_red


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
    heads = [f"{_head(r.name)}{' too' if r is not failed[0] else ''}{_why(r)}:\n" for r in failed]
    spare = chars - sum(map(len, heads)) - 2 * (len(heads) - 1)
    parts = (1400,) if len(failed) == 1 else (800, *[550 // (len(failed) - 1)] * (len(failed) - 1))
    shares = [chars * part // 1500 for part in parts]
    rooms = [min(share, spare * share // sum(shares)) for share in shares]
    texts = [tail(_shown(stop, r.name), room) for r, room in zip(failed, rooms, strict=True)]
    return "\n\n".join(map("".join, zip(heads, texts, strict=True)))


def _output(name: str) -> str:
    """The stem of a check's output file."""
    return "gatetests" if name == ACCEPTANCE else name.replace(SUITE, "gate1", 1)


def _head(name: str) -> str:
    return _HEADS.get(name) or f"{_HEADS[SUITE]} in {name.removeprefix(SUITE).lstrip('-') or 'its root'}"


def _why(result: CheckResult) -> str:
    """What fails, where the end of the output may not say it."""
    return f" ({(result.why or f'{len(result.failed)} of {len(result.tests)}')[:_WHY_CHARS]})"


def _shown(stop: Stop, name: str) -> str:
    """A check's output with every folder of the harness replaced."""
    config = stop.config
    copy = config.work if config.inplace else os.path.join(config.state, "copies", name)
    shown = [(copy, ".")]
    if config.acceptance:
        shown.append((os.path.dirname(config.acceptance.file), "acceptance"))
    shown += [(path, "...") for path in config.hidden_paths]
    return scrub(read_output(os.path.join(config.run, f"{_output(name)}-{stop.n}.txt")), copy, shown)
