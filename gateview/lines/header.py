"""The first line: what is watched, how far it is, and what it has cost."""

from rich.cells import cell_len

from gateview.lines.spans import Span, Spans, between, joined, say, width_of
from gateview.report.figures import money
from gateview.store.progress import Progress
from gateview.store.times import span as time_span
from gateview.store.view import View


def header(
    view: View, progress: Progress, watched: str, width: int, right: Spans = (), pending: int = 0
) -> Spans:
    """Lay the line out in `width` cells; time left and dollars fall away first, then the planned cells."""
    parts = _parts(view, progress, pending)
    title = Span(_end_of(watched, max(16, width // 3)), "strong")
    while True:
        left = say(title, "   ", *joined([(part,) for part in parts], " · "))
        if len(parts) <= 1 or width_of(left) + width_of(right) + 2 <= width:
            return between(left, say("  ", *right), width)
        parts = parts[:-1]


def _parts(view: View, progress: Progress, pending: int) -> list[Span]:
    """What is said, the most important first."""
    if pending:
        return [Span(f"reading {len(view.rows):,} of {len(view.rows) + pending:,} runs", "warn")]
    if not view.rows and progress.planned is None:
        return [Span("no runs yet", "dim")]
    parts = [Span(f"{progress.done:,} done")]
    if progress.paused:
        parts.append(Span(f"paused: {progress.paused}", "warn"))
    for name, replay in view.replays.items():
        parts.append(
            Span(f"replay {name} {replay.done:,}/{'?' if replay.stops is None else f'{replay.stops:,}'}")
        )
    if progress.running:
        parts.append(Span(f"{progress.running:,} running"))
    if progress.planned:
        parts.append(Span(f"{progress.planned:,} planned"))
    if progress.open:
        parts.append(Span(f"{progress.open:,} unfinished"))
    if progress.invalid:
        parts.append(Span(f"{progress.invalid:,} invalid"))
    if view.rows:
        parts.append(Span(_spent(view)))
    if progress.left_s is not None:
        parts.append(Span(f"about {time_span(progress.left_s)} left"))
    return parts


def _spent(view: View) -> str:
    text = money(view.spent)
    return f"≥ ${text[1:]}" if text.startswith("≥") else f"${text}"


def _end_of(path: str, width: int) -> str:
    """The end of a path that is too long; it tells more than the beginning."""
    path = Span(path).text
    if cell_len(path) <= width:
        return path
    while cell_len(path) >= width:
        path = path[1:]
    return f"…{path}"
