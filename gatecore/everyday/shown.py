"""What `gatecore status` prints."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from gatecore.analysis.trust import trust
from gatecore.everyday.status import Counts
from gatecore.harness.validate.step import Step
from gatecore.hook.session.setup import Setup
from gatecore.stats import wilson
from gatecore.text import line


def show(
    home: Path, setup: Setup, settings: Sequence[str], counts: Counts, days: float, alarm: Step
) -> Iterator[str]:
    """The lines of a status."""
    yield f"gate:     {setup.repo}, mode {setup.mode}{_MODES[setup.mode]}"
    for suite in setup.suites:
        yield f"suite:    {suite.command}" + (f"  (in {suite.folder})" if suite.folder else "")
    yield f"settings: {', '.join(settings) or 'none: the hook is nowhere'}"
    yield f"ledger:   {home / 'runs'}"
    much = f"{_many(counts.stops, 'stop')} in {_many(counts.sessions, 'session')}"
    yield f"ran:      {'' if alarm.ok else 'ALARM: '}{alarm.said}; {much}"
    if counts.stops:
        yield f"stops:    {_listed(counts.kinds)}"
        repeats = f", {counts.repeats} of them on an unchanged tree" if counts.repeats else ""
        yield f"blocks:   {counts.blocked}{repeats}; {counts.would_block} more would have been, had it not observed"
    yield from _lately(counts, days)
    yield from _trust(counts)


_FINE = ("judged", "skipped", "give_up", "red base")
_MODES = {"observe": " (nothing is blocked)", "advise": " (nothing is blocked)", "block": ""}


def _lately(counts: Counts, days: float) -> Iterator[str]:
    bad = {kind: n for kind, n in counts.recent.items() if kind not in _FINE and n}
    if bad:
        yield f"ALARM:    in the last {days:g} days: {_listed(bad)}"
    for why, n in counts.whys.most_common(5):
        yield f"          {n} {line(why)[:150]}"


def _trust(counts: Counts) -> Iterator[str]:
    false, n = counts.said["false"], counts.said["right"] + counts.said["false"]
    interval = wilson(false, n)
    spread = (
        f" {100 * false / n:.0f}% [{100 * interval[0]:.0f}-{100 * interval[1]:.0f}]" if interval else " n/a"
    )
    unsure = f", {counts.said['unsure']} unsure" if counts.said["unsure"] else ""
    waiting = f", {counts.unsaid} wait for yours: gateview triage" if counts.unsaid else ""
    yield f"false:    {false}/{n}{spread} by your verdict{unsure}{waiting}"
    yield f"          {trust(false, n)}"


def _listed(counts: "dict[str, int]") -> str:
    return ", ".join(f"{n} {kind}" for kind, n in sorted(counts.items()) if n) or "none"


def _many(n: int, what: str) -> str:
    return f"{n} {what}" if n == 1 else f"{n} {what}s"
