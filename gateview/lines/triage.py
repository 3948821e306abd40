"""Triage: the queue of blocks, the evidence on one, and what can be said of it."""

from collections import Counter
from collections.abc import Iterator, Sequence

from gatecore.ledger.classes import REVIEWS, review_of
from gatecore.ledger.records import Stop, Triage
from gateview.lines.glyphs import ROLE, WORDS, Glyphs
from gateview.lines.numbers import counted
from gateview.lines.spans import Span, Spans, between, crop, joined, say
from gateview.lines.stop import note, pages, text_lines
from gateview.store.assertions import Failure, parse
from gateview.store.causes import CAUSES, VERDICTS
from gateview.store.side import SideText
from gateview.store.triage import Block, Counts

_ROOMY = 100
_REQUEST_LINES = 12
_ERRORS_AT_MOST = 6
_FAILURES_AT_MOST = 12
_CAUSES = (*CAUSES[:-1], "not the agent's")
_SHORT_CAUSES = ("over-spec", "silent", "oracle gap", "flaky", "env", "reviewer", "not agent")
_ROOM_FOR_CAUSES = 118


def triage_head(counts: Counts, width: int) -> Spans:
    """One line: what is left, what is done, and how far it agrees with the oracle."""
    left, roomy = counts.left, width >= _ROOMY
    parts = [
        say(
            Span(
                f"{left.get('false', 0):,} false{' by the oracle' if roomy else ''}",
                "strong" if left.get("false") else "",
            )
        ),
        say(f"{left.get('no_oracle', 0):,} {'without' if roomy else 'no'} oracle"),
        say(f"{left.get('right', 0):,} right left"),
        say(f"{counts.done:,} done"),
    ]
    return between(
        say(Span("triage", "strong"), "   ", *joined(parts, " · ")),
        (Span("  "), *_agreement(counts, roomy)),
        width,
    )


def _agreement(counts: Counts, roomy: bool) -> Spans:
    agreed, n, kappa = counts.agreement
    if not n:
        return say(Span(f"agreement{' with the oracle' if roomy else ''} n/a", "dim"))
    words = f"{agreed}/{n} {100 * agreed / n:.0f}%, kappa {'n/a' if kappa is None else f'{kappa:.2f}'}"
    return say("agreement ", words, Span(f" (n {n})", "dim")) if roomy else say(words)


def block_lines(block: Block, glyphs: Glyphs, width: int) -> tuple[Spans, Spans]:
    """Two lines of the queue: run and stop, and what the gate found."""
    said = block.said.verdict if block.said else None
    role = {True: "agree", False: "disagree", None: "dim"}[block.agrees]
    head = say(
        Span(f"{said or '':<7}", role),
        glyphs.stop(block.kind),
        f" {block.key}  ",
        Span(f"stop {block.n if block.n is not None else '?'}  {block.gate}", "dim"),
    )
    return crop(head, width), crop(say(Span(f"         {block.found}", "dim")), width)


def verdict_cells(names: Sequence[str], alike: int) -> list[Spans]:
    """The verdicts with the `names` of their keys; `alike` blocks are judged at once."""
    cells = [_choice(name, verdict) for name, verdict in zip(names, VERDICTS, strict=True)]
    return [*cells, say(Span(f"   for all {alike} alike ", "strong"))] if alike > 1 else cells


def cause_cells(names: Sequence[str], width: int) -> list[Spans]:
    """The causes with the `names` of their keys, in words for which there is room."""
    words = _CAUSES if width >= _ROOM_FOR_CAUSES else _SHORT_CAUSES
    return [_choice(name, cause) for name, cause in zip(names, words, strict=True)]


def _choice(key: str, word: str) -> Spans:
    return say(Span(f" {key} ", "file"), Span(f"{word} "))


def evidence(
    block: Block, stop: Stop, same: Sequence[Block], request: SideText, outputs: Sequence[SideText], key: str
) -> list[Spans]:
    """What speaks for and against a block, the most telling first; `key` judges all that are the `same`."""
    return [
        *_title(block, same, key),
        (),
        *_found(stop, outputs),
        (),
        *_oracle(block, stop),
        *_said(block.said),
        (),
        *_request(request),
    ]


