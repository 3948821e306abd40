"""The tables of the report, from the results and the state."""

from collections.abc import Iterable, Mapping
from typing import Any

from gatecore.analysis import Results
from gatecore.analysis.markdown import task_cell
from gatecore.ledger.classes import STOP_CLASSES
from gateview.report.figures import AT_LEAST, NONE, UNKNOWN, lower_bound, rate
from gateview.report.gates import gate_rows
from gateview.report.sheet import Sheet
from gateview.store.state import State

_SCORED = (
    "Unit: scored run, at its end. Rates: k/n, % [95 % Wilson interval]. Requirements of one run, and runs of one "
    "task, depend on each other: intervals that knew it would be wider."
)
_JUDGED = (
    "Unit: stop that the gate judged, by its own verdict against the oracle, whatever was decided; stops where it "
    "gave up count in both. precision = right / (right + false), catches = right / (right + missed)."
)
_SHOWN_LOSSES = 50


def sheets(results: Results, state: State) -> list[Sheet]:
    """Return every table that has something to say."""
    every = (
        _configs(results),
        _tasks(results),
        _gates(state),
        _stops(results),
        _outcomes(results, state),
        _left_out(results),
        _unreadable(state),
    )
    return [sheet for sheet in every if sheet.rows]


def _configs(results: Results) -> Sheet:
    head = (
        "config", "runs", "requirements", "fully passing", "suite green", "$/run", "worker", "g1 writer",
        "g3 reviewers", "s/run", "turns", "blocks/run", "g1 right/false", "g3 right/false", "give-ups",
        "ended blocked", "model ok",
    )  # fmt: skip
    rows = [_config(cfg, figures) for cfg, figures in results["by_cfg"].items()]
    notes = (_SCORED, *_missing(results["by_cfg"]))
    return Sheet("config", "Per config", head, tuple(rows), notes=notes)


def _config(cfg: str, figures: Mapping[str, Any]) -> tuple[str, ...]:
    runs, unknown = figures["runs"], figures["unknown"]

    def share(key: str) -> str:
        return rate(figures[key], runs - unknown.get(key, 0))

    def mean(key: str, digits: int, *, at_least: bool = False) -> str:
        if figures[key] is None:
            return UNKNOWN if runs else NONE
        return f"{AT_LEAST if at_least else ''}{figures[key]:.{digits}f}"

    def summed(key: str) -> str:
        return lower_bound(figures[key], unknown=unknown.get(key, 0))

    def blocks(gate: str) -> str:
        return "/".join(
            lower_bound(figures[key][gate], unknown=unknown.get(key, 0))
            for key in ("right_blocks", "false_blocks")
        )

    failed_calls = bool(figures["reviewer_errors"])  # they cost something that the client did not tell
    model = {None: UNKNOWN, True: "yes", False: "no"}[figures["model_ok"]]
    return (
        cfg,
        str(runs),
        rate(figures["hidden_reqs_passed"], figures["hidden_reqs_total"]),
        share("runs_fully_passing"),
        share("suite_green_runs"),
        mean("mean_cost_total_usd", 3, at_least=failed_calls),
        mean("mean_cost_worker_usd", 3),
        mean("mean_cost_gate1_usd", 3),
        mean("mean_cost_gate3_usd", 3, at_least=failed_calls),
        mean("mean_wall_s", 0),
        mean("mean_turns", 1),
        mean("blocks_per_run", 2),
        blocks("g1"),
        blocks("g3"),
        summed("give_ups"),
        summed("ended_blocked"),
        model if runs else NONE,
    )


def _missing(by_cfg: Mapping[str, Mapping[str, Any]]) -> Iterable[str]:
    for cfg, figures in by_cfg.items():
        for key, runs in figures["unknown"].items():
            yield f"{cfg}: {key} is not known of {runs} of {figures['runs']} runs; they are left out of it."


def _tasks(results: Results) -> Sheet:
    cfgs = [cfg for cfg, figures in results["by_cfg"].items() if figures["runs"]]
    rows = [
        (
            task,
            ", ".join(summary["missed_reqs"]) or "none",
            rate(summary["hidden_reqs_passed"], summary["hidden_reqs_total"]),
            *(task_cell(results["by_task"][task][cfg]) for cfg in cfgs),
        )
        for task, summary in results["by_task_all"].items()
        if summary["runs"]
    ]
    notes = ("Unit: scored run, at its end: requirements met, mean dollars, blocks a run.",)
    return Sheet("task", "Per task", ("task", "ever missed", "all", *cfgs), tuple(rows), 2, notes)


