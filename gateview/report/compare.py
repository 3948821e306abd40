"""Two corpora side by side."""

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from gatecore.analysis import Results
from gatecore.analysis.comparisons import Paired, comparison, points
from gatecore.ledger.order import config_order
from gateview.report.figures import LABELS, NONE
from gateview.report.sheet import Cell, Number, Rate, Sheet, Span, number, summed

_CONFIGS = (
    "Unit: scored run, at its end. Rates: k/n, % [95 % Wilson interval]. points, p and interval: over the tasks "
    "that both have, each task's share of requirements met in new less that in old (sign-flip test; 95 %, tasks "
    "resampled)."
)
_GATES = (
    "Unit: stop that the gate judged, by its own verdict against the oracle. Rates: k/n, % [95 % Wilson interval]. "
    "$ and minutes: of all its calls and stops, for each block that was right."
)
_BOTH = ("old", "new")


def compared(old: Results, new: Results) -> dict[str, Any]:
    """Both corpora's results, and for each config that both have how they differ over tasks."""
    cfgs = sorted(old["by_cfg"].keys() & new["by_cfg"].keys(), key=config_order)
    comparisons = {cfg: found for cfg in cfgs if (found := _comparison(cfg, old, new))}
    return {"old": old, "new": new, "comparisons": comparisons}


def _comparison(cfg: str, old: Results, new: Results) -> dict[str, Any] | None:
    paired = []
    for task in old["by_task"].keys() & new["by_task"].keys():
        before, after = old["by_task"][task].get(cfg), new["by_task"][task].get(cfg)
        if before and after and before["hidden_reqs_total"] and after["hidden_reqs_total"]:
            paired.append(Paired(task, 1, _share(after) - _share(before), (0,), (None,)))
    return comparison("old", "new", paired, unpaired=0) if paired else None


def _share(figures: Mapping[str, Any]) -> Fraction:
    return Fraction(figures["hidden_reqs_passed"], figures["hidden_reqs_total"])


def _configs(found: Mapping[str, Any]) -> Sheet:
    sides = [found[side]["by_cfg"] for side in _BOTH]
    rows, said = [], []
    for cfg in sorted(sides[0].keys() | sides[1].keys(), key=config_order):
        figures = [side.get(cfg) for side in sides]
        tested = found["comparisons"].get(cfg)
        if tested:
            said.append(f"{cfg}: {tested['sentence']}")
        rows.append(
            (
                cfg,
                *(x["runs"] if x else 0 for x in figures),
                *(
                    Rate(x["hidden_reqs_passed"], x["hidden_reqs_total"]) if x else Rate(0, 0)
                    for x in figures
                ),
                tested["tasks"] if tested else 0,
                *_difference(tested),
                *(number(x["mean_cost_total_usd"] if x else None, 3) for x in figures),
                *(number(x["mean_wall_s"] if x else None, 0) for x in figures),
            )
        )
    head = (
        "config", *_sides("runs"), *_sides("requirements"), "tasks in both", "points", "by tasks", "p",
        *_sides("$/run"), *_sides("s/run"),
    )  # fmt: skip
    notes = (*said, _CONFIGS)
    return Sheet("compare_config", "Configs, old and new", head, tuple(rows), notes=notes)


def _difference(tested: Mapping[str, Any] | None) -> tuple[Cell, ...]:
    if tested is None:
        return Number(None, NONE), Span(None, None), Number(None, NONE)
    return (
        Number(tested["difference"], points(tested["difference"])),
        Span(tested["low"], tested["high"]),
        Number(tested["p"], f"{tested['p']:.3g}"),
    )


def _gates(found: Mapping[str, Any]) -> Sheet:
    sides = [found[side]["by_gate"] for side in _BOTH]
    rows = []
    for gate in [gate for gate in LABELS if any(gate in side for side in sides)]:
        figures = [side.get(gate) for side in sides]
        rows.append(
            (
                LABELS[gate],
                *(
                    Rate(x[name]["k"], x[name]["n"]) if x else Rate(0, 0)
                    for name in ("precision", "sensitivity", "specificity")
                    for x in figures
                ),
                *(x["not_judged"] if x else 0 for x in figures),
                *(_per_right(x, "cost_known_usd", "cost_unknown", 1, 2) for x in figures),
                *(_per_right(x, "waited_known_s", "waited_unknown", 60, 1) for x in figures),
            )
        )
    names = (
        "precision",
        "sensitivity",
        "specificity",
        "not judged",
        "$ per right block",
        "min per right block",
    )
    head = ("gate", *(side for name in names for side in _sides(name)))
    return Sheet("compare_gate", "Gates, old and new", head, tuple(rows), notes=(_GATES,))


def _per_right(
    figures: Mapping[str, Any] | None, known: str, unknown: str, unit: float, digits: int
) -> Number:
    if figures is None:
        return Number(None, NONE)
    amount = figures[known]
    value = None if amount is None else amount / unit
    return summed(value, figures[unknown], digits, per=figures["blocks"]["right"])


def _sides(name: str) -> tuple[str, str]:
    return f"{name} old", f"{name} new"


SHEETS: dict[str, Callable[[Mapping[str, Any]], Sheet]] = {
    "compare_config": _configs,
    "compare_gate": _gates,
}
"""Every table of a comparison by its name."""
