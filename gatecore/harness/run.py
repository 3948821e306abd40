"""One run from the request to the score."""

import os
from typing import Any

from gatecore.agents.claude import lent_token
from gatecore.harness import acceptance
from gatecore.harness.bench import Bench
from gatecore.harness.client import run_worker
from gatecore.harness.lock import holding
from gatecore.harness.prep import prepare
from gatecore.harness.score import score
from gatecore.harness.site import Cell
from gatecore.ledger.writer import append_event, write_file

_PATIENCE_S = 20.0  # the harness of a matrix that was killed takes a few seconds to end its worker


def run_cell(bench: Bench, cell: Cell, tests: acceptance.Source = acceptance.written) -> dict[str, Any]:
    """Run one cell to its score. Raises UsageError, SnapshotError.

    When it is interrupted, no process of it is left, and the run is invalid.
    """
    path = bench.lock(cell.name)
    busy = f"{cell.name}: another process is at work on it (see who holds {path})"
    with holding(path, busy, patience=_PATIENCE_S) as lock:
        run = bench.runs / cell.name
        try:
            prepared = prepare(bench, cell, tests)
            append_event(str(run), "worker_started")
            with lent_token(str(prepared.state), os.environ):
                end = run_worker(
                    bench, run, prepared.work, prepared.prompt, prepared.settings, prepared.env, lock
                )
        except KeyboardInterrupt:
            append_event(str(run), "worker_ended", invalid="interrupted")
            raise
        write_file(str(run / "wall_s.txt"), f"{end.seconds:.0f}\n")
        write_file(str(run / "exit_code.txt"), f"{end.exit}\n")
        append_event(str(run), "worker_ended", exit=end.exit, seconds=round(end.seconds, 1))
        return score(bench, run, reuse=True)
