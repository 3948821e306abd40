"""What each gate caught and let through, and what happened at the stops in all."""

from collections.abc import Mapping

from gatecore.ledger.tallies import Tally
from gateview.lines.numbers import counted, rate_spans
from gateview.lines.spans import Column, Span, Spans, crop, flow, say, table
from gateview.report.figures import lower_bound
from gateview.report.gates import GateRow, gate_rows
from gateview.store.view import View

_COLUMNS = (
    Column(""),
    Column("right", right=True),
    Column("false", right=True),
    Column("missed", right=True),
    Column("clean", right=True),
    Column("not judged", right=True, drop=2),
    Column("precision", drop=1),
    Column("catches", drop=3),
    Column("cost", right=True, drop=6),
    Column("per right", right=True, drop=5),
    Column("waited", right=True, drop=4),
)


def gate_table(tallies: Mapping[str, Tally], width: int, before: Mapping[str, Tally]) -> list[Spans]:
    """One line a gate, heads first; what is other than `before` stands out. Intervals go in narrow spaces."""
    rows = gate_rows(tallies)
    if not rows:
        return [say(Span("no gate has judged a stop yet", "dim"))]
    intervals = width >= 100
    old = {row.gate: _cells(row, intervals) for row in gate_rows(before)}
    return table(
        _COLUMNS,
        [_marked(_cells(row, intervals), old.get(row.gate)) for row in rows],
        width,
        gap=2 if width >= 60 else 1,
    )


def _marked(cells: list[Spans], before: list[Spans] | None) -> list[Spans]:
    if before is None:
        return cells
    return [
        cell if cell == old else tuple(span.also("fresh") for span in cell)
        for cell, old in zip(cells, before, strict=True)
    ]


def _cells(row: GateRow, intervals: bool) -> list[Spans]:
    return [
        say(row.gate),
        _number(row.right, "agree"),
        _number(row.false, "disagree"),
        _number(row.missed, "disagree"),
        _number(row.clean, "agree"),
        _number(row.not_judged, "unknown"),
        rate_spans(row.precision, interval=intervals),
        rate_spans(row.catches, interval=intervals),
        say(row.cost),
        say(row.per_right),
        say(row.waited),
    ]


def _number(count: int, role: str) -> Spans:
    return (Span(f"{count:,}", role if count else "dim"),)


def totals(view: View, width: int) -> list[Spans]:
    """Blocks and their classes, everything that is neither right nor wrong, and what is left out."""
    tally = view.tally
    stops = tally.stops
    repeats = lower_bound(tally.repeats, unknown=tally.repeats_unknown)
    parts = [
        say(
            Span(f"{stops.get('right', 0):,} right", "agree"),
            ", ",
            Span(f"{stops.get('false', 0):,} false", "disagree"),
            f" of {counted(tally.blocks, 'block')} ({repeats} repeats)",
        ),
        say(f"{stops.get('gave_up', 0):,} gave up"),
        say(counted(stops.get("error", 0), "error")),
        say(f"{stops.get('killed', 0):,} killed"),
    ]
    for kind, words in (
        ("no_oracle", "without oracle"),
        ("skipped", "skipped"),
        ("other", "of an unknown kind"),
    ):
        if number := stops.get(kind):
            parts.append(say(Span(f"{number:,} {words}", "unknown")))
    if view.awaiting:
        parts.append(say(Span(f"{view.awaiting:,} awaiting engineer", "strong")))
    if view.left_out:
        parts.append(say(Span(f"{counted(view.left_out, 'run')} left out", "dim")))
    if view.unreadable:
        parts.append(say(Span(f"{view.unreadable:,} unreadable", "warn")))
    return [crop(line, width) for line in flow(parts, " · ", width)]
