"""How far a matrix is, about how long it still takes, and which runs are under way."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from gatecore.ledger.order import natural
from gateview.store.plan import Plan
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
    plan = view.plan
    if not plan.cells:
        status = view.status
        return Progress(
            done=status.get("scored", 0) + status.get("ended", 0),
            running=status.get("running", 0),
            invalid=status.get("invalid", 0),
            open=status.get("open", 0),
        )
    rows = {key: row for key in plan.cells if (row := view.rows.get(key))}
    invalid = {key for key in plan.cells if plan.ended.get(key) in ("invalid", "failed")}
    running = plan.cells.keys() & plan.running
    scored = {key for key in plan.cells if key in plan.ended or (key in rows and rows[key].run.score)}
    waiting = plan.cells.keys() - scored - invalid - running
    return Progress(
        done=len(scored - invalid - running),
        running=len(running),
        invalid=len(invalid),
        open=0,
        planned=0 if plan.over else len(waiting),
        left_s=None if plan.over else _left(plan, rows.values(), running, waiting),
        paused=plan.paused,
    )


def _left(plan: Plan, rows: Iterable[Row], running: set[str], waiting: set[str]) -> float | None:
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
    work = sum(part * means.get(plan.cells[key].cfg, overall) for key, part in share.items())
    return work / len(running)


def under_way(view: View) -> list[Row]:
    """Rows of the runs that are going on now, by name."""
    rows = (view.rows[key] for key in view.running if not _halted(view, key))
    return sorted(rows, key=lambda row: natural(row.key))


def _halted(view: View, key: str) -> bool:
    """Whether the plan that the run belongs to says that it does not go on, whatever its own files say."""
    plans = (plan for prefix, plan in view.plans.items() if key.startswith(prefix))
    return any(plan.over or plan.paused or key in plan.ended for plan in plans)
