"""What the hook of a run is told, and which files are watched over meanwhile."""

import hashlib
import sys
from pathlib import Path

from gatecore import __file__ as _package
from gatecore.checks.outcome import CheckResult
from gatecore.harness.bench import Bench
from gatecore.harness.client import client_command
from gatecore.harness.site import Site
from gatecore.hook import config as hook

PACKAGE = Path(_package).parent
HOOK = "GATECORE_STOP"
"""The variable that holds the hook's command line, in the client's environment."""

_HOOK_PATH = (
    "text.py",
    "png.py",
    "snapshot*",
    "snapshot/*.py",
    "checks/*.py",
    "checks/plugin/*.py",
    "gates/*.py",
    "hook/*.py",
    "agents/claude.py",
    "ledger/writer.py",
)


def hook_config(
    bench: Bench,
    task: str,
    gates: dict[str, dict[str, str]],
    site: Site,
    suite: CheckResult | None,
    acceptance: Path | None,
) -> hook.Config:
    """The hook's configuration. `suite` is the suite's outcome on the base, None when no gate asks for it."""
    limits, names = bench.settings.limits, bench.settings.oracle.env
    oracle = bench.oracle(task)
    return hook.Config(
        run=str(site.run),
        state=str(site.state),
        work=str(site.work),
        request=bench.request(task),
        gates={
            key: hook.GateSettings(value["mode"], value.get("variant", "indep"))
            for key, value in gates.items()
        },
        suite=bench.suite_command(),
        acceptance=_tests(bench, acceptance, names),
        oracle=_tests(bench, oracle, names),
        base=hook.Base(
            commit=site.store.base_commit,
            tree=site.store.base_tree,
            suite=suite.verdict if suite else "skipped",
            suite_why=suite.why if suite else "",
            modules=tuple(sorted(path.name for path in bench.upstream.iterdir())),
        ),
        limits=hook.Limits(
            budget_s=limits.hook_s - min(60.0, limits.hook_s * 0.1),
            suite_s=limits.suite_s,
            acceptance_s=limits.acceptance_s,
            oracle_s=limits.oracle_s,
            reviewer_s=limits.reviewer_s,
            reviewer_turns=limits.reviewer_turns,
            give_up=limits.give_up,
            feedback_chars=limits.feedback_chars,
            diff_chars=limits.diff_chars,
            render_s=limits.render_s,
            pictures=limits.pictures,
            picture_bytes=limits.picture_bytes,
        ),
        client=hook.Client(client_command(bench), site.env, bench.settings.client.reviewer_model),
        prompts={role: bench.prompt(role) for role in ("reviewer", "challenger", "ui")},
        env=bench.settings.checks.env,
        pass_env=bench.settings.checks.pass_env,
        on_error=bench.settings.on_error,
        guarded=_hashes([*_hook_files(), *_beside(acceptance), *_beside(oracle), *_renderer(bench)]),
        hidden_paths=tuple(
            str(path) for path in (site.state, site.run, bench.root, Path(sys.prefix), PACKAGE.parent)
        ),
        render=hook.Render(bench.render_command(), bench.settings.gate2.paths) if "gate2" in gates else None,
    )


def denied(bench: Bench) -> list[str]:
    """Rules that keep an honest agent away from the harness; text matching, so advice and no wall."""
    folders = [bench.root / name for name in ("hidden", "runs", "reference", "scripted", ".gatecore")]
    read = [f"Read(/{folder}/**)" for folder in folders]
    bash = [f"Bash(*{folder}*)" for folder in folders]
    return ["Bash(*gate_tests*)", *read, *bash, *bench.settings.deny]


def _tests(bench: Bench, file: Path | None, names: tuple[str, ...]) -> hook.Tests | None:
    return hook.Tests(str(file), bench.tests_command(file), names) if file else None


def _hook_files() -> list[Path]:
    return sorted({p for pattern in _HOOK_PATH for p in PACKAGE.glob(pattern) if p.is_file()})


def _beside(tests: Path | None) -> list[Path]:
    return sorted(p for p in tests.parent.iterdir() if p.is_file()) if tests else []


def _renderer(bench: Bench) -> list[Path]:
    """Files of the bench that the render command names."""
    named = [Path(part) for part in bench.render_command()]
    return [path for path in named if bench.root in path.parents and path.is_file()]


def _hashes(files: list[Path]) -> dict[str, str]:
    return {str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}
