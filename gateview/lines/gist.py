"""In a few words: what a gate found at a stop, or why nothing is known."""

from gatecore.ledger.classes import ClassedStop, review_of
from gatecore.ledger.records import Gate1, Hidden, Stop
from gatecore.text import line
from gateview.lines.numbers import counted


def gist(stop: ClassedStop) -> str:
    """One line, not cropped."""
    if stop.entry is None:
        return "no record: the hook crashed" if stop.kind == "error" else "no record: the hook was killed"
    record = stop.entry.stop
    match record.decision:
        case "block" | "give_up":
            return _finding(record) or _first_line(record.reason) or "no reason is recorded"
        case "error":
            return _first_line(record.error or "") or _first_line(record.reason) or "no reason is recorded"
        case "allow":
            return _oracle(record.hidden)
        case "skipped":
            return _first_line(record.reason) or "no gate ran"
    return f"decision {record.decision}" if record.decision else "no decision is recorded"


def _finding(stop: Stop) -> str:
    review = review_of(stop, stop.blocked_by or "")
    if review and review.blocking:
        first = review.blocking[0]
        more = len(review.blocking) - 1
        return line(f"{first.file or '?'}: {first.text}" + (f" (and {more} more)" if more else ""))
    if stop.blocked_by == "g1" and stop.gate1:
        return line(_tests(stop, stop.gate1))
    return ""


def _tests(stop: Stop, gate: Gate1) -> str:
    parts = []
    if gate.suite == "fail" or (gate.suite is None and gate.suite_fail):
        named = stop.checks["suite"].failed if "suite" in stop.checks else ()
        parts.append(f"suite: {_named(named, gate.suite_fail)}")
    if gate.gate_tests_failed or gate.gate_tests_fail:
        parts.append(_named(gate.gate_tests_failed, gate.gate_tests_fail))
    return "; ".join(parts)


def _named(tests: tuple[str, ...], failed: int | None) -> str:
    if not tests:
        return f"{failed if failed is not None else '?'} failed"
    more = max(failed or 0, len(tests)) - 1
    return tests[0].rsplit("::", 1)[-1] + (f" (and {more} more)" if more else "")


def _oracle(hidden: Hidden | None) -> str:
    if hidden is None or hidden.passed is None or hidden.failed is None:
        return "no oracle judged it"
    if not hidden.failed:
        return f"all {counted(hidden.passed, 'requirement')} met"
    names = ", ".join(hidden.failed_reqs) or "not named"
    return line(f"{hidden.failed} of {counted(hidden.passed + hidden.failed, 'requirement')} failed: {names}")


def _first_line(text: str) -> str:
    return next((line(part).strip() for part in text.splitlines() if part.strip()), "")
