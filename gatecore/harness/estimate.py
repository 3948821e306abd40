"""What the cells of a matrix that are still to run will cost, judged by the runs so far."""

from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean
from typing import NamedTuple

from gatecore.harness.site import Cell
from gatecore.ledger.run import Run


class Mean(NamedTuple):
    """Of one config's runs: dollars and seconds a run, None where no run tells, and how many runs there are."""

    usd: float | None
    seconds: float | None
    runs: int


class Estimate(NamedTuple):
    """Of some cells: the sums of what is known, and for how many cells nothing is."""

    usd: float
    usd_unknown: int
    seconds: float
    seconds_unknown: int


NOTHING = Mean(None, None, 0)


def means(runs: Iterable[Run]) -> dict[str, Mean]:
    """The means by config over the runs that are scored and count."""
    by_cfg: dict[str, list[Run]] = {}
    for run in runs:
        if run.counted and run.score:
            by_cfg.setdefault(run.cfg, []).append(run)
    return {cfg: _mean(some) for cfg, some in by_cfg.items()}


def estimate(cells: Sequence[Cell], by_cfg: Mapping[str, Mean]) -> Estimate:
    """The sums over `cells`, each at the mean of its config."""
    of_cells = [by_cfg.get(cell.cfg, NOTHING) for cell in cells]
    usd = [mean.usd for mean in of_cells]
    seconds = [mean.seconds for mean in of_cells]
    return Estimate(
        sum(x for x in usd if x is not None),
        usd.count(None),
        sum(x for x in seconds if x is not None),
        seconds.count(None),
    )


def cost(run: Run) -> float | None:
    """Dollars of a run in all, None when not known; the original harness writes 0 for a worker that never told."""
    score = run.score
    if score is None or not (score.has_result_line or score.cost_worker_usd):
        return None
    return score.cost_total_usd


def _mean(runs: Sequence[Run]) -> Mean:
    usd = [x for x in map(cost, runs) if x is not None]
    seconds = [x for x in map(_seconds, runs) if x is not None]
    return Mean(fmean(usd) if usd else None, fmean(seconds) if seconds else None, len(runs))


def _seconds(run: Run) -> float | None:
    """From the writer's begin to the worker's end; None when not known."""
    wall = run.score.wall_s if run.score else None
    writing = run.writer.wall_s if run.writer else 0.0
    return None if wall is None or writing is None else wall + writing
