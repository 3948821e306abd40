"""One run from the request to the score."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from gatecore.agents.claude import lent_token
from gatecore.checks.left import end_all
from gatecore.harness import acceptance
from gatecore.harness.bench import Bench
from gatecore.harness.client import run_worker
from gatecore.harness.lock import holding
from gatecore.harness.prep import prepare
from gatecore.harness.score import score
from gatecore.harness.site import Cell
from gatecore.hook.state import locked, tell_open
from gatecore.ledger.writer import append_event, write_file

_PATIENCE_S = 20.0  # the harness of a matrix that was killed takes a few seconds to end its worker


@contextmanager
def _alone(bench: Bench, run: str) -> Iterator[int]:
    """Be the only one at work on a run; yields the lock that its worker is to hold too.

    A worker whose harness was killed is ended first (on Linux; elsewhere it has to end by itself).
    """
    path = bench.lock(run)
    busy = f"{run}: another process is at work on it (see who holds {path})"
    with holding(bench.harness_lock(run), busy, patience=_PATIENCE_S):
        end_all(str(bench.state(run)))
        with holding(path, busy, patience=_PATIENCE_S) as lock:
            yield lock


def run_cell(bench: Bench, cell: Cell, tests: acceptance.Source = acceptance.written) -> dict[str, Any]:
    """Run one cell to its score. Raises UsageError, SnapshotError.

    When it is interrupted, no process of it is left, and the run is invalid.
    """
    with _alone(bench, cell.name) as lock:
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
        with locked(str(bench.state(cell.name)), str(run)) as memory:
            tell_open(memory, str(run))
        write_file(str(run / "wall_s.txt"), f"{end.seconds:.0f}\n")
        write_file(str(run / "exit_code.txt"), f"{end.exit}\n")
        append_event(str(run), "worker_ended", exit=end.exit, seconds=round(end.seconds, 1))
        return score(bench, run, reuse=True)
