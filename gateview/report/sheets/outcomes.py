"""How runs ended, what was left out, and what could not be read."""

from collections.abc import Mapping

from gatecore.analysis import Results
from gatecore.ledger.classes import STOP_CLASSES
from gateview.report.sheet import Cell, Rate, Sheet, summed

_STOPS = "Unit: stop of a run that counts, scored or not: what was decided, against the oracle."


def classes(results: Results) -> Sheet:
    """Stops by class, per config."""
    lines = {cfg: figures["stops"] for cfg, figures in results["by_cfg"].items()}
    if len(lines) > 1:
        lines["all"] = results["outcomes"]["stops"]
    rows = tuple(
        (name, sum(stops.values()), *(stops[kind] for kind in STOP_CLASSES))
        for name, stops in lines.items()
        if sum(stops.values())
    )
    head = ("config", "stops", *(kind.replace("_", " ") for kind in STOP_CLASSES))
    return Sheet("class", "Stops by class", head, rows, notes=(_STOPS,))


def outcomes(results: Results) -> Sheet:
    """What ended runs, and what a person should look at, with the names."""
    found, planned = results["outcomes"], results["planned"]
    kinds = list(results["left_out_kinds"].values())
    given_up, within = found["gave_up"], found["runs_with"]
    left_out = ", ".join(f"{kinds.count(kind)} {kind}" for kind in sorted(set(kinds)))
    rows: list[tuple[Cell, ...]] = [
        ("runs scored", found["scored"], ""),
        ("runs that count", found["runs"], "tagged and invalid ones do not"),
        ("runs left out", len(kinds), left_out),
        ("blocks per stop", Rate(found["blocks"], sum(found["stops"].values())), ""),
        ("blocks on an unchanged tree", summed(found["repeats"], found["repeats_unknown"]), ""),
        ("stops given up, oracle red", given_up["oracle_red"], _times(within["gave_up"])),
        ("stops given up, oracle green", given_up["oracle_green"], ""),
        ("stops given up, no oracle", given_up["no_oracle"], ""),
        ("stops whose hook was killed", found["stops"]["killed"], _times(within["killed"])),
        ("stops where the gate broke", found["stops"]["error"], _times(within["error"])),
        ("runs ended blocked", *_named(found["ended_blocked"])),
        ("runs cut by the client's cap on blocks", *_named(found["cut_by_cap"])),
        ("runs cut by the client's limits", *_named(found["cut_by_limit"])),
        ("runs invalid by an outage", *_named(results["outcomes"]["invalid"])),
        ("runs without a result line", *_named(found["no_result_line"])),
        ("runs with the wrong model", *_named(found["wrong_model"])),
        (
            "runs that hunted for the tests",
            summed(len(found["hunted"]), found["hunted_unknown"]),
            _times(found["hunted"]),
        ),
        (
            "runs that changed guarded files",
            summed(len(found["tampered"]), found["tampered_unknown"]),
            ", ".join(found["tampered"]),
        ),
        *(("alarm", 1, f"{key}: {text}") for key, texts in found["alarms"].items() for text in texts),
        ("unreadable", sum(results["unreadable"].values()), _times(results["unreadable"])),
    ]
    if planned["runs"]:
        rows[0:0] = [
            ("runs planned", planned["runs"], ""),
            ("runs planned and not there", *_named(planned["absent"])),
        ]
    else:
        rows[0:0] = [("runs missing from the grid of the others", *_named(results["missing"]))]
    head = ("what", "how often", "where")
    notes = ("Unit: run or stop as said. ? and ≥: the harness that wrote some runs does not look.",)
    return Sheet("outcomes", "Outcomes", head, tuple(rows), 3, notes)


def left_out(results: Results) -> Sheet:
    """Which runs are not in the columns, and why."""
    notes = ("Unit: run that is not in the columns per config and task.",)
    return Sheet("left_out", "Left out", ("run", "why"), tuple(results["left_out"].items()), 2, notes)


def unreadable(results: Results) -> Sheet:
    """Which lines, files and fields could not be read."""
    rows = tuple(
        (
            x["run"],
            x["file"],
            "" if x["line"] is None else x["line"],
            f"field {x['why']}" if x["field_only"] else x["why"],
        )
        for x in results["losses"]
    )
    notes = ("Unit: file, line or field that could not be read: it is unknown, the rest of it is not.",)
    return Sheet("unreadable", "Not readable", ("run", "file", "line", "what"), rows, 4, notes)


def _named(names: list[str]) -> tuple[int, str]:
    return len(names), ", ".join(names)


def _times(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {n}" for name, n in counts.items())
