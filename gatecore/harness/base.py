"""Checks of the harness outside any stop, first of all on the base: what is red there cannot judge a change."""

import hashlib
import json
from pathlib import Path

from gatecore.checks.env import check_env
from gatecore.checks.outcome import CheckResult
from gatecore.checks.run import Check, run_checks
from gatecore.harness.bench import Bench
from gatecore.ledger.writer import write_json
from gatecore.snapshot import Store


def suite_on_base(bench: Bench, store: Store, state: Path) -> CheckResult:
    """The suite's outcome on the base tree; kept per tree and command, so that a matrix runs it once."""
    command = bench.suite_command()
    key = hashlib.sha256(json.dumps([store.base_tree, command]).encode()).hexdigest()[:24]
    kept = bench.root / ".gatecore" / "base" / f"{key}.json"
    if kept.exists():
        fields = json.loads(kept.read_text(encoding="utf-8"))
        return CheckResult(**{**fields, "failed": tuple(fields["failed"])})
    seconds = bench.settings.limits.suite_s
    result = _on(bench, store, state, store.base_tree, "suite", command, seconds)
    if result.verdict != "not_judged":
        kept.parent.mkdir(parents=True, exist_ok=True)
        write_json(str(kept), result._asdict())
    return result


def tests_on(bench: Bench, store: Store, state: Path, tree: str, file: Path) -> CheckResult:
    """The outcome of acceptance tests on a tree of the store."""
    seconds = bench.settings.limits.acceptance_s
    return _on(bench, store, state, tree, "acceptance", bench.tests_command(file), seconds)


def _on(
    bench: Bench, store: Store, state: Path, tree: str, name: str, command: tuple[str, ...], seconds: float
) -> CheckResult:
    copy = state / "copies" / name
    store.checkout(tree, str(copy))
    output = state / f"base-{name}.txt"
    return run_checks([tree_check(bench, state, name, command, seconds, copy=copy, output=output)])[0]


def tree_check(
    bench: Bench,
    state: Path,
    name: str,
    command: tuple[str, ...],
    seconds: float,
    *,
    copy: Path,
    output: Path,
) -> Check:
    """A check of the harness on a checked-out copy, outside any stop."""
    return Check(
        name=name,
        argv=command,
        tree=str(copy),
        env=check_env(
            str(state),
            bench.settings.checks.pass_env,
            {**bench.settings.checks.env, **dict.fromkeys(bench.settings.oracle.env, str(copy))},
        ),
        seconds=seconds,
        output=str(output),
        report=str(state / f"report-{name}.jsonl"),
        base_modules=tuple(path.name for path in bench.upstream.iterdir()),
    )
