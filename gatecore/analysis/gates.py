"""What each gate caught, let through and cost."""

from collections.abc import Iterable, Mapping
from typing import Any

from gatecore.analysis.cells import Cells
from gatecore.analysis.rates import clustered, rate
from gatecore.ledger.tallies import GATE_CLASSES, Amount, GateTally

_RATES = {
    "precision": ("right", ("right", "false")),
    "sensitivity": ("right", ("right", "missed")),
    "specificity": ("clean", ("clean", "false")),
}
"""Each rate: the class that is counted, and the classes of which it is a share."""


def by_gate(cells: Cells, comparisons: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Figures of each gate that ran, over all runs that count; sums with unknown parts are None.

    Rates have a Wilson interval over stops and, since the stops of one task depend on each other, one over
    resampled tasks. `parts` has suite and acceptance tests of gate 1 apart, `by_cfg` each config. What a
    requirement gained costs is of the config that has this gate alone, against `bare`.
    """
    against_bare = {x["new"]: x["cost_per_requirement_gained_usd"] for x in comparisons if x["old"] == "bare"}
    whole = cells.tally()
    of_cfg = {cfg: cells.tally(cfg=cfg) for cfg in cells.cfgs}
    of_task = [cells.tally(task=task) for task in cells.tasks]
    gates_of_task = [tally.gates for tally in of_task]
    gates_of_cfg = {cfg: tally.gates for cfg, tally in of_cfg.items()}
    parts = {
        part: _judged(stops, [tally.parts.get(part, {}) for tally in of_task])
        for part, stops in whole.parts.items()
    }
    return {
        gate: {
            **gate_figures(tally),
            **_rates([gates[gate].stops for gates in gates_of_task if gate in gates]),
            "cost_per_requirement_gained_usd": against_bare.get(gate),
            "parts": parts if gate == "g1" else {},
            "by_cfg": {
                cfg: {**gate_figures(gates[gate]), **_rates([gates[gate].stops])}
                for cfg, gates in gates_of_cfg.items()
                if gate in gates
            },
        }
        for gate, tally in whole.gates.items()
    }


def gate_figures(tally: GateTally) -> dict[str, Any]:
    """One gate: stops by its own verdict, its blocks, its cost. Sums with unknown parts are None."""
    right = tally.blocks.get("right", 0)
    return {
        **{kind: tally.stops.get(kind, 0) for kind in GATE_CLASSES},
        "gave_up": tally.gave_up,
        "blocks": _by_class(tally.blocks),
        "repeats": None if tally.repeats_unknown else _by_class(tally.repeats),
        "repeats_unknown": tally.repeats_unknown,
        "first_blocks_precision": _first_blocks(tally),
        **_amount("cost", "usd", tally.cost, tally.cost.dollars),
        **_amount("waited", "s", tally.waited, tally.waited.seconds),
        "cost_per_right_block_usd": _per(tally.cost, tally.cost.dollars, right),
        "waited_per_right_block_s": _per(tally.waited, tally.waited.seconds, right),
    }


def _judged(stops: Mapping[str, int], by_task: list[dict[str, int]]) -> dict[str, Any]:
    return {**{kind: stops.get(kind, 0) for kind in GATE_CLASSES}, **_rates(by_task)}


def _rates(stops_by_task: list[Mapping[str, int]] | list[dict[str, int]]) -> dict[str, Any]:
    return {
        name: clustered(
            (stops.get(counted, 0), sum(stops.get(kind, 0) for kind in kinds)) for stops in stops_by_task
        )
        for name, (counted, kinds) in _RATES.items()
    }


def _first_blocks(tally: GateTally) -> dict[str, Any]:
    """Of blocks that are no repeats, how many were right; None where the ledger does not tell repeats."""
    if tally.repeats_unknown:
        return rate(None, None)
    right, false = (tally.blocks.get(kind, 0) - tally.repeats.get(kind, 0) for kind in ("right", "false"))
    return rate(right, right + false)


def _amount(name: str, unit: str, amount: Amount, known: float) -> dict[str, Any]:
    return {
        f"{name}_{unit}": None if amount.unknown else known,
        f"{name}_known_{unit}": known if amount.known or not amount.unknown else None,
        f"{name}_unknown": amount.unknown,
    }


def _per(amount: Amount, known: float, count: int) -> float | None:
    return None if amount.unknown or not count else known / count


def _by_class(blocks: Mapping[str, int]) -> dict[str, int]:
    return {kind: blocks.get(kind, 0) for kind in ("right", "false", "no_oracle")}
