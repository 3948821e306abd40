"""Runs that are not there, although the others make one expect them."""

from collections.abc import Collection
from itertools import product

from gatecore.ledger.order import config_order, natural

Identity = tuple[str, str, int | None]
"""Task, config and repetition."""


def missing(cells: Collection[Identity], present: Collection[str]) -> list[str]:
    """Names of the runs that would complete the grid of tasks, configs and repetitions of `cells`.

    `cells` are the runs that count, `present` the names of all runs. None when these are no grid: less than a
    tenth of it. A run whose task or config is not known (``?``) belongs to none.
    """
    cells = [cell for cell in cells if "?" not in cell]
    columns = zip(*cells, strict=True) if cells else ((), (), ())
    names, configs, numbers = (set(column) for column in columns)
    tasks, cfgs = sorted(names, key=natural), sorted(configs, key=config_order)
    reps = sorted(rep for rep in numbers if rep is not None)
    size = len(tasks) * len(cfgs) * len(reps)
    if size == len(cells) or size > 10 * len(cells):
        return []
    grid = (f"{task}-{cfg}-r{rep}" for task, cfg, rep in product(tasks, cfgs, reps))
    return [name for name in grid if name not in present]
