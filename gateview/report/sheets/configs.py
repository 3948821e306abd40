"""Per config and per task: the original's columns, and the publication's questions."""

from collections.abc import Iterable, Mapping
from json import dumps
from typing import Any

from gatecore.analysis import Results
from gatecore.analysis.markdown import task_cell
from gatecore.ledger.classes import GATES
from gateview.report.figures import NONE, UNKNOWN
from gateview.report.sheet import Cell, Number, Rate, Sheet, number, summed

_SCORED = (
    "Unit: scored run, at its end. Rates: k/n, % [95 % Wilson interval]. Requirements of one run, and runs of one "
    "task, depend on each other: intervals that knew it would be wider."
)
_ALWAYS = ("g1", "g3")
"""Gates that have columns even where no run has them."""


def configs(results: Results) -> Sheet:
    """The original's columns, per config."""
    by_cfg, gates = results["by_cfg"], _gates(results)
    rows = tuple((cfg, *_figures(figures, gates)) for cfg, figures in by_cfg.items())
    return Sheet("config", "Per config", ("config", *_head(gates)), rows, notes=(_SCORED, *_missing(by_cfg)))


def tasks(results: Results) -> Sheet:
    """Each task under each config."""
    cfgs = [cfg for cfg, figures in results["by_cfg"].items() if figures["runs"]]
    rows = tuple(
        (
            task,
            ", ".join(summary["missed_reqs"]) or "none",
            Rate(summary["hidden_reqs_passed"], summary["hidden_reqs_total"]),
            *(task_cell(results["by_task"][task][cfg]) for cfg in cfgs),
        )
        for task, summary in results["by_task_all"].items()
        if summary["runs"]
    )
    notes = ("Unit: scored run, at its end: requirements met, mean dollars, blocks a run.",)
    return Sheet("task", "Per task", ("task", "ever missed", "all", *cfgs), rows, 2, notes)


def cells(results: Results) -> Sheet:
    """The original's columns, per task and config."""
    gates = _gates(results)
    rows = tuple(
        (task, cfg, *_figures({**figures, "unknown": {}}, gates))
        for task, by_cfg in results["by_task"].items()
        for cfg, figures in by_cfg.items()
        if figures
    )
    head = ("task", "config", *_head(gates))
    return Sheet("cell", "Per task and config", head, rows, 2, (_SCORED,), detail=True)


def answers(results: Results) -> Sheet:
    """The publication's five questions."""
    rows = tuple((key, dumps(value, ensure_ascii=False)) for key, value in results["answers"].items())
    notes = ("Unit: scored run, at its end; null is not known, or not there.",)
    return Sheet("answers", "The publication's questions", ("question", "answer"), rows, 2, notes)


def _gates(results: Results) -> list[str]:
    """The gates that have columns of their own."""
    named = {gate for figures in results["by_cfg"].values() for gate in figures["right_blocks"]}
    return [gate for gate in GATES if gate in named or gate in _ALWAYS]


def _head(gates: Iterable[str]) -> tuple[str, ...]:
    ui = ["g2 reviewer"] if "g2" in gates else []
    blocks = [f"{gate} {kind}" for gate in gates for kind in ("right", "false")]
    return (
        "runs", "requirements", "fully passing", "suite green", "$/run", "worker", "g1 writer", *ui,
        "g3 reviewers", "s/run", "turns", "blocks/run", *blocks, "give-ups", "ended blocked", "model ok",
    )  # fmt: skip


def _figures(figures: Mapping[str, Any], gates: Iterable[str]) -> Iterable[Cell]:
    runs, unknown = figures["runs"], figures["unknown"]

    def share(key: str) -> Rate:
        return Rate(figures[key], runs - unknown.get(key, 0))

    def mean(key: str, digits: int, *, at_least: bool = False) -> Number:
        return number(figures[key], digits, at_least=at_least, none=UNKNOWN if runs else NONE)

    def total(key: str, gate: str | None = None) -> Number:
        if not runs:
            return Number(None, NONE)
        return summed(figures[key].get(gate, 0) if gate else figures[key], unknown.get(key, 0))

    failed_calls = bool(figures["reviewer_errors"])  # they cost something that the client did not tell
    model = {None: UNKNOWN, True: "yes", False: "no"}[figures["model_ok"]]
    return (
        runs,
        Rate(figures["hidden_reqs_passed"], figures["hidden_reqs_total"]),
        share("runs_fully_passing"),
        share("suite_green_runs"),
        mean("mean_cost_total_usd", 3, at_least=failed_calls),
        mean("mean_cost_worker_usd", 3),
        mean("mean_cost_gate1_usd", 3),
        *([number(figures.get("mean_cost_gate2_usd", 0.0), 3, none=UNKNOWN)] if "g2" in gates else []),
        mean("mean_cost_gate3_usd", 3, at_least=failed_calls),
        mean("mean_wall_s", 0),
        mean("mean_turns", 1),
        mean("blocks_per_run", 2),
        *(total(f"{kind}_blocks", gate) for gate in gates for kind in ("right", "false")),
        total("give_ups"),
        total("ended_blocked"),
        model if runs else NONE,
    )


def _missing(by_cfg: Mapping[str, Mapping[str, Any]]) -> Iterable[str]:
    for cfg, figures in by_cfg.items():
        for key, runs in figures["unknown"].items():
            yield f"{cfg}: {key} is not known of {runs} of {figures['runs']} runs; they are left out of it."
