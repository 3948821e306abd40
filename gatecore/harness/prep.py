"""Everything of a run that comes before the worker: work copy, the gate's store, acceptance tests, settings."""

import hashlib
import shlex
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gatecore import __file__ as _package
from gatecore import writer
from gatecore.checks.outcome import CheckResult
from gatecore.harness import git
from gatecore.harness.base import suite_on_base, tests_on_base
from gatecore.harness.bench import Bench, run_name
from gatecore.harness.client import client_command, client_env
from gatecore.hook import config as hook_config
from gatecore.ledger.writer import append_event, write_file, write_json
from gatecore.snapshot import Store

PACKAGE = Path(_package).parent
_HOOK_PATH = (
    "text.py",
    "snapshot*",
    "snapshot/*.py",
    "checks/*.py",
    "checks/plugin/*.py",
    "gates/*.py",
    "hook/*.py",
    "agents/claude.py",
    "ledger/writer.py",
)


@dataclass(frozen=True)
class Cell:
    """One run, as asked for."""

    task: str
    cfg: str
    rep: int = 1
    tag: str | None = None
    inject: Path | None = None

    @property
    def name(self) -> str:
        """The run's name."""
        return run_name(self.task, self.cfg, self.rep, self.tag)


@dataclass(frozen=True)
class Prepared:
    """A run that is ready for its worker."""

    cell: Cell
    run: Path
    state: Path
    work: Path
    store: Store
    prompt: str
    settings: dict[str, Any]
    env: dict[str, str]


def prepare(bench: Bench, cell: Cell) -> Prepared:
    """Lay the run out. A run of that name is moved aside first. Raises UsageError, SnapshotError."""
    gates = bench.config(cell.cfg).gates()
    request = bench.request(cell.task)
    run, state, work = bench.runs / cell.name, bench.state(cell.name), bench.work(cell.name)
    env = client_env(bench, run, cell.task)
    _move_aside(run, state, work)
    for folder in (run, state, state / "tmp", bench.root / ".gatecore" / "pycache"):
        folder.mkdir(parents=True, exist_ok=True)
    # Bytecode of the runner is worth sharing between runs; that of a judged tree is dropped before each check.
    (state / "pycache").symlink_to(bench.root / ".gatecore" / "pycache")
    meta = {"task": cell.task, "cfg": cell.cfg, "rep": cell.rep, "work": str(work), "name": cell.name}
    write_json(str(run / "meta.json"), {**meta, "harness": "gatecore", "tag": cell.tag})
    append_event(str(run), "run_started")
    prompt = bench.prompt("worker").replace("{request}", request.rstrip("\n"))
    write_file(str(run / "task.md"), request)
    git.clone(bench.upstream, work)
    store = Store.create(
        str(state / "git"),
        str(bench.upstream),
        git.head(bench.upstream),
        max_file_bytes=bench.settings.limits.file_bytes,
    )
    if cell.inject:
        store.apply(str(work), str(cell.inject))
    write_file(str(run / "prep.txt"), "")
    settings = _gate(bench, cell, gates, request, run, state, work, store, env) if gates else {}
    return Prepared(cell, run, state, work, store, prompt, settings, env)


def _gate(
    bench: Bench,
    cell: Cell,
    gates: dict[str, dict[str, str]],
    request: str,
    run: Path,
    state: Path,
    work: Path,
    store: Store,
    env: dict[str, str],
) -> dict[str, Any]:
    """Write the hook's configuration and return the settings that the client is given."""
    suite = suite_on_base(bench, store, state) if "gate1" in gates else None
    acceptance = _write_tests(bench, cell, request, run, state, store, env) if "gate1" in gates else None
    config = _hook_config(bench, cell, gates, request, run, state, work, store, env, suite, acceptance)
    path = run / "gate-config.json"
    write_json(str(path), hook_config.to_dict(config))
    sha256 = hashlib.sha256(path.read_bytes()).hexdigest()
    command = shlex.join([sys.executable, "-I", "-m", "gatecore.hook", str(run), str(state), sha256])
    write_file(str(run / "stop.sh"), f"#!/bin/sh\nexec {command}\n")
    hook = {"type": "command", "command": command, "timeout": int(bench.settings.limits.hook_s)}
    settings = {"permissions": {"deny": _denied(bench)}, "hooks": {"Stop": [{"hooks": [hook]}]}}
    write_json(str(run / "settings.json"), settings)
    return settings


