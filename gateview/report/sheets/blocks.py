"""What blocked, what was let through, and what acceptance tests never saw."""

from gatecore.analysis import Results
from gateview.report.figures import UNKNOWN
from gateview.report.sheet import Rate, Sheet, summed
from gateview.report.sheets.requirements import examples

_SUSPECTS = 3


def blocks(results: Results) -> Sheet:
    """The failing tests and findings that blocked, the most frequent first."""
    rows = tuple(
        (
            x["gate"],
            x["part"],
            x["task"],
            x["what"],
            examples(x["where"]),
            x["blocks"],
            x["right"],
            x["false"],
            x["no_oracle"],
            summed(x["repeats"], x["repeats_unknown"]),
            *(x["triage"][verdict] for verdict in ("right", "false", "unsure")),
        )
        for x in results["blocks"]
    )
    head = (
        "gate", "check", "task", "test or finding", "where", "blocks", "right", "false", "no oracle", "repeats",
        "triage right", "triage false", "triage unsure",
    )  # fmt: skip
    unit = (
        "Unit: failing test (without its parameters) or finding, at a stop that was blocked for it; a stop with "
        "several counts for each. right and false: the oracle on the stop, not on the test."
    )
    return Sheet("blocks", "What blocked", head, rows, 5, (unit,))


def minor(results: Results) -> Sheet:
    """Requirements that were unmet where reviewers had something to say, and let it through."""
    rows = tuple(
        (task, req, x["stops"], x["findings"])
        for task, found in results["let_through"]["by_requirement"].items()
        for req, x in found.items()
    )
    unit = (
        "Unit: finding that a reviewer called minor, or that the challenger rejected, at a stop where the oracle "
        "was red. It counts under every requirement unmet at that stop; whether it speaks of it is for you to say."
    )
    head = ("task", "requirement", "stops", "findings")
    return Sheet("minor", "Let through, by requirement", head, rows, 2, (unit,))


def let_through(results: Results) -> Sheet:
    """Findings that did not block although the oracle was red."""
    rows = tuple(
        (
            x["task"],
            ", ".join(x["reqs"]) or UNKNOWN,
            x["severity"],
            f"{x['place']} {x['text']}",
            examples(x["where"]),
            x["times"],
        )
        for x in results["let_through"]["findings"]
    )
    unit = (
        "Unit: finding that a reviewer called minor, or that the challenger rejected, at a stop where the oracle "
        "was red; with all requirements that were unmet there."
    )
    head = ("task", "unmet", "severity", "finding", "where", "times")
    return Sheet("let_through", "Findings let through", head, rows, 5, (unit,))


def acceptance(results: Results) -> Sheet:
    """Which requirement no acceptance test ever failed on."""
    rows = tuple(
        (
            task,
            req,
            "no test ever failed" if x["never"] else "",
            ", ".join(f"{test} {n}" for test, n in list(x["tests"].items())[:_SUSPECTS]),
            x["runs"],
            Rate(x["caught"]["k"], x["caught"]["n"]),
            Rate(x["caught_alone"]["k"], x["caught_alone"]["n"]),
        )
        for task, found in results["acceptance"].items()
        for req, x in found.items()
    )
    unit = (
        "Unit: stop where the requirement was unmet and acceptance tests judged. A test failed: for whatever "
        "reason; nothing else unmet: of the stops where this requirement alone was. Tests: those that failed only "
        "while it was unmet, and in how many runs."
    )
    head = (
        "task", "requirement", "blind spot", "tests that go with it", "runs", "a test failed",
        "nothing else unmet",
    )  # fmt: skip
    return Sheet("acceptance", "Acceptance tests against requirements", head, rows, 4, (unit,))
