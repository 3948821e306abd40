"""`results.md` in the original harness's shape."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from gatecore.text import line

UNKNOWN = "?"
_LONGEST = 1000
_LEGEND = (
    "Right block = the hidden oracle had at least one failing requirement at that stop; "
    "false block = the oracle was fully green at that stop "
    "(the gate sent the agent back for nothing the user asked for).\n"
)
_ESCAPES = str.maketrans({char: f"\\{char}" for char in "\\|`*<"})


def brief(text: str) -> str:
    """Untrusted text as one line that is safe to show, cut when it is very long."""
    safe = line(text)
    return safe if len(safe) <= _LONGEST else safe[:_LONGEST] + "…"


def escaped(text: str) -> str:
    """Untrusted text as one line of Markdown in which nothing is markup, cut when it is very long."""
    return brief(text).translate(_ESCAPES).replace("](", "]\\(")


def row(cells: Iterable[str]) -> str:
    """One row of a table; the cells are Markdown."""
    return f"| {' | '.join(cells)} |\n"


def head(names: Iterable[str]) -> str:
    """The two head rows of a table."""
    names = list(names)
    return row(names) + "|---" * len(names) + "|\n"


def results_md(results: Mapping[str, Any]) -> str:
    """Return the original's tables over `results`; what is not known is ``?``.

    Configs and tasks of which no run is scored have no row.
    """
    return "".join(
        (
            f"# gate-bench results\n\n{results['n_runs']} runs scored (matrix runs only).\n\n",
            f"## Per config\n\n{_per_config(results)}\n",
            f"## Per task (hidden reqs passed / total, per config)\n\n{_per_task(results)}\n",
            f"## The video's questions\n\n{_answers(results['answers'])}\n",
            _false_blocks(results),
            _LEGEND,
        )
    )


def _scored(summaries: Mapping[str, Mapping[str, Any]]) -> dict[str, Mapping[str, Any]]:
    return {name: figures for name, figures in summaries.items() if figures["runs"]}


def _per_config(results: Mapping[str, Any]) -> str:
    scored = _scored(results["by_cfg"])
    gates = sorted({gate for figures in scored.values() for gate in figures["right_blocks"]})
    ui = " + g2 reviewer" if "g2" in gates else ""
    names = (
        "cfg",
        "runs",
        "hidden reqs",
        "fully passing",
        "suite green",
        f"mean $ total (worker + g1 writer{ui} + g3 reviewers)",
        "mean wall s",
        "blocks/run",
        *(f"{gate} right/false" for gate in gates),
        "give-ups",
        "ended blocked",
        "model ok",
    )
    rows = (row(_config_cells(cfg, figures, gates)) for cfg, figures in scored.items())
    return head(names) + "".join(rows)


def _config_cells(cfg: str, figures: Mapping[str, Any], gates: Sequence[str]) -> tuple[str, ...]:
    parts = ("worker", "gate1", *(["gate2"] if "g2" in gates else []), "gate3")
    costs = " + ".join(_number(figures.get(f"mean_cost_{part}_usd", 0.0), 3) for part in parts)
    return (
        escaped(cfg),
        str(figures["runs"]),
        f"{_passed(figures)} ({_percent(figures['hidden_rate'])})",
        _number(figures["runs_fully_passing"]),
        _number(figures["suite_green_runs"]),
        f"{_number(figures['mean_cost_total_usd'], 3)} ({costs})",
        _number(figures["mean_wall_s"]),
        _number(figures["blocks_per_run"], 2),
        *(
            f"{_number(figures['right_blocks'].get(gate, 0))}/{_number(figures['false_blocks'].get(gate, 0))}"
            for gate in gates
        ),
        _number(figures["give_ups"]),
        _number(figures["ended_blocked"]),
        UNKNOWN if figures["model_ok"] is None else str(figures["model_ok"]),
    )


def _per_task(results: Mapping[str, Any]) -> str:
    cfgs = list(_scored(results["by_cfg"]))
    table = head(("task", *map(escaped, cfgs), "missed reqs (all configs)"))
    for task, summary in _scored(results["by_task_all"]).items():
        cells = results["by_task"][task]
        missed = ", ".join(map(escaped, summary["missed_reqs"]))
        table += row((escaped(task), *(task_cell(cells[cfg]) for cfg in cfgs), missed))
    return table


def task_cell(figures: Mapping[str, Any] | None) -> str:
    """A task under one config: requirements, mean cost, blocks a run; ``-`` when no run of it is scored."""
    if figures is None:
        return "-"
    cost, blocks = _number(figures["mean_cost_total_usd"], 2), _number(figures["blocks_per_run"], 1)
    return f"{_passed(figures)}, ${cost}, {blocks} blk"


def _answers(answers: Mapping[str, Any]) -> str:
    return "".join(f"- **{key}**: `{_code(value)}`\n" for key, value in answers.items())


def _false_blocks(results: Mapping[str, Any]) -> str:
    shares = ", ".join(
        f"{escaped(cfg)} {_number(counts['false'])}/{_number(results['by_cfg'][cfg]['blocks_by_gate']['g1'])}"
        for cfg, counts in results["answers"]["q4_gate1_false_blocks"].items()
    )
    return (
        "Gate 1 false blocks (gate 1 blocked while the hidden oracle was fully green): "
        f"{shares} (false / all g1 blocks).\n\n"
    )


def _passed(figures: Mapping[str, Any]) -> str:
    return f"{_number(figures['hidden_reqs_passed'])}/{_number(figures['hidden_reqs_total'])}"


def _number(value: float | None, digits: int = 0) -> str:
    return UNKNOWN if value is None else f"{value:.{digits}f}"


def _percent(rate: float | None) -> str:
    return UNKNOWN if rate is None else f"{rate:.0%}"


def _code(value: Any) -> str:
    """JSON that a pair of backticks can hold: a backtick in a name is written as an escape."""
    return json.dumps(value).replace("`", "\\u0060")
