"""What each run that is under way does now."""

from collections.abc import Mapping

from gatecore.ledger.run import Begun
from gateview.lines.numbers import counted
from gateview.lines.spans import Column, Span, Spans, crop, say, table, width_of
from gateview.store.replays import Replaying
from gateview.store.rows import Row
from gateview.store.times import epoch
from gateview.store.times import span as time_span

_NONE: Mapping[str, Replaying] = {}
_COLUMNS = (Column("now"), Column(""), Column("", right=True))
_GAP = 2
_LEAST = 8


def lane_table(
    rows: list[Row], now: float, width: int, replays: Mapping[str, Replaying] = _NONE
) -> list[Spans]:
    """One line for each thing under way, a head first; `now` in seconds since the epoch."""
    lanes = [cells for row in rows for cells in _lanes(row, now)]
    lanes += [
        [say(run), say(f"replay {name}, stop {'?' if n is None else n}"), _since(since, now)]
        for name, replay in replays.items()
        for (run, n), since in replay.now.items()
    ]
    if not lanes:
        return [say(Span("now", "head")), say(Span("nothing is running", "dim"))]
    names, since = (max(width_of(lane[i]) for lane in lanes) for i in (0, 2))
    room = max(_LEAST, width - names - since - 2 * _GAP)  # how long it takes tells more than the last words
    return table(_COLUMNS, [[name, crop(what, room), time] for name, what, time in lanes], width, gap=_GAP)


def _lanes(row: Row, now: float) -> list[list[Spans]]:
    activity = row.run.activity
    if not activity.begun:
        return [[say(row.key), say(_phase(row)), _since(activity.since, now)]]
    return [[say(row.key), say(_stop(begun)), _since(_newest(begun), now)] for begun in activity.begun]


def _phase(row: Row) -> str:
    phase = row.run.activity.phase or "?"
    stops = sum(stop.line is not None for stop in row.stops)
    if phase == "worker" and stops:
        return f"worker, after {counted(stops, 'stop')}"
    return phase


def _stop(begun: Begun) -> str:
    checks = ", ".join(name for name, _ in begun.checks)
    return f"stop {begun.n if begun.n is not None else '?'} · {checks or 'snapshot'}"


def _newest(begun: Begun) -> str | None:
    return begun.checks[-1][1] if begun.checks else begun.ts


def _since(ts: str | None, now: float) -> Spans:
    since = epoch(ts)
    return say(Span("?" if since is None else time_span(now - since), "dim"))
