"""The writer: acceptance tests of every task, held against upstream and against the reference."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from gatecore.checks.outcome import NOT_JUDGED
from gatecore.harness.base import tests_on
from gatecore.harness.bench import Bench
from gatecore.harness.by_hand import bench_site, write_tests
from gatecore.harness.validate.oracle import reference_tree
from gatecore.harness.validate.step import Step
from gatecore.writer import test_file


def try_writer(bench: Bench, *, fresh: bool) -> Iterator[Step]:
    """One step a task, on the tests that were written before unless `fresh`.

    A test that fails on the reference is told and not wrong: it is what a run would meet.
    """
    for task in bench.tasks:
        yield _try(bench, task, fresh)


def _try(bench: Bench, task: str, fresh: bool) -> Step:
    name = f"writer {task}"
    folder = bench.validation(task)
    file = test_file(folder / "gate_tests", task)
    kept = file.is_file() and not fresh
    record = _kept_record(folder) if kept else write_tests(bench, task)
    cost = "kept" if kept else "written"
    cost += f", {_usd(record.get('cost_usd'))}"
    if not file.is_file():
        return Step(name, False, f"no tests that may judge: {record.get('error')} ({cost})")
    with bench_site(bench, task) as site:
        trees = {"upstream": site.store.base_tree}
        if bench.reference(task):
            trees["reference"] = reference_tree(bench, site, task)
        results = {
            where: tests_on(bench, site.store, site.state, tree, file) for where, tree in trees.items()
        }
    unjudged = [f"on {where}: {r.why}" for where, r in results.items() if r.verdict == NOT_JUDGED]
    if unjudged:
        return Step(name, False, "; ".join(unjudged))
    counts = results["upstream"].counts
    said = f"{counts['collected']:2} tests, {counts['passed']:2} passing on upstream (what is there already)"
    if "reference" in results:
        failed = [test.split("::", 1)[-1] for test in results["reference"].failed]
        said += f", {len(failed)} failing on the reference"
        said += f" (predicted false blocks: {', '.join(failed)})" if failed else ""
    return Step(name, True, f"{said}; {cost}")


def _kept_record(folder: Path) -> dict[str, Any]:
    try:
        record = json.loads((folder / "testwriter.json").read_bytes())
    except (OSError, ValueError):
        return {}
    return record if isinstance(record, dict) else {}


def _usd(amount: object) -> str:
    return f"${amount:.3f}" if isinstance(amount, int | float) else "$?"
