"""The tests that failed at a stop with their assertion lines, and which of these reached the agent."""

import json
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress

from gatecore.ledger.records import Stop
from gateview.lines.numbers import counted
from gateview.lines.spans import Span, Spans, say
from gateview.lines.stop import note
from gateview.lines.triage import failure_lines
from gateview.store.assertions import bare, echoed, parse
from gateview.store.side import SideText

_ROLES = {"told": "", "in part": "warn", "name only": "warn", "cut off": "warn", "?": "dim"}
_FAILURES_AT_MOST = 300


def assertion_lines(stop: Stop | None, read: Callable[[str], SideText]) -> list[Spans]:
    """The document of a stop; `read` reads a file of the run by name."""
    if stop is None:
        return [note("This stop left no record, so which tests failed is not known.")]
    gate = stop.gate1
    if gate is None or not gate.ran:
        return [note("No test ran at this stop: gate 1 is not in this config, or was skipped.")]
    lines: list[Spans] = []
    for check, file, failed, passed in (
        ("suite", f"gate1-{stop.n}.txt", gate.suite_fail, gate.suite_pass),
        ("acceptance", f"gatetests-{stop.n}.txt", gate.gate_tests_fail, gate.gate_tests_pass),
    ):
        if failed is None and passed is None:
            continue
        if lines:
            lines.append(())
        lines.append(
            say(Span(check, "head"), Span(f"   {_number(failed)} failed, {_number(passed)} passed", "dim"))
        )
        if failed != 0:
            lines += _failures(stop, check, read(file), read(f"checks-{stop.n}.json"))
    return lines or [note("The record holds no counts of tests.")]


def _failures(stop: Stop, check: str, output: SideText, checks: SideText) -> Iterator[Spans]:
    failures = parse(output.text).failures
    whole = stop.reason_chars is None or len(stop.reason) >= stop.reason_chars
    sent = stop.decision == "block"
    states = list(echoed(failures, stop.reason, whole=whole))
    if sent and states:
        count = Counter(state for _, state in states)
        words = ", ".join(f"{number} {state}" for state, number in count.items())
        yield say(Span("the agent read: ", "dim"), words)
    elif states:
        yield note("nothing of it was sent to the agent")
    yield from (note(output.note) for _ in range(1) if output.note)
    for failure, state in states[:_FAILURES_AT_MOST]:
        yield ()
        yield from failure_lines(failure, Span(state, _ROLES[state]) if sent else None)
    if len(states) > _FAILURES_AT_MOST:
        yield note(f"and {len(states) - _FAILURES_AT_MOST:,} more")
    shown = {bare(failure.test) for failure in failures}
    unshown = [test for test in _failed(stop, check, checks) if bare(test) not in shown]
    if unshown:
        yield ()
        yield note(f"{counted(len(unshown), 'failing test')} without assertion lines in the output:")
        yield from (say(f"  {test}") for test in unshown[:_FAILURES_AT_MOST])


def _failed(stop: Stop, check: str, checks: SideText) -> list[str]:
    """Every failing test by name: from the file of all outcomes, else as many as the record holds."""
    with suppress(ValueError, RecursionError, AttributeError, KeyError, TypeError):
        tests = json.loads(checks.text)[check]["tests"]
        return [str(test) for test, outcome in tests.items() if outcome in ("failed", "error", "missing")]
    if check in stop.checks:
        return list(stop.checks[check].failed)
    return list(stop.gate1.gate_tests_failed) if stop.gate1 and check == "acceptance" else []


def _number(value: int | None) -> str:
    return "?" if value is None else f"{value:,}"