def _gates(state: State) -> Sheet:
    head = (
        "gate", "right", "false", "missed", "clean", "gave up", "not judged", "repeats", "precision",
        "catches", "$", "$ per right block", "waited", "per right block",
    )  # fmt: skip
    rows = tuple(
        (
            row.gate,
            *map(str, (row.right, row.false, row.missed, row.clean, row.gave_up, row.not_judged)),
            row.repeats,
            row.precision,
            row.catches,
            row.cost,
            row.per_right,
            row.waited,
            row.waited_per_right,
        )
        for row in gate_rows(state.tallies)
    )
    return Sheet("gate", "Per gate", head, rows, notes=(_JUDGED,))


def _stops(results: Results) -> Sheet:
    lines = {cfg: figures["stops"] for cfg, figures in results["by_cfg"].items()}
    if len(lines) > 1:
        lines["all"] = results["outcomes"]["stops"]
    rows = [
        (name, str(sum(stops.values())), *(str(stops[kind]) for kind in STOP_CLASSES))
        for name, stops in lines.items()
        if sum(stops.values())
    ]
    head = ("config", "stops", *(kind.replace("_", " ") for kind in STOP_CLASSES))
    notes = ("Unit: stop of a run that counts, scored or not: what was decided, against the oracle.",)
    return Sheet("stops", "Stops by class", head, tuple(rows), notes=notes)


def _outcomes(results: Results, state: State) -> Sheet:
    found = results["outcomes"]
    stops = found["stops"]
    rows = [
        ("runs", f"{found['scored']} scored, {len(results['left_out'])} left out{_planned(state)}"),
        ("blocks per 100 stops", rate(found["blocks"], sum(stops.values()))),
        ("blocks on an unchanged tree", lower_bound(found["repeats"], unknown=found["repeats_unknown"])),
        ("gave up", str(stops["gave_up"])),
        ("killed", str(stops["killed"])),
        ("errors of the gate", str(stops["error"])),
        ("ended blocked", _named(found["ended_blocked"])),
        ("no result line", _named(found["no_result_line"])),
        ("wrong model", _named(found["wrong_model"])),
        (
            "hunted for the tests",
            _named([f"{key} ({n} times)" for key, n in found["hunted"].items()], found["hunted_unknown"]),
        ),
        ("guarded files changed", _named(found["tampered"], found["tampered_unknown"])),
        *(("alarm", f"{key}: {text}") for key, texts in found["alarms"].items() for text in texts),
        ("unreadable", ", ".join(f"{what} {n}" for what, n in results["unreadable"].items())),
    ]
    return Sheet("outcomes", "Outcomes", ("what", "how often, where"), tuple(rows), 2)


def _planned(state: State) -> str:
    planned = [cell.run for cell in state.matrix.planned]
    if not planned:
        return ""
    absent = [run for run in planned if run not in state.runs]
    return f", {len(planned)} planned" + (f" (not there: {', '.join(absent)})" if absent else "")


def _named(names: list[str], unknown: int = 0) -> str:
    """How many, and which; `unknown` runs do not tell."""
    count = lower_bound(len(names), unknown=unknown)
    return f"{count}: {', '.join(names)}" if names else count


def _left_out(results: Results) -> Sheet:
    return Sheet("left_out", "Left out", ("run", "why"), tuple(results["left_out"].items()), 2)


def _unreadable(state: State) -> Sheet:
    losses = [(key, loss) for key, run in sorted(state.runs.items()) for loss in run.losses]
    rows = [
        (key, loss.file, str(loss.line or ""), f"field {loss.why}" if loss.fields_only else loss.why)
        for key, loss in losses[:_SHOWN_LOSSES]
    ]
    rest = len(losses) - len(rows)
    notes = (f"and {rest} more",) if rest else ()
    return Sheet("unreadable", "Not readable", ("run", "file", "line", "what"), tuple(rows), 4, notes)
