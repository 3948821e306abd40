"""Runs that are not there, although the others make one expect them."""

from collections.abc import Iterable
from itertools import product

from gatecore.analysis.order import config_order, natural
from gatecore.ledger.run import Run


def missing(runs: Iterable[Run]) -> list[str]:
    """Names of the runs that would complete the grid of tasks, configs and repetitions of those that count.

    None when these are no grid: less than a tenth of it.
    """
    runs = list(runs)
    cells = {run.identity for run in runs if run.counted}
    tasks = sorted({task for task, _, _ in cells if task}, key=natural)
    cfgs = sorted({cfg for _, cfg, _ in cells if cfg}, key=config_order)
    reps = sorted({rep for _, _, rep in cells if rep is not None})
    if len(tasks) * len(cfgs) * len(reps) > 10 * len(cells):
        return []
    present = {run.name for run in runs}
    grid = (f"{task}-{cfg}-r{rep}" for task, cfg, rep in product(tasks, cfgs, reps))
    return [name for name in grid if name not in present]
