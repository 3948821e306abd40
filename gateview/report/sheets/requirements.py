"""Requirement by requirement."""

from collections.abc import Mapping
from typing import Any

from gatecore.analysis import Results
from gateview.report.sheet import Number, Rate, Sheet

_EXAMPLES = 3


def unmet(results: Results) -> Sheet:
    """What is left for the engineer, per config."""
    rows = tuple(
        (
            cfg,
            ", ".join(f"{req} {n}" for req, n in left["by_requirement"].items()) or "none",
            left["runs"],
            left["unmet"],
            Number(left["per_run"], f"{left['per_run']:.2f}"),
        )
        for cfg, left in results["unmet"]["by_cfg"].items()
    )
    head = ("config", "requirements, runs that leave them", "runs", "unmet", "unmet/run")
    notes = ("Unit: requirement not met at the end of a scored run: what is left for the engineer (gate 4).",)
    return Sheet("unmet", "Left for the engineer", head, rows, 2, notes)


def unmet_runs(results: Results) -> Sheet:
    """The same, per run."""
    rows = tuple((run, ", ".join(reqs), len(reqs)) for run, reqs in results["unmet"]["by_run"].items())
    notes = ("Unit: scored run that leaves requirements unmet.",)
    return Sheet(
        "unmet_run", "Left for the engineer, run by run", ("run", "unmet", "how many"), rows, 2, notes
    )


def requirements(results: Results) -> Sheet:
    """How often each requirement is met, by config."""
    cfgs = [cfg for cfg in results["by_cfg"] if _any_met(results, cfg)]
    rows = tuple(
        (
            task,
            req,
            *(_met(x["by_cfg"].get(cfg)) for cfg in cfgs),
            x["repaired"]["times"],
            x["broken"]["times"],
        )
        for task, found in results["requirements"].items()
        for req, x in found.items()
    )
    unit = (
        "Unit: scored run, at its end, whose unmet requirements are named: how many met it. Repaired and broken: "
        "times that it changed from one stop to the next."
    )
    head = ("task", "requirement", *cfgs, "repaired", "broken")
    return Sheet("requirements", "Requirements", head, rows, 2, (unit,))


def moves(results: Results) -> Sheet:
    """Which stop repaired or broke a requirement."""
    rows = tuple(
        (
            task,
            req,
            what,
            ", ".join(f"{gate} {n}" for gate, n in x[what]["after_block_by"].items()),
            examples(x[what]["where"]),
            x[what]["times"],
        )
        for task, found in results["requirements"].items()
        for req, x in found.items()
        for what in ("repaired", "broken")
        if x[what]["times"]
    )
    unit = (
        "Unit: requirement that was met at a stop and not at the one before it (repaired), or the other way round "
        "(broken); after a block by which gate, and the stop at which it is seen first."
    )
    head = ("task", "requirement", "what", "after a block by", "where", "times")
    return Sheet("moves", "Requirements repaired and broken", head, rows, 5, (unit,))


def _any_met(results: Results, cfg: str) -> bool:
    return any(cfg in x["by_cfg"] for found in results["requirements"].values() for x in found.values())


def _met(found: Mapping[str, Any] | None) -> Rate:
    return Rate(found["k"], found["n"]) if found else Rate(0, 0)


def examples(where: list[str]) -> str:
    more = len(where) - _EXAMPLES
    return ", ".join(where[:_EXAMPLES]) + (f" and {more} more" if more > 0 else "")