def _title(block: Block, same: Sequence[Block], key: str) -> Iterator[Spans]:
    alone = len(same) < 2
    yield say(
        Span(WORDS[block.kind], f"{ROLE[block.kind]} strong"),
        f"   {block.key}, stop {block.n if block.n is not None else '?'}, {block.gate}",
    )
    if not alone:
        kinds = Counter(WORDS[b.kind].removesuffix(" block") for b in same)
        by = ", ".join(f"{number} {kind}" for kind, number in kinds.items())
        yield say(
            Span(f"{counted(len(same), 'block')} alike ({by})", "strong"), Span(f"   {key}: judge all", "dim")
        )


def _found(stop: Stop, outputs: Sequence[SideText]) -> Iterator[Spans]:
    yield say(Span("what the gate found", "head"))
    if stop.blocked_by in REVIEWS:
        review = review_of(stop, stop.blocked_by)
        blocking = review.blocking if review else ()
        for finding in blocking:
            place = f"{finding.file or '?'}:{finding.line if finding.line is not None else '?'}"
            by = f"  reviewer {finding.by}" if finding.by else ""
            yield say(Span(place, "file"), Span(by, "dim"))
            yield from (say("  ", *line) for line in text_lines(finding.text))
        if not blocking:
            yield note("The record names no finding.")
        if stop.blocked_by == "g2" and stop.gate2:
            yield from pages(stop.gate2)
        return
    failures = [failure for output in outputs for failure in parse(output.text).failures]
    for failure in failures[:_FAILURES_AT_MOST]:
        yield from failure_lines(failure)
    if len(failures) > _FAILURES_AT_MOST:
        yield note(f"and {len(failures) - _FAILURES_AT_MOST:,} more failing tests")
    if not failures:
        yield from text_lines(stop.reason or "Nothing is recorded.")
        yield from (note(output.note) for output in outputs if output.note)


def failure_lines(failure: Failure, after: Span | None = None) -> Iterator[Spans]:
    """A failing test: its name, the line that failed, and what it saw."""
    yield say(Span(failure.test, "strong"), *([Span("   "), after] if after else []))
    if failure.source:
        yield say("  ", Span(failure.source, "added"))
    for error in failure.errors[:_ERRORS_AT_MOST]:
        yield say(f"  {error}")
    if len(failure.errors) > _ERRORS_AT_MOST:
        yield note("  …")


def _oracle(block: Block, stop: Stop) -> Iterator[Spans]:
    yield say(Span("what the oracle says", "head"))
    hidden = stop.hidden
    if block.kind == "no_oracle" or hidden is None or hidden.failed is None:
        yield note("nothing: no oracle judged this stop")
        return
    total = (hidden.passed or 0) + hidden.failed
    if hidden.failed:
        failed = ", ".join(hidden.failed_reqs) or "not named"
        yield say(f"{hidden.failed} of {counted(total, 'requirement')} failed: {failed}")
    else:
        yield say(f"all {counted(total, 'requirement')} met")


def _said(said: Triage | None) -> Iterator[Spans]:
    if said is None:
        return
    yield ()
    yield say(Span("what was said of it", "head"))
    cause = f", {said.cause}" if said.cause else ""
    when = (said.ts or "")[:16].replace("T", " ")
    yield say(f"{said.verdict}{cause}", Span(f"   {said.by or '?'}, {when}", "dim"))
    if said.note:
        yield from text_lines(said.note)


def _request(request: SideText) -> Iterator[Spans]:
    yield say(Span("what was asked", "head"))
    lines = text_lines(request.text.strip()) if request.text else []
    yield from lines[:_REQUEST_LINES]
    if len(lines) > _REQUEST_LINES:
        yield note(f"and {len(lines) - _REQUEST_LINES:,} more lines in task.md")
    if request.note:
        yield note(request.note)
