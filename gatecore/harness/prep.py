"""Everything of a run that comes before the worker: work copy, the gate's store, acceptance tests, settings."""

import hashlib
import shlex
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gatecore.checks.env import MARK, owner
from gatecore.harness import acceptance, git
from gatecore.harness.base import suite_on_base
from gatecore.harness.bench import Bench
from gatecore.harness.client import client_env
from gatecore.harness.gate_config import HOOK, PACKAGE, denied, hook_config
from gatecore.harness.site import Cell, Site
from gatecore.hook import config as hook
from gatecore.ledger.writer import append_event, write_file, write_json
from gatecore.snapshot import Store

__all__ = ["Cell", "Prepared", "prepare"]

# With a block the client may show the agent this text as it stands, so it holds no path; unset, it fails.
_COMMAND = f'eval "exec ${{{HOOK}:?}}"'
# Without site-packages: what is installed beside us, or is put there while the agent works, has no say.
# Without garbage collection: to look for it costs milliseconds, and a stop leaves next to none.
_START = (
    f"import gc, sys; gc.disable(); sys.path.append({str(PACKAGE.parent)!r}); "
    "from gatecore.hook.__main__ import main; sys.exit(main())"
)
_HOOK = (sys.executable, "-I", "-S", "-c", _START)
# Folders that tools make with a .gitignore of their own in them, so that no repository needs to name them.
_HIDE_THEMSELVES = b".pytest_cache/\n.mypy_cache/\n.ruff_cache/\n.venv/\n"


@dataclass(frozen=True)
class Prepared(Site):
    """A run that is ready for its worker."""

    cell: Cell
    prompt: str
    settings: dict[str, Any]


def prepare(bench: Bench, cell: Cell, tests: acceptance.Source = acceptance.written) -> Prepared:
    """Lay the run out, with acceptance tests from `tests` where its config has gate 1.

    A run of that name is moved aside first. Raises UsageError, SnapshotError.
    """
    config = bench.config(cell.cfg)
    gates = config.gates()
    request = bench.request(cell.task)
    run, state, work = bench.runs / cell.name, bench.state(cell.name), bench.work(cell.name)
    env = {**client_env(bench, run, cell.task), MARK: owner(str(state))}
    _move_aside(run, state, work)
    run.mkdir(parents=True)
    meta = {"task": cell.task, "cfg": cell.cfg, "rep": cell.rep, "work": str(work), "name": cell.name}
    held = {"signoff": True} if cell.signoff or config.gate4 else {}
    write_json(str(run / "meta.json"), {**meta, "harness": "gatecore", "tag": cell.tag, **held})
    append_event(str(run), "run_started")
    prompt = bench.prompt("worker").replace("{request}", request.rstrip("\n"))
    write_file(str(run / "task.md"), request)
    git.clone(bench.upstream, work)
    site = Site(run, state, work, make_store(bench, state), env)
    if cell.inject:
        site.store.apply(str(work), str(cell.inject))
    write_file(str(run / "prep.txt"), "")
    settings = _gate(bench, cell.task, gates, site, tests) if gates else {}
    return Prepared(**vars(site), cell=cell, prompt=prompt, settings=settings)


def make_store(bench: Bench, state: Path) -> Store:
    """Make the gate's own directory `state`, and in it the store whose base is upstream's HEAD."""
    pycache = bench.root / ".gatecore" / "pycache"
    for folder in (state / "tmp", pycache):
        folder.mkdir(parents=True, exist_ok=True)
    # Bytecode of the runner is worth sharing between runs; that of a judged tree is dropped before each check.
    (state / "pycache").symlink_to(pycache)
    return Store.create(
        str(state / "git"),
        str(bench.upstream),
        git.head(bench.upstream),
        extra_ignores=_HIDE_THEMSELVES,
        max_file_bytes=bench.settings.limits.file_bytes,
    )


def _gate(
    bench: Bench, task: str, gates: dict[str, dict[str, str]], site: Site, tests: acceptance.Source
) -> dict[str, Any]:
    """Write the hook's configuration and return the settings that the client is given."""
    suite = suite_on_base(bench, site.store, site.state) if "gate1" in gates else None
    file = tests(bench, task, site) if "gate1" in gates else None
    path = site.run / "gate-config.json"
    write_json(str(path), hook.to_dict(hook_config(bench, task, gates, site, suite, file)))
    sha256 = hashlib.sha256(path.read_bytes()).hexdigest()
    command = shlex.join([*_HOOK, str(site.run), str(site.state), sha256])
    write_file(str(site.run / "stop.sh"), f"#!/bin/sh\nexec {command}\n")
    stop = {"type": "command", "command": _COMMAND, "timeout": int(bench.settings.limits.hook_s)}
    settings = {
        "permissions": {"deny": denied(bench)},
        "env": {HOOK: command},
        "hooks": {"Stop": [{"hooks": [stop]}]},
    }
    write_json(str(site.run / "settings.json"), settings)
    return settings


def _move_aside(run: Path, state: Path, work: Path) -> None:
    """Move what an earlier run of this name left to `<name>-old<k>`: nothing that was recorded is deleted."""
    if not any(path.exists() for path in (run, state, work)):
        return
    k = 1
    while any(path.with_name(f"{path.name}-old{k}").exists() for path in (run, state, work)):
        k += 1
    for path in (run, state, work):
        if path.exists():
            path.rename(path.with_name(f"{path.name}-old{k}"))
