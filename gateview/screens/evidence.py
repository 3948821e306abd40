"""Gathers the evidence on a block from the run's files."""

from collections.abc import Sequence
from pathlib import Path

from gatecore.ledger.classes import REVIEWS
from gatecore.ledger.records import Stop
from gateview.lines import stop as stop_lines
from gateview.lines.diff import as_lines, diff_of
from gateview.lines.spans import Spans
from gateview.lines.triage import evidence
from gateview.store.opened import read_whole
from gateview.store.side import read_side
from gateview.store.triage import Block


def evidence_of(block: Block, part: str, same: Sequence[Block], run: Path | None, key: str) -> list[Spans]:
    """One part whole (told, diff or reviews), or all in short; `same` are the blocks alike, judged by `key`."""
    opened = read_whole(block.key, run) if run else None
    entry = opened.stops[block.place].entry if opened and block.place < len(opened.stops) else None
    if run is None or entry is None:
        return [stop_lines.note("The run is no longer there.")]
    match part:
        case "told":
            return stop_lines.told(entry.stop)
        case "reviews":
            return (stop_lines.ui if entry.stop.blocked_by == "g2" else stop_lines.reviews)(entry.stop)
        case "diff":
            return as_lines(diff_of(read_side(run / f"snap-{block.n}.diff")))
    outputs = [read_side(run / name) for name in _outputs(entry.stop)]
    return evidence(block, entry.stop, same, read_side(run / "task.md"), outputs, key)


def _outputs(stop: Stop) -> list[str]:
    """The outputs of the checks of gate 1 that failed."""
    gate = stop.gate1
    if gate is None or stop.blocked_by in REVIEWS:
        return []
    files = []
    if gate.suite == "fail" or (gate.suite is None and gate.suite_fail):
        files.append(f"gate1-{stop.n}.txt")
    if gate.acceptance == "fail" or (gate.acceptance is None and gate.gate_tests_fail):
        files.append(f"gatetests-{stop.n}.txt")
    return files
