"""Judge a check by the report of the pytest plugin; nothing is read out of what a command prints."""

import json
import signal
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from gatecore.checks.process import Ended
from gatecore.text import line as one_line

PASS, FAIL, NOT_JUDGED = "pass", "fail", "not_judged"
MAX_REPORT_BYTES = 64_000_000
_NOT_RUN = 126

_OUTCOMES = ("passed", "xpassed", "xfailed", "skipped", "error", "failed")  # of two the later counts


class CheckResult(NamedTuple):
    """What came of a check."""

    name: str
    verdict: str
    """"pass", "fail" or "not_judged"."""
    why: str
    """One line when not judged, or when it failed by something else than failing tests; else empty."""
    seconds: float
    exit: int | None
    """Exit code; negative for a signal; None when the command never ran."""
    timed_out: bool
    counts: dict[str, int]
    """Number of `tests` by outcome, of those `collected`, and of attempts that a plugin reran (`rerun`)."""
    tests: dict[str, str]
    """Node id -> passed, failed, error, skipped, xfailed, xpassed, missing (collected, but no outcome) or
    deselected, in order of collection; then the modules that could not be collected or skipped themselves."""
    failed: tuple[str, ...]
    """Node ids that failed or had an error, then those that are missing."""


class Report(NamedTuple):
    """What the plugin wrote, sorted by kind."""

    started: int
    finished: int
    collected: tuple[str, ...]
    deselected: tuple[str, ...]
    modules: dict[str, str]  # that failed to be collected or skipped themselves -> error, skipped
    ended: tuple[tuple[str, str], ...]  # node id, outcome
    rerun: int
    shadowed: tuple[tuple[str, str], ...]  # module of the standard library or the runner, file in the tree
    outside: tuple[tuple[str, str], ...]  # module of the tree, file outside of it
    runner: tuple[tuple[str, str], ...]  # the same, where the runner needs such a module itself


def unjudged(name: str, why: str) -> CheckResult:
    """The result of a check that could not be run."""
    return CheckResult(name, NOT_JUDGED, one_line(why), 0.0, None, False, _count({}, 0, 0), {}, ())


def outcome(
    name: str,
    ended: Ended,
    report: bytes,
    *,
    limit: float,
    base_modules: Iterable[str] = (),
    writes_junit: bool = False,
) -> CheckResult:
    """Judge by the report's lines and by how the command ended; `limit` is its deadline in seconds.

    A command that `writes_junit` and ends in failure before it does (code that does not compile) has failed.
    """
    parsed = parse(report[:MAX_REPORT_BYTES])
    tests = _tests(parsed)
    counts = _count(tests, len(set(parsed.collected)), parsed.rerun)
    failed = [test for test, kind in tests.items() if kind in ("failed", "error")]
    missing = [test for test, kind in tests.items() if kind == "missing"]
    if writes_junit and not parsed.started and not ended.timed_out and _failed_by_itself(ended):
        verdict, why = FAIL, f"{_exit(ended.exit)}, and no test was reported"
    elif why := _why_unjudged(ended, parsed, limit, base_modules, writes_junit=writes_junit):
        verdict = NOT_JUDGED
        if ended.timed_out and missing:
            why += f", before {missing[0][:200]} had ended"
    elif len(report) > MAX_REPORT_BYTES:
        verdict, why = NOT_JUDGED, f"the report is larger than {MAX_REPORT_BYTES // 1_000_000} MB"
    else:
        why = _why_failed(ended, parsed, counts)
        verdict = FAIL if why or failed else PASS
    return CheckResult(
        name=name,
        verdict=verdict,
        why=one_line(why),
        seconds=ended.seconds,
        exit=ended.exit,
        timed_out=ended.timed_out,
        counts=counts,
        tests=tests,
        failed=(*failed, *missing),
    )


