"""What the original's columns do not show: gates at every stop, what was left out, what does not fit."""

from collections.abc import Mapping
from typing import Any

from gatecore.ledger.alarms import alarms
from gatecore.ledger.classes import STOP_CLASSES
from gatecore.ledger.run import Run
from gatecore.ledger.tallies import Amount, GateTally, Tally


def stops_by_class(tally: Tally) -> dict[str, int]:
    """Count of stops for each class, zeros included."""
    return {kind: tally.stops.get(kind, 0) for kind in STOP_CLASSES}


def gate_figures(tally: GateTally) -> dict[str, Any]:
    """One gate: stops by its own verdict, its blocks, its cost. Sums with unknown parts are None."""
    kinds = ("right", "false", "missed", "clean", "no_oracle", "not_judged", "skipped")
    return {
        **{kind: tally.stops.get(kind, 0) for kind in kinds},
        "gave_up": tally.gave_up,
        "blocks": _by_class(tally.blocks),
        "repeats": None if tally.repeats_unknown else _by_class(tally.repeats),
        "repeats_unknown": tally.repeats_unknown,
        **_amount("cost", "usd", tally.cost, tally.cost.dollars),
        **_amount("waited", "s", tally.waited, tally.waited.seconds),
    }


def left_out(runs: Mapping[str, Run]) -> dict[str, str]:
    """Why each run that is not in the original's columns is not in them."""
    return {key: why for key, run in runs.items() if (why := _why_left_out(run))}


def unreadable(runs: Mapping[str, Run]) -> dict[str, int]:
    """How many lines, whole files and single fields could not be read, over all runs."""
    losses = [loss for run in runs.values() for loss in run.losses]
    return {
        "lines": sum(1 for x in losses if x.line is not None and not x.fields_only),
        "files": sum(1 for x in losses if x.line is None and not x.fields_only),
        "fields": sum(1 for x in losses if x.fields_only),
    }


def outcomes(counted: Mapping[str, Run], tally: Tally) -> dict[str, Any]:
    """How the counted runs ended, and the ones that a person should look at, by key."""
    scores = {key: run.score for key, run in counted.items() if run.score}
    tampered = {key: _tampered(run) for key, run in counted.items()}
    return {
        "runs": len(counted),
        "scored": len(scores),
        "stops": stops_by_class(tally),
        "blocks": tally.blocks,
        "repeats": None if tally.repeats_unknown else tally.repeats,
        "repeats_unknown": tally.repeats_unknown,
        "ended_blocked": [key for key, score in scores.items() if score.ended_blocked],
        "no_result_line": [key for key, score in scores.items() if score.has_result_line is False],
        "wrong_model": [key for key, s in scores.items() if s.has_result_line and s.model_ok is False],
        "hunted": {key: score.hunted for key, score in scores.items() if score.hunted},
        "hunted_unknown": sum(1 for score in scores.values() if score.hunted is None),
        "tampered": [key for key, found in tampered.items() if found],
        "tampered_unknown": sum(1 for found in tampered.values() if found is None),
        "alarms": {key: list(found) for key, run in counted.items() if (found := alarms(run))},
    }


def _amount(name: str, unit: str, amount: Amount, known: float) -> dict[str, Any]:
    return {
        f"{name}_{unit}": None if amount.unknown else known,
        f"{name}_known_{unit}": known,
        f"{name}_unknown": amount.unknown,
    }


def _by_class(blocks: Mapping[str, int]) -> dict[str, int]:
    return {kind: blocks.get(kind, 0) for kind in ("right", "false", "no_oracle")}


def _why_left_out(run: Run) -> str | None:
    if run.tag is not None:
        return f"tagged: {run.tag.lstrip('-')}"
    if run.invalid is not None:
        return f"invalid, ended by an outage: {run.invalid}"
    if run.score is not None:
        return None
    for loss in run.losses:
        if loss.line is None and not loss.fields_only and loss.file in ("score.json", "."):
            return f"no score.json that can be read: {loss.why}"
    return "no score.json: " + ("it ended unscored" if run.over else "still running, or died")


def _tampered(run: Run) -> bool | None:
    """Whether a guarded file changed; None when the harness that wrote the run does not look."""
    if (run.score and run.score.tampered) or any(entry.stop.tampered for entry in run.entries):
        return True
    looks = (run.meta and run.meta.harness) or any(entry.stop.v is not None for entry in run.entries)
    return False if looks else None
