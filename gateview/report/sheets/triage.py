"""Verdicts of people, beside the oracle's."""

from gatecore.analysis import Results
from gatecore.analysis.trust import trust
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


def by_person(results: Results) -> Sheet:
    """What each gate's blocks were worth by a person's verdict, and whether that is enough to go by."""
    found = results["triage"]["by_gate"]
    rows: list[tuple[Cell, ...]] = []
    notes = [
        "Unit: block that a person judged; what a gate that only observes would have blocked counts too."
    ]
    if not found:
        notes.append(trust(0, 0))
    for gate, said in found.items():
        false, n = said["false"], said["right"] + said["false"]
        rows.append((gate, said["right"], false, said["unsure"], Rate(false, n)))
        notes.append(f"{gate}: {trust(false, n)}")
    head = ("gate", "right", "false", "unsure", "false blocks")
    return Sheet("by_person", "Blocks by a person's verdict", head, tuple(rows), 1, tuple(notes))


def differ(results: Results) -> Sheet:
    """Where person and oracle differ."""
    rows = tuple(
        (x["run"], "?" if x["n"] is None else x["n"], x["gate"], x["oracle"], x["person"], x["cause"] or "")
        for x in results["triage"]["differ"]
    )
    head = ("run", "stop", "gate", "oracle", "person", "cause")
    notes = ("Unit: block on which person and oracle differ.",)
    return Sheet("differ", "Where person and oracle differ", head, rows, 6, notes)