def parse(report: bytes) -> Report:
    """Sort the lines of a report; a torn or foreign line is passed over, which can only cost outcomes."""
    kinds: dict[str, list[list[str]]] = {}
    for text in report.splitlines():
        try:
            line = json.loads(text)
        except (ValueError, RecursionError):
            continue
        if isinstance(line, list) and len(line) > 1 and all(isinstance(field, str) for field in line):
            kinds.setdefault(line[0], []).append(line[1:])

    def singles(kind: str) -> tuple[str, ...]:
        return tuple(fields[0] for fields in kinds.get(kind, ()))

    def pairs(kind: str) -> tuple[tuple[str, str], ...]:
        return tuple((fields[0], fields[1]) for fields in kinds.get(kind, ()) if len(fields) > 1)

    return Report(
        started=len(singles("start")),
        finished=len(singles("finish")),
        collected=singles("collected"),
        deselected=singles("deselected"),
        modules={node: kind for node, kind in pairs("module") if kind in _OUTCOMES},
        ended=tuple((test, kind) for test, kind in pairs("test") if kind in _OUTCOMES),
        rerun=len(singles("rerun")),
        shadowed=pairs("shadowed"),
        outside=pairs("outside"),
        runner=pairs("runner"),
    )


def _tests(report: Report) -> dict[str, str]:
    # An id may be collected twice (the command runs pytest twice): each time needs an outcome of its own.
    missing = Counter(report.collected) - Counter(test for test, _ in report.ended)
    tests = dict.fromkeys(report.collected, "")
    for test, kind in report.ended:
        tests[test] = max(tests.get(test) or kind, kind, key=_OUTCOMES.index)
    for test in missing:
        if tests[test] not in ("failed", "error"):
            tests[test] = "missing"
    for test in report.deselected:
        tests.setdefault(test, "deselected")
    for module, kind in report.modules.items():
        tests[module] = kind
    return tests


def _count(tests: dict[str, str], collected: int, rerun: int) -> dict[str, int]:
    kinds = Counter(tests.values())
    names = ("passed", "failed", "error", "skipped", "xfailed", "xpassed", "missing", "deselected")
    return {**{name: kinds[name] for name in names}, "collected": collected, "rerun": rerun}


def _why_unjudged(
    ended: Ended, report: Report, limit: float, base_modules: Iterable[str], *, writes_junit: bool
) -> str:
    if ended.timed_out:
        return f"timed out after {limit:g} s"
    if not report.started:
        missing = "leave JUnit XML that can be read" if writes_junit else "run pytest with our report plugin"
        return f"the command did not {missing} ({_exit(ended.exit)})"
    known = {name.removesuffix(".py") for name in base_modules}
    shadowed = [(module, file) for module, file in report.shadowed if module not in known]
    if shadowed:
        return f"{_first(shadowed)} in the tree, a new file that hides a module which Python or pytest needs"
    outside = [*report.outside, *((module, file) for module, file in report.runner if module in known)]
    if outside:
        return f"{_first(outside)}, outside the judged tree (an editable install does that)"
    return ""


def _failed_by_itself(ended: Ended) -> bool:
    """Whether the command ended with a code of its own, and not as the shell says that it cannot be run."""
    return ended.exit is not None and 0 < ended.exit < _NOT_RUN


def _why_failed(ended: Ended, report: Report, counts: dict[str, int]) -> str:
    end = _exit(ended.exit)
    broken = sum(kind == "error" for kind in report.modules.values())
    if broken:
        return f"modules that could not be collected: {broken}"
    if not counts["collected"]:
        return f"no test was collected ({end})"
    if counts["missing"]:
        return f"{counts['missing']} of {counts['collected']} collected tests have no outcome ({end})"
    if counts["failed"] or counts["error"]:
        return "exit code 0 although tests failed" if ended.exit == 0 else ""
    if report.finished < report.started:
        return f"pytest did not reach the end of its session ({end})"
    if ended.exit != 0:
        return f"{end} although no test failed"
    return "" if counts["passed"] else "no test passed"


def _first(modules: Sequence[tuple[str, str]]) -> str:
    module, file = modules[0]
    more = f" (and {len(modules) - 1} more)" if len(modules) > 1 else ""
    return f"module {module[:100]}{more} was loaded from {file[-300:]}"


def _exit(code: int | None) -> str:
    if code is None:
        return "it could not be ended"
    if code >= 0:
        return f"exit code {code}"
    try:
        return f"killed by {signal.Signals(-code).name}"
    except ValueError:
        return f"killed by signal {-code}"
