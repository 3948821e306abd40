"""Per gate: what it caught, let through and cost."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from gatecore.analysis import Results
from gateview.report.figures import LABELS, NONE, UNKNOWN
from gateview.report.sheet import Cell, Number, Rate, Sheet, Span, number, summed

_UNIT = (
    "Unit: stop that the gate judged, by its own verdict against the oracle, whatever was decided; stops where it "
    "gave up count in both. precision = right / (right + false), sensitivity = right / (right + missed), "
    "specificity = clean / (clean + false); by tasks: 95 % when tasks are resampled, since the stops of one task "
    "depend on each other."
)
_BLOCKS = (
    "Unit: block by this gate; repeats are on a tree unchanged since the block before. $ and minutes: of all its "
    "calls and stops. $ per requirement: what the config with this gate alone costs more than bare, for each "
    "requirement that it meets more."
)
_CLASSES = ("right", "false", "missed", "clean", "no_oracle", "not_judged", "skipped")
_JUDGED = (
    *(kind.replace("_", " ") for kind in _CLASSES),
    "precision", "precision by tasks", "sensitivity", "sensitivity by tasks", "specificity",
    "specificity by tasks",
)  # fmt: skip
_COST = (
    "gave up", "blocks right", "blocks false", "repeats right", "repeats false", "precision without repeats",
    "$", "$ per right block", "min waited", "min per right block",
)  # fmt: skip


def gates(results: Results) -> Sheet:
    """Each gate over everything, gate 1's suite and acceptance tests apart."""
    rows: list[tuple[Cell, ...]] = []
    for gate, figures in results["by_gate"].items():
        rows.append((LABELS[gate], *_judged(figures)))
        rows += [(f"{gate} {part}", *_judged(own)) for part, own in figures["parts"].items()]
    return Sheet("gate", "Per gate", ("gate", *_JUDGED), tuple(rows), notes=(_UNIT,))


def costs(results: Results) -> Sheet:
    """What each gate's blocks were and what they cost."""
    rows = tuple(
        (
            LABELS[gate],
            *_cost(figures),
            number(figures["cost_per_requirement_gained_usd"], 3, none=NONE),
        )
        for gate, figures in results["by_gate"].items()
    )
    notes = (_BLOCKS, *_unknown(results))
    return Sheet("gate_cost", "What each gate cost", ("gate", *_COST, "$ per requirement"), rows, notes=notes)


def gates_by_config(results: Results) -> Sheet:
    """Each gate under each config."""
    rows = tuple(
        (LABELS[gate], cfg, *_judged(own), *_cost(own))
        for gate, figures in results["by_gate"].items()
        for cfg, own in figures["by_cfg"].items()
    )
    head = ("gate", "config", *_JUDGED, *_COST)
    return Sheet("gate_config", "Per gate and config", head, rows, 2, (_UNIT, _BLOCKS), detail=True)


def _judged(figures: Mapping[str, Any]) -> Iterator[Cell]:
    yield from (figures[kind] for kind in _CLASSES)
    for name in ("precision", "sensitivity", "specificity"):
        rate = figures[name]
        yield Rate(rate["k"], rate["n"])
        yield _over_tasks(rate)


def _over_tasks(rate: Mapping[str, Any]) -> Span:
    """The interval over resampled tasks; one task alone has none."""
    return Span(rate["task_low"], rate["task_high"]) if rate["tasks"] > 1 else Span(None, None)


def _cost(figures: Mapping[str, Any]) -> Iterable[Cell]:
    blocks, repeats, first = figures["blocks"], figures["repeats"], figures["first_blocks_precision"]
    right = blocks["right"]
    cost, waited = figures["cost_known_usd"], figures["waited_known_s"]
    minutes = None if waited is None else waited / 60
    return (
        figures["gave_up"],
        right,
        blocks["false"],
        *(Number(None, UNKNOWN) if repeats is None else repeats[kind] for kind in ("right", "false")),
        Rate(first["k"], first["n"]),
        summed(cost, figures["cost_unknown"], 2),
        summed(cost, figures["cost_unknown"], 2, per=right),
        summed(minutes, figures["waited_unknown"], 1),
        summed(minutes, figures["waited_unknown"], 1, per=right),
    )


def _unknown(results: Results) -> Iterator[str]:
    for gate, figures in results["by_gate"].items():
        if figures["repeats_unknown"]:
            yield (
                f"{gate}: the ledger does not tell of {figures['repeats_unknown']} blocks whether they are repeats."
            )
        if figures["cost_unknown"]:
            yield f"{gate}: what {figures['cost_unknown']} calls cost is not known; sums are lower bounds."
