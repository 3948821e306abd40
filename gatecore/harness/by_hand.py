"""Single calls outside any run: the writer, a pair of reviewers, a work copy for a live session."""

import shlex
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gatecore import writer
from gatecore.gates.base import Gate, Judgement, Stop
from gatecore.gates.review import ReviewGate
from gatecore.gates.ui import UiGate
from gatecore.harness import acceptance
from gatecore.harness.bench import Bench
from gatecore.harness.client import PROJECT_ENV, client_command, client_env, worker_flags
from gatecore.harness.errors import UsageError
from gatecore.harness.gate_config import hook_config
from gatecore.harness.prep import make_store, prepare
from gatecore.harness.site import Cell, Site

TAG = "hand"


@contextmanager
def bench_site(bench: Bench, task: str, name: str = "none") -> Iterator[Site]:
    """A site outside any run, for checks and calls on behalf of `task`; it goes when the block ends.

    `name` is what the scripted client takes for the run's name.
    """
    folder = bench.root / ".gatecore"
    folder.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="by-hand-", dir=folder, ignore_cleanup_errors=True) as path:
        state = Path(path)
        run = state / "runs" / name
        run.mkdir(parents=True)
        yield Site(run, state, state / "work", make_store(bench, state), client_env(bench, run, task))


def write_tests(bench: Bench, task: str) -> dict[str, Any]:
    """Have the acceptance tests of a task written anew, into its folder under `validation/`.

    What was there is kept beside it. Returns what stands in `testwriter.json`. Raises UsageError, SnapshotError.
    """
    bench.request(task)
    folder = bench.validation(task)
    _keep_old(folder)
    folder.mkdir(parents=True)
    with bench_site(bench, task) as site:
        record = acceptance.write(bench, task, site, folder / "gate_tests")
    writer.save(folder, record)
    return record


def review(bench: Bench, work: Path, task: str, variant: str) -> Judgement:
    """Have the change in the folder `work`, against upstream, reviewed once by a pair of reviewers.

    Raises UsageError, SnapshotError.
    """
    gates = {"gate3": {"mode": "block", "variant": variant}}
    return _judged(bench, work, task, ReviewGate(), gates)


def look(bench: Bench, work: Path, task: str) -> Judgement:
    """Have the pages of the change in the folder `work` rendered, and looked at once.

    Raises UsageError, SnapshotError.
    """
    return _judged(bench, work, task, UiGate(), {"gate2": {"mode": "block"}})


def _judged(bench: Bench, work: Path, task: str, gate: Gate, gates: dict[str, dict[str, str]]) -> Judgement:
    bench.request(task)
    if not work.is_dir():
        raise UsageError(f"{work}: no such folder" if not work.exists() else f"{work}: is no folder")
    with bench_site(bench, task, work.resolve().name) as site:
        config = hook_config(bench, task, gates, site, None, None)
        deadline = time.monotonic() + config.limits.budget_s
        snapshot = site.store.take(str(work))
        return gate.judge(Stop(config, 1, site.store, snapshot, deadline, _unheard, {}), {})


@dataclass(frozen=True)
class Session:
    """What a live session by hand needs."""

    run: Path
    work: Path
    settings: Path | None
    command: str
    request: str


def session(bench: Bench, task: str, cfg: str) -> Session:
    """Lay out a gated work copy; tests of an earlier run of the task judge it where there are any.

    Its run is tagged and gets the next free number, so that no other session is disturbed.
    Raises UsageError, SnapshotError.
    """
    tests = acceptance.written_or_reused(bench, task)
    rep = 1
    while (bench.runs / Cell(task, cfg, rep, TAG).name).exists():
        rep += 1
    prepared = prepare(bench, Cell(task, cfg, rep, TAG), tests)
    settings = prepared.run / "settings.json" if prepared.settings else None
    given = [f"{name}={value}" for name, value in {**PROJECT_ENV, **prepared.env}.items()]
    flags = worker_flags(bench, prepared.work) + (["--settings", str(settings)] if settings else [])
    start = shlex.join(["env", *given, *client_command(bench), *flags])
    command = f"cd {shlex.quote(str(prepared.work))} && {start}"
    return Session(prepared.run, prepared.work, settings, command, prepared.prompt)


def _keep_old(folder: Path) -> None:
    if not folder.exists():
        return
    k = 1
    while (old := folder.with_name(f"{folder.name}-old{k}")).exists():
        k += 1
    folder.rename(old)


def _unheard(kind: str, **fields: Any) -> None:
    """Events of a stop that is none."""
