"""Two configs over the same runs: paired differences, and what so few tasks can show."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from math import fsum
from typing import Any, NamedTuple

from gatecore.analysis.columns import KEYS
from gatecore.analysis.digest import Digest
from gatecore.ledger.order import config_order, natural
from gatecore.stats import Cluster, bootstrap, sign_flip, smallest_p

_PASSED, _JUDGED, _COST = (
    KEYS.index(key) for key in ("hidden_reqs_passed", "hidden_reqs_total", "mean_cost_total_usd")
)
_ALSO = (("g1", "g13"), ("g13", "g13adv"))
"""Compared besides each config with the first one: the publication's other questions."""
_CONVENTION = 0.05


class Paired(NamedTuple):
    """One task's pairs of runs: how many, the mean difference of the share of requirements met (a fraction of
    1), the difference in requirements met, and each pair's difference in dollars, None where not known.
    """

    task: str
    pairs: int
    difference: Fraction
    met: Sequence[int]
    dollars: Sequence[float | None]


class _Scored(NamedTuple):
    """What is compared of a run: requirements met and judged, and dollars, None where not known."""

    run: str
    met: int
    judged: int
    dollars: float | None


_Runs = dict[str, dict[tuple[str, int | None], _Scored]]
"""Runs of one config, by task, and by folder and repetition."""


class Pairs:
    """The scored runs, by config, task, folder and repetition."""

    def __init__(self) -> None:
        self._runs: dict[str, _Runs] = {}

    def add(self, key: str, digest: Digest) -> None:
        """Take in a scored run that the oracle judged. Runs of one folder are pairs among themselves."""
        met, judged = digest.row[_PASSED], digest.row[_JUDGED]
        if met is None or not judged:
            return
        runs = self._runs.setdefault(digest.cfg, {}).setdefault(digest.task, {})
        same = key.rpartition("/")[0], digest.rep
        known = runs.get(same)
        if known is None or key < known.run:  # of two that say they are the same run, the first by name
            runs[same] = _Scored(key, int(met), int(judged), digest.row[_COST])

    def comparisons(self) -> list[dict[str, Any]]:
        """Each config against the first, and the publication's other pairs; without a pair of runs, none."""
        cfgs = sorted(self._runs, key=config_order)
        wanted = [(cfgs[0], cfg) for cfg in cfgs[1:]]
        wanted += [pair for pair in _ALSO if pair not in wanted and set(pair) <= set(cfgs)]
        return [found for old, new in wanted if (found := self._comparison(old, new))]

    def _comparison(self, old: str, new: str) -> dict[str, Any] | None:
        before, after = self._runs[old], self._runs[new]
        paired = list(_paired(before, after))
        runs = sum(len(of_task) for side in (before, after) for of_task in side.values())
        unpaired = runs - 2 * sum(task.pairs for task in paired)
        return comparison(old, new, paired, unpaired=unpaired) if paired else None


def comparison(old: str, new: str, paired: Sequence[Paired], *, unpaired: int) -> dict[str, Any]:
    """How `new` differs from `old` over `paired` tasks: each task weighs the same."""
    differences = [task.difference for task in paired]
    tasks = len(differences)
    mean = sum(differences, Fraction()) / tasks
    p, interval = sign_flip(differences), bootstrap([Cluster(value) for value in differences])
    assert p is not None  # there is a task
    differing = sum(1 for value in differences if value)
    figures = {
        "old": old,
        "new": new,
        "pairs": sum(task.pairs for task in paired),
        "unpaired": unpaired,
        "tasks": tasks,
        "better": sum(1 for value in differences if value > 0),
        "worse": sum(1 for value in differences if value < 0),
        "difference": float(mean),
        "low": interval.low if interval else None,
        "high": interval.high if interval else None,
        "interval_exact": interval.exact if interval else None,
        "p": p.p,
        "p_exact": p.exact,
        "smallest_p": smallest_p(differing),
        "smallest_p_of_all": smallest_p(tasks),
        "by_task": {task.task: float(task.difference) for task in paired},
        **_gained(paired),
    }
    return {**figures, "sentence": sentence(figures)}


def sentence(figures: Mapping[str, Any]) -> str:
    """What this number of tasks can and cannot show of the difference, in words."""
    tasks, differing = figures["tasks"], figures["better"] + figures["worse"]
    if not differing:
        return f"no difference on any of {_counted(tasks, 'task')}, which so few do not show to be equality."
    about = "" if figures["p_exact"] else "about "
    spread = "all tasks differ alike, so resampling them tells no spread"
    if figures["low"] is not None:
        spread = (
            f"{points(figures['low'])} to {points(figures['high'])} points when tasks are resampled (95 %)"
        )
    said = (
        f"{points(figures['difference'])} points over {_counted(tasks, 'task')}: p = {about}{figures['p']:.3g} "
        f"(sign-flip test over tasks); {spread}"
    )
    if figures["p"] < _CONVENTION:
        return f"{said}. That is more than chance gives on these tasks; of other tasks it says nothing yet."
    least = f"no p below {figures['smallest_p_of_all']:.3g} is possible with {_counted(tasks, 'task')}"
    if differing < tasks:
        differ = "task that differs" if differing == 1 else "tasks that differ"
        least += f", none below {figures['smallest_p']:.3g} with {differing} {differ}"
    way_out = "More tasks can tell, more repetitions of these cannot."
    if figures["smallest_p_of_all"] < _CONVENTION:
        way_out = "More tasks can tell."
    return f"{said}. This may be chance: {least}. {way_out}"


def points(share: float) -> str:
    """A difference of rates in points, with its sign."""
    return f"{100 * share:+.0f}" if round(100 * share) else "0"


def _counted(n: int, what: str) -> str:
    return f"{n} {what}{'' if n == 1 else 's'}"


def _paired(old: _Runs, new: _Runs) -> Iterator[Paired]:
    for task in sorted(old.keys() & new.keys(), key=natural):
        others = new[task]
        pairs = [(before, after) for same, before in old[task].items() if (after := others.get(same))]
        if pairs:
            yield Paired(
                task,
                len(pairs),
                (_rates([after for _, after in pairs]) - _rates([before for before, _ in pairs]))
                / len(pairs),
                [after.met - before.met for before, after in pairs],
                [_more(before.dollars, after.dollars) for before, after in pairs],
            )


def _rates(runs: Iterable[_Scored]) -> Fraction:
    """The sum of the runs' shares of requirements met."""
    met: dict[int, int] = {}  # by how many were judged
    for run in runs:
        met[run.judged] = met.get(run.judged, 0) + run.met
    return sum((Fraction(n, judged) for judged, n in met.items()), Fraction())


def _more(before: float | None, after: float | None) -> float | None:
    return None if before is None or after is None else after - before


def _gained(paired: Sequence[Paired]) -> dict[str, Any]:
    """What `new` costs more than `old`, over the pairs whose costs are both known."""
    known = [
        (met, cost)
        for task in paired
        for met, cost in zip(task.met, task.dollars, strict=True)
        if cost is not None
    ]
    cost, met = fsum(cost for _, cost in known), sum(met for met, _ in known)
    return {
        "cost_pairs": len(known),
        "cost_difference_usd": cost / len(known) if known else None,
        "requirements_gained": met if known else None,
        "cost_per_requirement_gained_usd": cost / met if met > 0 else None,
    }
