"""The rows of the gate table, as the report, `watch --once` and the live screen all show them."""

from collections.abc import Mapping
from dataclasses import dataclass

from gatecore.ledger.classes import GATES
from gatecore.ledger.tallies import GateTally, Tally, total
from gateview.report.figures import LABELS, lower_bound, minutes, money, rate


@dataclass(frozen=True, slots=True)
class GateRow:
    """One gate over every stop that it judged: counts of stops, and figures as text.

    `precision` is right / (right + false), `catches` right / (right + missed), `per_right` dollars and
    `waited_per_right` minutes for each right block; `gave_up` counts stops that the gate would have blocked
    but for the limit on blocks (they are in the other counts as well), `repeats` blocks on an unchanged tree.
    """

    gate: str
    right: int
    false: int
    missed: int
    clean: int
    not_judged: int
    precision: str
    catches: str
    cost: str
    per_right: str
    waited: str
    gave_up: int
    repeats: str
    waited_per_right: str


def gate_rows(tallies: Mapping[str, Tally]) -> list[GateRow]:
    """Return a row for each gate that ran, summed over `tallies` (by config), in the order of judging."""
    gates = total(tallies.values()).gates
    return [_row(gate, gates[gate]) for gate in GATES if gate in gates]


def _row(gate: str, tally: GateTally) -> GateRow:
    stops = tally.stops
    right, false, missed = (stops.get(kind, 0) for kind in ("right", "false", "missed"))
    blocks = tally.blocks.get("right", 0)
    return GateRow(
        gate=LABELS[gate],
        right=right,
        false=false,
        missed=missed,
        clean=stops.get("clean", 0),
        not_judged=stops.get("not_judged", 0),
        precision=rate(right, right + false),
        catches=rate(right, right + missed),
        cost=money(tally.cost),
        per_right=money(tally.cost, blocks),
        waited=minutes(tally.waited),
        gave_up=tally.gave_up,
        repeats=lower_bound(sum(tally.repeats.values()), unknown=tally.repeats_unknown),
        waited_per_right=minutes(tally.waited, blocks),
    )
