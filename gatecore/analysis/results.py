"""All figures of some runs as one JSON-ready mapping: the original harness's keys, and ours beside them."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple, TypeVar

from gatecore.analysis.answers import answers
from gatecore.analysis.columns import columns
from gatecore.analysis.order import config_order, natural
from gatecore.analysis.outcomes import gate_figures, left_out, outcomes, stops_by_class, unreadable
from gatecore.ledger.records import plain
from gatecore.ledger.run import Run
from gatecore.ledger.tallies import Tally, tally_run, total

G = TypeVar("G", str, tuple[str, str])
Results = dict[str, Any]
_OURS = frozenset(("invalid", "hunted", "tampered", "alarm", "state"))
"""Fields that the original harness does not write: left out of a run that does not have them."""


class _Tallied(NamedTuple):
    run: Run
    tally: Tally


def results(runs: Mapping[str, Run]) -> Results:
    """Return the figures over `runs`, by key; their order does not matter.

    Keys of the original: `n_runs`, `by_cfg`, `by_task` (task -> config), `by_task_all`, `answers`, `runs`,
    over every run that is scored and counts. Added: `by_cfg.<cfg>` and `by_task_all.<task>` have `stops`
    (class -> count, over every run that counts, scored or not) and `unknown` (key -> runs left out of that
    figure), and there are `by_gate`, `outcomes`, `left_out` (run -> why) and `unreadable`.
    """
    runs = {key: runs[key] for key in sorted(runs)}
    counted = {key: run for key, run in runs.items() if run.counted}
    tallied = [_Tallied(run, tally_run(run)) for run in counted.values()]
    of_cfg = _grouped(tallied, lambda run: run.cfg)
    of_task = _grouped(tallied, lambda run: run.task)
    of_cell = _grouped(tallied, lambda run: (run.task, run.cfg))
    cfgs, tasks = sorted(of_cfg, key=config_order), sorted(of_task, key=natural)
    tallies = {cfg: _total(of_cfg[cfg]) for cfg in cfgs}
    whole = total(tallies.values())
    by_cfg = {cfg: _summary(of_cfg[cfg], tallies[cfg]) for cfg in cfgs}
    scored = [run.score for run in counted.values() if run.score]
    return {
        "n_runs": len(scored),
        "by_cfg": by_cfg,
        "by_task": {task: {cfg: _cell(of_cell.get((task, cfg), [])) for cfg in cfgs} for task in tasks},
        "by_task_all": {task: _summary(of_task[task], _total(of_task[task])) for task in tasks},
        "by_gate": {gate: gate_figures(tally) for gate, tally in whole.gates.items()},
        "answers": answers(by_cfg, [cfg for cfg in cfgs if "g1" in tallies[cfg].gates]),
        "outcomes": outcomes(counted, whole),
        "left_out": left_out(runs),
        "unreadable": unreadable(runs),
        "runs": [plain(score, without=_OURS) for score in scored],
    }


def _grouped(runs: Iterable[_Tallied], by: Callable[[Run], G]) -> dict[G, list[_Tallied]]:
    groups: dict[G, list[_Tallied]] = {}
    for tallied in runs:
        groups.setdefault(by(tallied.run), []).append(tallied)
    return groups


def _total(runs: Iterable[_Tallied]) -> Tally:
    return total(tallied.tally for tallied in runs)


def _summary(runs: Iterable[_Tallied], tally: Tally) -> dict[str, Any]:
    figures, unknown = columns(tallied.run for tallied in runs)
    return {**figures, "unknown": unknown, "stops": stops_by_class(tally)}


def _cell(runs: Iterable[_Tallied]) -> dict[str, Any] | None:
    figures = columns(tallied.run for tallied in runs).figures
    return figures if figures["runs"] else None
