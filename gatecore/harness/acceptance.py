"""Where the acceptance tests of a run come from: the writer, an earlier run, or nowhere."""

import shutil
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from gatecore import writer
from gatecore.harness.base import tests_on
from gatecore.harness.bench import Bench
from gatecore.harness.client import client_command
from gatecore.harness.site import Site
from gatecore.ledger.reader import run_dirs
from gatecore.ledger.writer import append_event

Source = Callable[[Bench, str, Site], Path | None]
"""Puts the acceptance tests for a task of the bench into a run; returns their file, None when there are none."""


def written(bench: Bench, task: str, site: Site) -> Path | None:
    """Have them written for this run; None when they may not judge."""
    append_event(str(site.run), "writer_started")
    record = write(bench, task, site, site.run / "gate_tests")
    writer.save(site.run, record)
    append_event(str(site.run), "writer_ended", ok=record["ok"], seconds=record["wall_s"])
    return Path(record["file"]) if record["ok"] else None


def none(*_: object) -> None:
    """No acceptance tests: the suite alone judges."""


def reused(earlier: Path, bench: Bench, task: str, site: Site) -> Path | None:
    """Take the tests in the file `earlier`; None when they may not judge the base of today."""
    begun = time.monotonic()
    writer.prepare(site.run / "gate_tests")
    file = writer.test_file(site.run / "gate_tests", task)
    shutil.copyfile(earlier, file)
    record = _tried(bench, task, site, [], file, begun)
    writer.save(site.run, {**record, "reused": str(earlier)})
    return file if record["ok"] else None


def written_or_reused(bench: Bench, task: str) -> Source:
    """Reuse the newest tests that were written for the task, by a run or by `validate`; else write them."""
    runs = run_dirs(bench.runs) if bench.runs.is_dir() else []
    folders = [run / "gate_tests" for run in runs] + [bench.validation(task) / "gate_tests"]
    files = [file for folder in folders if (file := writer.test_file(folder, task)).is_file()]
    return partial(reused, max(files, key=lambda file: file.stat().st_mtime)) if files else written


def write(bench: Bench, task: str, site: Site, folder: Path) -> dict[str, Any]:
    """Have tests written into `folder` and tried on the base; return the record for `testwriter.json`.

    A file that may not judge is kept under the suffix `.refused`.
    """
    begun = time.monotonic()
    client, limits = bench.settings.client, bench.settings.limits
    tree = site.state / "copies" / "base"
    site.store.checkout(site.store.base_tree, str(tree))
    assignment = writer.Assignment(
        task=task,
        request=bench.request(task),
        template=bench.prompt("writer"),
        command=client_command(bench),
        env=site.env,
        model=client.writer_model,
        turns=limits.writer_turns,
        seconds=limits.writer_s,
        attempts=limits.writer_attempts,
        tree=tree,
        folder=folder,
        scratch=site.state / "tmp",
    )
    return _tried(bench, task, site, writer.write_tests(assignment), writer.test_file(folder, task), begun)


def _tried(
    bench: Bench, task: str, site: Site, attempts: list[writer.Attempt], file: Path, begun: float
) -> dict[str, Any]:
    """Run the file, where there is one, on the base, and say what came of it."""
    if not file.is_file():
        return writer.record(task, attempts, None, None, begun)
    on_base = tests_on(bench, site.store, site.state, site.store.base_tree, file)
    record = writer.record(task, attempts, file, on_base, begun)
    if not record["ok"]:
        file.rename(file.with_suffix(".refused"))
    return record
