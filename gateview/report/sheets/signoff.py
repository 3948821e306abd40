"""Gate 4: what the engineer said."""

from collections.abc import Iterable, Mapping
from typing import Any

from gatecore.analysis import Results
from gateview.report.figures import UNKNOWN
from gateview.report.sheet import Cell, Rate, Sheet, summed

_UNIT = (
    "Unit: end of a scored run that reached the engineer (stops: stop on which the engineer said something). "
    "right: sent back, and the oracle is red; false: sent back, and green; missed: approved, and red; clean: "
    "approved, and green. min: for which it was open on the screen before the word was given."
)
_HEAD = (
    "reached", "awaiting", "approved", "sent back", "right", "false", "missed", "clean", "no oracle",
    "precision", "sensitivity", "min",
)  # fmt: skip


def signoff(results: Results) -> Sheet:
    """What reached the engineer, what was sent back, and what the oracle says of it, per config."""
    found = results["signoff"]
    rows = [(cfg, *_cells(figures)) for cfg, figures in found["by_cfg"].items()]
    if found["stops"]["approved"] or found["stops"]["sent_back"]:
        rows.append(("stops", *_cells({"awaiting": 0, **found["stops"]})))
    notes = [_UNIT]
    if found["awaiting"]:
        notes.append(f"Awaiting engineer: {', '.join(found['awaiting'])}.")
    return Sheet("signoff", "The engineer (gate 4)", ("config", *_HEAD), tuple(rows), notes=tuple(notes))


def words(results: Results) -> Sheet:
    """Every word of the engineer."""
    rows = tuple(
        (
            x["run"],
            "end" if x["at_end"] else UNKNOWN if x["n"] is None else x["n"],
            x["verdict"].replace("_", " "),
            x["class"].replace("_", " "),
            x["reason"],
            summed(None if x["seconds"] is None else x["seconds"] / 60, int(x["seconds"] is None), 1),
        )
        for x in results["signoff"]["words"]
    )
    head = ("run", "stop", "said", "by the oracle", "reason", "min")
    notes = ("Unit: word of the engineer, the last one on a stop or on the end of a run.",)
    return Sheet("signed", "What the engineer said", head, rows, 5, notes)


def _cells(figures: Mapping[str, Any]) -> Iterable[Cell]:
    approved, back, awaiting = figures["approved"], figures["sent_back"], figures["awaiting"]
    seconds = figures["seconds_known"]
    precision, sensitivity = figures["precision"], figures["sensitivity"]
    return (
        approved + back + awaiting,
        awaiting,
        approved,
        back,
        *(figures[kind] for kind in ("right", "false", "missed", "clean", "no_oracle")),
        Rate(precision["k"], precision["n"]),
        Rate(sensitivity["k"], sensitivity["n"]),
        summed(None if seconds is None else seconds / 60, figures["seconds_unknown"], 1),
    )