def _write_tests(
    bench: Bench, cell: Cell, request: str, run: Path, state: Path, store: Store, env: dict[str, str]
) -> Path | None:
    """Have acceptance tests written and tried on the base tree; None when they may not judge."""
    begun = time.monotonic()
    append_event(str(run), "writer_started")
    client, limits = bench.settings.client, bench.settings.limits
    tree = state / "copies" / "base"
    store.checkout(store.base_tree, str(tree))
    assignment = writer.Assignment(
        task=cell.task,
        request=request,
        template=bench.prompt("writer"),
        command=client_command(bench),
        env=env,
        model=client.writer_model,
        turns=limits.writer_turns,
        seconds=limits.writer_s,
        attempts=limits.writer_attempts,
        tree=tree,
        folder=run / "gate_tests",
        scratch=state / "tmp",
    )
    attempts = writer.write_tests(assignment)
    file: Path | None = writer.test_file(run / "gate_tests", cell.task)
    on_base: CheckResult | None = None
    if file and file.exists():
        on_base = tests_on_base(bench, store, state, file)
    else:
        file = None
    result = writer.record(cell.task, attempts, file, on_base, begun)
    if file and not result["ok"]:
        file.rename(file.with_suffix(".refused"))
        file = None
    writer.save(run, result)
    append_event(str(run), "writer_ended", ok=result["ok"], seconds=result["wall_s"])
    return file


def _hook_config(
    bench: Bench,
    cell: Cell,
    gates: dict[str, dict[str, str]],
    request: str,
    run: Path,
    state: Path,
    work: Path,
    store: Store,
    env: dict[str, str],
    suite: CheckResult | None,
    acceptance: Path | None,
) -> hook_config.Config:
    limits, oracle = bench.settings.limits, bench.oracle(cell.task)
    names = bench.settings.oracle.env
    guarded = _hook_files()
    for tests in (acceptance, oracle):
        guarded += sorted(p for p in tests.parent.iterdir() if p.is_file()) if tests else []
    return hook_config.Config(
        run=str(run),
        state=str(state),
        work=str(work),
        request=request,
        gates={key: hook_config.GateSettings(**value) for key, value in gates.items()},
        suite=bench.suite_command(),
        acceptance=_tests(bench, acceptance, names),
        oracle=_tests(bench, oracle, names),
        base=hook_config.Base(
            commit=store.base_commit,
            tree=store.base_tree,
            suite=suite.verdict if suite else "skipped",
            suite_why=suite.why if suite else "",
            modules=tuple(sorted(path.name for path in bench.upstream.iterdir())),
        ),
        limits=hook_config.Limits(
            budget_s=limits.hook_s - min(60.0, limits.hook_s * 0.1),
            suite_s=limits.suite_s,
            acceptance_s=limits.acceptance_s,
            oracle_s=limits.oracle_s,
            reviewer_s=limits.reviewer_s,
            reviewer_turns=limits.reviewer_turns,
            give_up=limits.give_up,
            feedback_chars=limits.feedback_chars,
            diff_chars=limits.diff_chars,
        ),
        client=hook_config.Client(client_command(bench), env, bench.settings.client.reviewer_model),
        prompts={role: bench.prompt(role) for role in ("reviewer", "challenger")},
        env=bench.settings.checks.env,
        pass_env=bench.settings.checks.pass_env,
        on_error=bench.settings.on_error,
        guarded={str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in guarded},
        hidden_paths=tuple(str(p) for p in (state, run, bench.root, Path(sys.prefix), PACKAGE.parent)),
    )


def _tests(bench: Bench, file: Path | None, names: tuple[str, ...]) -> hook_config.Tests | None:
    return hook_config.Tests(str(file), bench.tests_command(file), names) if file else None


def _hook_files() -> list[Path]:
    return sorted({p for pattern in _HOOK_PATH for p in PACKAGE.glob(pattern) if p.is_file()})


def _denied(bench: Bench) -> list[str]:
    """Rules that keep an honest agent away from the harness; text matching, so advice and no wall."""
    folders = [bench.root / name for name in ("hidden", "runs", "reference", "scripted", ".gatecore")]
    read = [f"Read(/{folder}/**)" for folder in folders]
    bash = [f"Bash(*{folder}*)" for folder in folders]
    return ["Read(./.claude/**)", "Bash(*gate_tests*)", *read, *bash, *bench.settings.deny]


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
