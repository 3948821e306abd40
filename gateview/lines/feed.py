"""The feed of decisions: two lines each, what was decided and what was found."""

from gateview.lines.gist import gist
from gateview.lines.glyphs import WORDS, Glyphs
from gateview.lines.spans import Span, Spans, crop, say
from gateview.store.rows import Decision
from gateview.store.times import clock


def decision_lines(decision: Decision, glyphs: Glyphs, width: int) -> tuple[Spans, Spans]:
    """Return the two lines of one decision."""
    stop = decision.stop
    record = stop.entry.stop if stop.entry else None
    gate = record.blocked_by if record and record.blocked_by else ""
    words = WORDS[stop.kind].split()[0] if gate and stop.kind in ("right", "false") else WORDS[stop.kind]
    head = say(
        Span(clock(decision.when) if decision.when else "?", "dim"),
        "  ",
        decision.key,
        Span(f"  {stop.n if stop.n is not None else '?'}  ", "dim"),
        glyphs.stop(stop.kind),
        f" {gate} {words}" if gate else f" {words}",
        Span(" repeat" if record and record.repeat else "", "dim"),
    )
    return crop(head, width), crop(say(Span(f"          {gist(stop)}", "dim")), width)
