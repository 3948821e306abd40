"""One run from the request to the score."""

import signal
from pathlib import Path
from typing import Any

from gatecore.harness.bench import Bench
from gatecore.harness.client import run_worker
from gatecore.harness.prep import Cell, prepare
from gatecore.harness.score import score
from gatecore.ledger.writer import append_event, write_file


def run_cell(bench: Bench, cell: Cell) -> dict[str, Any]:
    """Run one cell to its score. Raises UsageError, SnapshotError."""
    signal.signal(signal.SIGTERM, _interrupt)
    prepared = prepare(bench, cell)
    run = prepared.run
    append_event(str(run), "worker_started")
    end = run_worker(bench, run, prepared.work, prepared.prompt, prepared.settings, prepared.env)
    write_file(str(run / "wall_s.txt"), f"{end.seconds:.0f}\n")
    write_file(str(run / "exit_code.txt"), f"{end.exit}\n")
    append_event(str(run), "worker_ended", exit=end.exit, seconds=round(end.seconds, 1))
    return score(bench, run, reuse=True)


def score_runs(bench: Bench, runs: list[Path]) -> list[dict[str, Any]]:
    """Score runs again."""
    return [score(bench, run.resolve()) for run in runs]


def _interrupt(*_: object) -> None:
    raise KeyboardInterrupt
