"""What is known of one stop, as documents: what the agent was told, oracle, reviews, the record."""

import json
from collections.abc import Iterator
from contextlib import suppress

from gatecore.ledger.classes import gate_verdict
from gatecore.ledger.records import Finding, Gate2, Reviewer, ReviewGate, Stop
from gatecore.text import clean
from gateview.lines.spans import Span, Spans, say
from gateview.store.side import SideText

_LONGEST_LINE = 4000


def text_lines(text: str, role: str = "") -> list[Spans]:
    """A text line by line, tabs as spaces, lines of absurd length cut with a note."""
    return [_line(part, role) for part in clean(text).split("\n")]


def note(text: str) -> Spans:
    """A remark of ours, told apart from what a file says."""
    return say(Span(text, "dim"))


def told(stop: Stop | None) -> list[Spans]:
    """What the agent was told, whole, and a word on what is not there."""
    if stop is None:
        return [
            note("This stop left no record, so what the agent was told is not known; most likely nothing.")
        ]
    lines: list[Spans] = []
    if stop.decision == "give_up":
        lines += [
            note("Not sent: the gate had blocked too often and let this through. It would have said:"),
            (),
        ]
    elif stop.decision == "error":
        lines += [note("The gate itself broke:"), *text_lines(stop.error or "?"), ()]
    for path, words in (("tampered", stop.tampered), ("newly ignored", stop.newly_ignored)):
        if words:
            lines.append(say(Span(f"{path}: ", "warn"), ", ".join(words)))
    lines += [say(Span("not held by the snapshot: ", "warn"), f"{u.path} ({u.why})") for u in stop.unheld]
    lines += [say(Span(f"{gate} {how}: ", "warn"), why) for gate, how, why in _without_verdict(stop)]
    if stop.reason:
        lines += text_lines(stop.reason)
    elif stop.decision == "block":
        lines.append(note("The record holds no reason."))
    elif stop.decision != "error":
        lines.append(note("Nothing: the agent was let go."))
    missing = (stop.reason_chars or 0) - len(stop.reason)
    if missing > 0:
        lines += [
            (),
            note(f"The ledger holds the first {len(stop.reason):,} of {stop.reason_chars:,} characters."),
        ]
    return lines


def crash(errors: SideText) -> list[Spans]:
    """What a crashed hook of the original harness left behind."""
    lines = [note("The hook crashed and the stop was let through. gate-errors.txt holds:"), ()]
    return [*lines, *text_lines(errors.text), *([note(errors.note)] if errors.note else [])]


def reviews(stop: Stop | None) -> list[Spans]:
    """Each reviewer's word, findings and verdicts."""
    gate = stop.gate3 if stop else None
    if gate is None or not (gate.ran or gate.verdict or gate.reviewers):
        return [note("No review ran at this stop: a gate before blocked, or the config has no gate 3.")]
    return _review(gate)


def ui(stop: Stop | None) -> list[Spans]:
    """What the reviewer of the rendered pages said, and which pictures there are."""
    gate = stop.gate2 if stop else None
    if gate is None or not (gate.ran or gate.verdict or gate.reviewers):
        return [note("No page was looked at: gate 1 blocked first, or the config has no gate 2.")]
    if gate.verdict == "skipped":
        return [say(Span("skipped: ", "warn"), gate.why or "?")]
    return [*_review(gate), *pages(gate)]


def pages(gate: Gate2) -> Iterator[Spans]:
    """The pages that were rendered, each before and after the change."""
    before, after = ({picture.page: picture for picture in side} for side in (gate.before, gate.after))
    yield say(Span("pages", "head"))
    if gate.before_why:
        yield say(Span("before the change: ", "warn"), gate.before_why)
    for page in sorted(before | after):
        old, new = before.get(page), after.get(page)
        how = "gone" if new is None else "new" if old is None else "as it was"
        changed = old is not None and new is not None and old.file != new.file
        yield say(Span(page, "file"), "  ", Span("changed", "strong") if changed else Span(how, "dim"))
        for when, picture in (("before", old), ("after", new)):
            if picture:
                size = f"{picture.width or '?'} x {picture.height or '?'}"
                yield say(f"  {when:<7} {size:<14}", Span(picture.file or "?", "dim"))


def _review(gate: ReviewGate) -> list[Spans]:
    lines: list[Spans] = []
    if gate.reused:
        lines += [note("The verdict of an earlier stop on the same tree."), ()]
    if gate.why:
        lines += [say(Span("not judged: ", "warn"), gate.why), ()]
    for reviewer in gate.reviewers:
        lines += [*_reviewer(reviewer), ()]
    return lines


def raw(record: SideText) -> list[Spans]:
    """The record as it lies in the ledger, spread over lines where it is JSON."""
    text = record.text
    with suppress(ValueError, RecursionError):
        text = json.dumps(json.loads(text), indent=2, ensure_ascii=False)
    return [*([note(record.note), ()] if record.note else []), *text_lines(text)]


def _line(text: str, role: str) -> Spans:
    text = text.expandtabs(8)
    if len(text) > _LONGEST_LINE:
        return say(
            Span(text[:_LONGEST_LINE], role), Span(f" … {len(text) - _LONGEST_LINE:,} more characters", "dim")
        )
    return say(Span(text, role)) if text else ()


def _without_verdict(stop: Stop) -> Iterator[tuple[str, str, str]]:
    for name, gate in (("g1", stop.gate1), ("g2", stop.gate2), ("g3", stop.gate3)):
        if gate and gate.why:
            yield name, "skipped" if gate_verdict(stop, name) == "skipped" else "not judged", gate.why


def _reviewer(reviewer: Reviewer) -> Iterator[Spans]:
    word = (
        "approves"
        if reviewer.approve_raw
        else "does not approve"
        if reviewer.approve_raw is False
        else "no word"
    )
    facts = [
        f"${reviewer.cost_usd:.4f}" if reviewer.cost_usd is not None else "$?",
        f"{reviewer.turns if reviewer.turns is not None else '?'} turns",
        f"{reviewer.wall_s:.0f} s" if reviewer.wall_s is not None else "? s",
        *reviewer.models,
    ]
    yield say(Span(f"reviewer {reviewer.id or '?'}", "strong"), f"  {word}  ", Span("  ".join(facts), "dim"))
    if reviewer.error:
        yield say(Span("  error: ", "warn"), reviewer.error)
    for number, finding in enumerate(reviewer.findings, 1):
        yield from _finding(number, finding)
    for verdict in reviewer.verdicts:
        place = f"on A's finding {verdict.id if verdict.id is not None else '?'}: "
        yield say(f"  {place}", Span(f"{verdict.verdict or '?'} ", "strong"), verdict.reason)
    if not (reviewer.findings or reviewer.verdicts or reviewer.error):
        yield note("  no findings")


def _finding(number: int, finding: Finding) -> Iterator[Spans]:
    place = f"{finding.file or '?'}:{finding.line if finding.line is not None else '?'}"
    yield say(
        f"  {number} ",
        Span(f"{finding.severity or '?'} ", "strong" if finding.severity == "blocking" else "dim"),
        Span(place, "file"),
        Span(f"  {finding.challenge}" if finding.challenge else "", "strong"),
    )
    for text in text_lines(finding.text):
        yield say("    ", *text)
