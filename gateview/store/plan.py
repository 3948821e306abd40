"""What `matrix.jsonl` tells: the plan of a runs folder, and how each cell of it stands."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from gatecore.ledger.records import Cell, MatrixEvent


@dataclass(frozen=True, slots=True)
class Plan:
    """The cells of one matrix, or of several that are watched together, by run key."""

    cells: Mapping[str, Cell] = field(default_factory=dict)
    running: frozenset[str] = frozenset()
    ended: Mapping[str, str] = field(default_factory=dict)  # run key -> scored, invalid or failed
    paused: str | None = None  # why
    over: bool = False


def advanced(plan: Plan, events: Iterable[MatrixEvent], prefix: str = "") -> Plan:
    """Return the plan after `events`; `prefix` goes before the runs' names. Pure."""
    cells, paused, over = plan.cells, plan.paused, plan.over
    running, ended = set(plan.running), dict(plan.ended)
    for event in events:
        run = f"{prefix}{event.run}" if event.run else ""
        match event.event:
            case "planned":
                cells = {prefix + cell.run: cell for cell in event.cells}
                running, paused, over = set(), None, False
            case "cell_started" if run:
                running.add(run)
                ended.pop(run, None)
                paused = None
            case "cell_ended" if run:
                running.discard(run)
                ended[run] = event.state or "?"
            case "matrix_paused":
                running, paused = set(), event.why or "?"
            case "matrix_ended":
                running, over = set(), True
    return Plan(cells, frozenset(running), ended, paused, over)


def merged(plans: Sequence[Plan]) -> Plan:
    """Several plans as one: over when all are, paused while one is."""
    if len(plans) == 1:
        return plans[0]
    return Plan(
        {key: cell for plan in plans for key, cell in plan.cells.items()},
        frozenset(key for plan in plans for key in plan.running),
        {key: state for plan in plans for key, state in plan.ended.items()},
        next((plan.paused for plan in plans if plan.paused), None),
        bool(plans) and all(plan.over for plan in plans),
    )
