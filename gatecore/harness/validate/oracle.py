"""The oracle: every requirement fails on upstream but for named guards, and each reference meets all."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

from gatecore.checks.outcome import PASS, CheckResult
from gatecore.checks.requirements import Requirements, judge_requirements
from gatecore.checks.run import run_checks
from gatecore.harness.base import suite_on_base, tree_check
from gatecore.harness.bench import Bench
from gatecore.harness.by_hand import bench_site
from gatecore.harness.errors import UsageError
from gatecore.harness.site import Site
from gatecore.harness.validate.step import Step
from gatecore.snapshot import SnapshotError

_GUARDS = "hidden/guards.json"


def try_oracle(bench: Bench) -> Iterator[Step]:
    """One step for the suite on upstream, and two for each task."""
    guards = read_guards(bench)
    with bench_site(bench, bench.tasks[0]) as site:
        suite = suite_on_base(bench, site.store, site.state)
        said = f"{suite.counts['passed']} passed" if suite.verdict == PASS else _why(suite)
        yield Step("suite: green on upstream", suite.verdict == PASS, said)
        for task in bench.tasks:
            oracle = bench.oracle(task)
            if oracle is None:
                yield Step(f"oracle {task}", False, f"{bench.root / 'hidden' / f'test_{task}.py'} is missing")
                continue
            yield _on_upstream(bench, site, task, oracle, guards.get(task, ()))
            yield _on_reference(bench, site, task, oracle)


def read_guards(bench: Bench) -> Mapping[str, tuple[str, ...]]:
    """The requirements that guard existing behaviour, by task; they pass on upstream. Raises UsageError."""
    path = bench.root / _GUARDS
    if not path.exists():
        return {}
    try:
        raw = json.loads(path.read_bytes())
        return {str(task): tuple(map(str, names)) for task, names in raw.items()}
    except (OSError, ValueError, AttributeError, TypeError):
        raise UsageError(f'{path}: must be an object of lists, as {{"T1": ["test_req5"]}}') from None


def _on_upstream(bench: Bench, site: Site, task: str, oracle: Path, guards: tuple[str, ...]) -> Step:
    name = f"oracle {task}: fails on upstream"
    result = _run(bench, site, site.store.base_tree, oracle=oracle)["oracle"]
    judged = judge_requirements(str(oracle), result)
    if judged.state != "judged":
        return Step(name, False, f"the oracle is {judged.state}: {_why(result) or 'it holds no test_req<n>'}")
    wrong = [
        *(f"{req} passes (a guard of existing behaviour? name it in {_GUARDS})"
          for req in judged.passed if req not in guards),
        *(f"{req} is named in {_GUARDS} and does not pass" for req in guards if req not in judged.passed),
    ]  # fmt: skip
    kept = f"; guards: {', '.join(guards)}" if guards else ""
    return Step(name, not wrong, "; ".join(wrong) or f"{_count(judged.failed)} fail{kept}")


def _on_reference(bench: Bench, site: Site, task: str, oracle: Path) -> Step:
    name = f"oracle {task}: the reference passes"
    try:
        tree = reference_tree(bench, site, task)
    except (UsageError, SnapshotError) as err:
        return Step(name, False, str(err))
    results = _run(bench, site, tree, oracle=oracle, suite=None)
    judged = judge_requirements(str(oracle), results["oracle"])
    wrong = []
    if judged.state != "judged" or judged.failed:
        wrong.append(f"oracle: {_unmet(judged, results['oracle'])}")
    if results["suite"].verdict != PASS:
        wrong.append(f"suite: {_why(results['suite'])}")
    return Step(name, not wrong, "; ".join(wrong) or f"{_count(judged.passed)} and the suite")


def reference_tree(bench: Bench, site: Site, task: str) -> str:
    """The tree of upstream with the task's reference. Raises UsageError, SnapshotError."""
    patch = bench.reference(task)
    if patch is None:
        raise UsageError(f"{bench.root / 'reference' / f'{task}.patch'}: missing; it solves {task}")
    copy = str(site.state / "reference")
    site.store.checkout(site.store.base_tree, copy)
    site.store.apply(copy, str(patch))
    return site.store.take(copy).tree


def _run(bench: Bench, site: Site, tree: str, **wanted: Path | None) -> dict[str, CheckResult]:
    """Run oracle and suite, those that are `wanted`, side by side on copies of `tree`."""
    limits = bench.settings.limits
    commands = {
        name: bench.tests_command(file) if file else bench.suite_command() for name, file in wanted.items()
    }
    seconds = {"oracle": limits.oracle_s, "suite": limits.suite_s}
    checks = []
    for name, command in commands.items():
        copy = site.state / "copies" / name
        site.store.checkout(tree, str(copy))
        output = site.state / f"{name}.txt"
        checks.append(tree_check(bench, site.state, name, command, seconds[name], copy=copy, output=output))
    return {result.name: result for result in run_checks(checks)}


def _unmet(judged: Requirements, result: CheckResult) -> str:
    return (
        f"{', '.join(judged.failed)} fail" if judged.state == "judged" else f"{judged.state}: {_why(result)}"
    )


def _why(result: CheckResult) -> str:
    if result.failed and not result.why:
        return f"{len(result.failed)} tests fail, {result.failed[0]} first"
    return result.why


def _count(names: tuple[str, ...]) -> str:
    return f"{len(names)} {'requirement' if len(names) == 1 else 'requirements'}"
