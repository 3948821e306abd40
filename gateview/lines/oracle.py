"""The requirements as the oracle saw them at a stop, and what changed since the stop before."""

from collections.abc import Iterator, Sequence

from gatecore.ledger.classes import ClassedStop
from gatecore.ledger.records import Hidden
from gateview.lines.glyphs import Glyphs
from gateview.lines.numbers import counted
from gateview.lines.spans import Span, Spans, joined, say
from gateview.lines.stop import note


def oracle_lines(stops: Sequence[ClassedStop], place: int, glyphs: Glyphs) -> list[Spans]:
    """How many requirements were met at a stop and what changed; then each by name, failed ones first."""
    hidden = _hidden(stops[place])
    if hidden is None or hidden.failed is None:
        state = hidden.state if hidden and hidden.state else "no oracle judged this stop"
        return [note(f"Nothing is known of the requirements: {state}.")]
    judged = [(stop.n, was) for stop in stops[:place] if (was := _hidden(stop)) and was.failed is not None]
    n, before = judged[-1] if judged else (None, None)
    failed = frozenset(hidden.failed_reqs)
    failed_before = frozenset(before.failed_reqs) if before else failed
    since = f"stop {'?' if n is None else n}"
    return [
        _head(hidden, before, since, failed, failed_before),
        (),
        *_failed(hidden, glyphs, since, failed_before),
        *_met(hidden, glyphs, since, stops, failed, failed_before),
    ]


def _head(
    hidden: Hidden, before: Hidden | None, since: str, failed: frozenset[str], failed_before: frozenset[str]
) -> Spans:
    total = None if hidden.passed is None or hidden.failed is None else hidden.passed + hidden.failed
    met = f"{'?' if hidden.passed is None else hidden.passed} of "
    head = Span(
        f"{met}{counted(total, 'requirement') if total is not None else '? requirements'} met", "strong"
    )
    if before is None:
        return say(head, Span("   the first stop that the oracle judged", "dim"))
    repaired, broken = sorted(failed_before - failed), sorted(failed - failed_before)
    changes = [
        say(Span(f"{len(names)} {word}", "strong"), f": {', '.join(names)}")
        for word, names in (("repaired", repaired), ("broken", broken))
        if names
    ]
    changed = joined(changes, "; ") if changes else (Span("nothing repaired, nothing broken", "dim"),)
    return say(head, Span(f"   since {since}: ", "dim"), *changed)


def _failed(hidden: Hidden, glyphs: Glyphs, since: str, before: frozenset[str]) -> Iterator[Spans]:
    for name in hidden.failed_reqs:
        change = "" if name in before else f"broken since {since}"
        yield _requirement(Span(f" {glyphs.failed} ", "strong"), name, "failed", change)
    unnamed = (hidden.failed or 0) - len(hidden.failed_reqs)
    if unnamed > 0:
        yield note(f" {glyphs.failed} {unnamed} more failed, which the record does not name")


def _met(
    hidden: Hidden,
    glyphs: Glyphs,
    since: str,
    stops: Sequence[ClassedStop],
    failed: frozenset[str],
    before: frozenset[str],
) -> Iterator[Spans]:
    named = {name for stop in stops if (was := _hidden(stop)) for name in was.failed_reqs}
    met = sorted(named - failed)
    for name in met:
        change = f"repaired since {since}" if name in before else ""
        yield _requirement(Span(f" {glyphs.met} "), name, "met", change)
    unnamed = (hidden.passed or 0) - len(met)
    if unnamed > 0:
        yield note(f" {glyphs.met} {unnamed} more met: at every stop of this run, so no record names them")


def _requirement(sign: Span, name: str, state: str, change: str) -> Spans:
    return say(sign, f"{name:<24} ", Span(f"{state:<8}", "dim"), Span(change, "strong"))


def _hidden(stop: ClassedStop) -> Hidden | None:
    return stop.entry.stop.hidden if stop.entry else None
