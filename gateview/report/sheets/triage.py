"""Verdicts of people, beside the oracle's."""

from gatecore.analysis import Results
from gateview.report.figures import NONE
from gateview.report.sheet import Cell, Rate, Sheet, number


def agreement(results: Results) -> Sheet:
    """Verdicts, causes, and how far they agree with the oracle."""
    found = results["triage"]
    agreed = found["agreement"]
    rows: list[tuple[Cell, ...]] = []
    if found["judged"]:
        rows = [
            ("stops judged by a person", found["judged"]),
            *((f"verdict {verdict}", n) for verdict, n in found["verdicts"].items()),
            *((f"cause {cause}", n) for cause, n in found["causes"].items()),
            ("agrees with the oracle", Rate(agreed["k"], agreed["n"])),
            ("kappa", number(agreed["kappa"], 2, none=NONE)),
            (
                "false blocks by the oracle",
                Rate(found["false_by_oracle"]["k"], found["false_by_oracle"]["n"]),
            ),
            ("false blocks by a person", Rate(found["false_by_person"]["k"], found["false_by_person"]["n"])),
        ]
    unit = (
        "Unit: stop that a person judged; agreement, kappa and false blocks: of these, blocks that oracle and "
        "person both call right or false. kappa is n/a where chance alone would agree on all."
    )
    return Sheet("agreement", "Triage", ("what", "how often"), tuple(rows), 1, (unit,))


def differ(results: Results) -> Sheet:
    """Where person and oracle differ."""
    rows = tuple(
        (x["run"], "?" if x["n"] is None else x["n"], x["gate"], x["oracle"], x["person"], x["cause"] or "")
        for x in results["triage"]["differ"]
    )
    head = ("run", "stop", "gate", "oracle", "person", "cause")
    notes = ("Unit: block on which person and oracle differ.",)
    return Sheet("differ", "Where person and oracle differ", head, rows, 6, notes)
