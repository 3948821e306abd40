"""What `--strict` refuses: anything that the tables are silent about because it was not there or not sound."""

from collections.abc import Iterator

from gatecore.analysis import Results


def refused(results: Results) -> Iterator[str]:
    """One line for each kind of thing that a strict report refuses; tagged runs are left out on purpose."""
    counts = results["unreadable"]
    if any(counts.values()):
        yield "unreadable: " + ", ".join(f"{n} {what}" for what, n in counts.items() if n)
    kinds = results["left_out_kinds"]
    for kind in ("invalid", "unread", "unscored"):
        if runs := [run for run, found in kinds.items() if found == kind]:
            yield _named(f"left out, {kind}", runs)
    if absent := results["planned"]["absent"]:
        yield _named("planned and not there", absent)
    outcomes = results["outcomes"]
    for kind, words in (("killed", "hook killed"), ("error", "gate broke"), ("other", "decision unknown")):
        if runs := list(outcomes["runs_with"][kind]):
            yield _named(words, runs)
    if outcomes["alarms"]:
        yield _named("alarm", list(outcomes["alarms"]))


def _named(what: str, runs: list[str]) -> str:
    return f"{what}: {len(runs)} ({', '.join(runs)})"
