"""Configs against each other, over the same runs."""

from gatecore.analysis import Results
from gatecore.analysis.comparisons import points
from gateview.report.figures import NONE
from gateview.report.sheet import Number, Sheet, Span, number

_UNIT = (
    "Unit: task; the difference is the mean over tasks of the paired difference of requirements met, over the same "
    "(task, rep). p: exact sign-flip test over tasks, two-sided; interval: 95 %, tasks resampled (bootstrap)."
)


def comparisons(results: Results) -> Sheet:
    """Each config against the first, and the publication's other pairs."""
    rows = tuple(
        (
            f"{x['new']} against {x['old']}",
            x["pairs"],
            x["unpaired"],
            x["tasks"],
            x["better"],
            x["worse"],
            Number(x["difference"], points(x["difference"])),
            Span(x["low"], x["high"]),
            Number(x["p"], f"{'' if x['p_exact'] else '~'}{x['p']:.3g}"),
            Number(x["smallest_p_of_all"], f"{x['smallest_p_of_all']:.3g}"),
            number(x["cost_difference_usd"], 3),
            number(x["cost_per_requirement_gained_usd"], 3, none=NONE),
        )
        for x in results["comparisons"]
    )
    head = (
        "configs", "pairs", "unpaired", "tasks", "better", "worse", "points", "by tasks", "p",
        "smallest p", "$/run more", "$ per requirement gained",
    )  # fmt: skip
    said = (f"{x['new']} against {x['old']}: {x['sentence']}" for x in results["comparisons"])
    return Sheet("comparisons", "Comparisons", head, rows, notes=(*said, _UNIT))
