"""Which acceptance tests gate 1 judges a recorded stop by, and whether they may judge at all."""

import hashlib
import json
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from gatecore import writer
from gatecore.harness.base import tests_on
from gatecore.harness.bench import Bench, natural_order
from gatecore.replay.asked import Asked
from gatecore.snapshot import Store


class Tests(NamedTuple):
    """Acceptance tests: `file` is None when there are none that may judge, and `why` says why."""

    file: Path | None
    source: str  # own, a run's name, or where they lie
    cost_usd: float | None = None
    why: str = ""


class Acceptance:
    """Finds the tests for runs; each different file is tried on the base once."""

    def __init__(self, bench: Bench, asked: Asked, runs: Mapping[str, Path]) -> None:
        """`runs` are run directories, of whose tests a run without any of its own is given the first ones."""
        self._bench = bench
        self._asked = asked
        self._runs = [runs[key] for key in sorted(runs, key=natural_order)]
        self._faults: dict[tuple[str, str], str | None] = {}
        self._lock = threading.Lock()

    def of(self, run: Path, task: str, store: Store, state: Path) -> Tests:
        """The tests that were named for the task, else those of the run, of `validate`, of another run."""
        found = self._find(run, task)
        if found.file is None:
            return found
        fault = self._fault(found.file, store, state)
        return found._replace(file=None, why=fault) if fault else found

    def _find(self, run: Path, task: str) -> Tests:
        if self._asked.tests:
            named = self._asked.tests_of(task)
            return (
                _tests(named, str(self._asked.tests))
                if named
                else Tests(None, "", 0.0, "none are named for this task")
            )
        places = {"own": run, "validation": self._bench.validation(task)}
        places |= {other.name: other for other in self._runs if other != run and other.parent == run.parent}
        for source, place in places.items():
            file = writer.test_file(place / "gate_tests", task)
            if file.is_file():
                return _tests(file, source)
        return Tests(None, "", 0.0, "none were written for this task")

    def _fault(self, file: Path, store: Store, state: Path) -> str | None:
        key = hashlib.sha256(file.read_bytes()).hexdigest(), store.base_tree
        with self._lock:
            if key not in self._faults:
                self._faults[key] = writer.base_fault(
                    tests_on(self._bench, store, state, store.base_tree, file)
                )
            return self._faults[key]


def _tests(file: Path, source: str) -> Tests:
    """With what they cost to write, where that is on record beside their folder."""
    try:
        cost = json.loads((file.parent.parent / "testwriter.json").read_bytes())["cost_usd"]
    except (OSError, ValueError, KeyError, TypeError):
        cost = None
    return Tests(file, source, float(cost) if isinstance(cost, int | float) else None)
