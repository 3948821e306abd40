"""How far a matrix is, about how long it still takes, and which runs are under way."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from gatecore.analysis.order import natural
from gateview.store.rows import Row
from gateview.store.view import View


@dataclass(frozen=True, slots=True)
class Progress:
    """Cells by state. `planned` are those not started, None without a plan; `left_s` is None when unknown."""

    done: int
    running: int
    invalid: int
    open: int  # neither over nor under way
    planned: int | None = None
    left_s: float | None = None
    paused: str | None = None


def progress(view: View) -> Progress:
    """Count the cells of the plan where there is one, else the runs that are there."""
    matrix = view.state.matrix
    if not matrix.planned:
        status = [row.status for row in view.rows.values()]
        return Progress(
            done=status.count("scored") + status.count("ended"),
            running=status.count("running"),
            invalid=status.count("invalid"),
            open=status.count("open"),
        )
    names = {cell.run for cell in matrix.planned}
    rows = {key: row for key, row in view.rows.items() if key in names}
    invalid = {n for n in names if matrix.ended.get(n) in ("invalid", "failed")}
    running = names & matrix.running
    done = {n for n in names if n in matrix.ended or (n in rows and rows[n].run.score)} - invalid - running
    waiting = names - done - invalid - running
    return Progress(
        done=len(done),
        running=len(running),
        invalid=len(invalid),
        open=0,
        planned=0 if matrix.over else len(waiting),
        left_s=None if matrix.over else _left(view, rows.values(), running, waiting),
        paused=matrix.paused,
    )


def _left(view: View, rows: Iterable[Row], running: set[str], waiting: set[str]) -> float | None:
    """Seconds left, from the mean run of each config so far; a running cell counts half."""
    times: defaultdict[str, list[float]] = defaultdict(list)
    for row in rows:
        if row.seconds is not None:
            writer = row.run.writer.wall_s if row.run.writer else None
            times[row.run.cfg].append(row.seconds + (writer or 0.0))
    if not times or not running:
        return None
    means = {cfg: sum(t) / len(t) for cfg, t in times.items()}
    overall = sum(map(sum, times.values())) / sum(map(len, times.values()))
    share = dict.fromkeys(running, 0.5) | dict.fromkeys(waiting, 1.0)
    work = sum(share.get(c.run, 0.0) * means.get(c.cfg, overall) for c in view.state.matrix.planned)
    return work / len(running)


def under_way(view: View) -> list[Row]:
    """Rows of the runs that are going on now, by name."""
    matrix = view.state.matrix
    if matrix.over or matrix.paused:
        return []
    rows = (r for r in view.rows.values() if r.status == "running" and r.key not in matrix.ended)
    return sorted(rows, key=lambda r: natural(r.key))
