"""The bench in the package is what it says it is: the demo's figures stand on it."""

import json
import os
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

import pytest

import gatecore

BENCH = Path(gatecore.__file__).parent / "sample" / "bench"
SCRIPTED = BENCH / "scripted"
TASKS = ("T1", "T2", "T3", "T4")
CONFIGS = ("bare", "g1", "g3", "g13", "g13adv")
KINDS = ("weak", "hedged", "firm", "strict")
ATTEMPTS = sorted((file.parent.name, file.stem) for file in SCRIPTED.glob("attempts/*/*.patch"))


class Outcomes(NamedTuple):
    """Test names with whether they passed: the package's own, the oracle's and each writer's, by module."""

    suite: dict[str, bool]
    oracle: dict[str, bool]
    acceptance: dict[str, dict[str, bool]]

    def failed_requirements(self) -> set[str]:
        return {requirement(name) for name, passed in self.oracle.items() if not passed}


def requirement(name: str) -> str:
    return name.partition("[")[0]


def tree_with(patch: Path | None, folder: Path) -> Path:
    tree = folder / "tree"
    shutil.copytree(BENCH / "upstream", tree)
    environ = os.environ | {"GIT_CONFIG_GLOBAL": os.devnull}
    subprocess.run(["git", "init", "--quiet"], cwd=tree, env=environ, check=True)
    if patch is not None:
        command = ["git", "apply", "--whitespace=error-all", str(patch)]
        done = subprocess.run(command, cwd=tree, env=environ, check=False, capture_output=True, text=True)
        assert (done.returncode, done.stderr) == (0, "")
    return tree


def judge(tree: Path, *tasks: str) -> Outcomes:
    """Run the suite, the oracle and the acceptance tests in one pytest; `tasks` is one task, or none."""
    root = tree.parent
    report = root / "report.xml"
    shutil.copytree(BENCH / "hidden", root / "hidden")
    (root / "acceptance").mkdir()
    for task in tasks:
        for kind in KINDS:
            file = SCRIPTED / "gate" / task / f"{kind}.py"
            shutil.copy(file, root / "acceptance" / f"test_{kind}_{task}.py")
    quick = ["-q", "--tb=no", "--assert=plain", "-p", "no:cacheprovider"]
    where = ["-c", "pytest.ini", "--rootdir", str(root), f"--junitxml={report}"]
    files = ["tests", str(root / "acceptance"), *(str(root / "hidden" / f"test_{task}.py") for task in tasks)]
    command = [sys.executable, "-m", "pytest", *quick, *where, *files]
    environ = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    environ |= {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    environ["GATECORE_TREE"] = str(tree)
    done = subprocess.run(command, cwd=tree, env=environ, check=False, capture_output=True, text=True)
    assert done.returncode in (0, 1), done.stdout + done.stderr
    return read(report)


def read(report: Path) -> Outcomes:
    suite: dict[str, bool] = {}
    oracle: dict[str, bool] = {}
    written: dict[str, dict[str, bool]] = defaultdict(dict)
    for case in ET.parse(report).iter("testcase"):
        name, passed = case.get("name", ""), len(case) == 0
        module = case.get("classname", "").rpartition(".")[2]
        if re.fullmatch(r"test_T\d", module):
            oracle[name] = passed
        elif re.fullmatch(r"test_[a-z]+_T\d", module):
            written[module.split("_")[1]][name] = passed
        else:
            suite[f"{module}::{name}"] = passed
    return Outcomes(suite, oracle, dict(written))


@pytest.mark.parametrize("task", TASKS)
def test_upstream_meets_only_the_guards(task: str, tmp_path: Path) -> None:
    outcomes = judge(tree_with(None, tmp_path), task)
    guards = json.loads((BENCH / "hidden" / "guards.json").read_text())[task]

    assert len(outcomes.suite) >= 25
    assert all(outcomes.suite.values())
    requirements = {requirement(name) for name in outcomes.oracle}
    assert requirements == {f"test_req{n}" for n in range(1, 6)}
    assert requirements - outcomes.failed_requirements() == set(guards)
    assert len(guards) <= 1
    assert set(outcomes.acceptance) == set(KINDS)
    for tests in outcomes.acceptance.values():
        assert not all(tests.values())


@pytest.mark.parametrize(("task", "name"), ATTEMPTS)
def test_an_attempt_misses_what_its_name_says(task: str, name: str, tmp_path: Path) -> None:
    outcomes = judge(tree_with(SCRIPTED / "attempts" / task / f"{name}.patch", tmp_path), task)

    missed = re.match(r"m([1-5]+)", name)
    assert outcomes.failed_requirements() == {f"test_req{n}" for n in (missed[1] if missed else "")}
    assert all(outcomes.suite.values()) == ("redtest" not in name)
    green = {kind for kind, tests in outcomes.acceptance.items() if all(tests.values())}
    if name == "over":
        assert green == set(KINDS)
    elif missed:
        assert not green & {"firm", "strict"}
    else:
        assert green == {"weak", "hedged", "firm"}


@pytest.mark.parametrize("task", TASKS)
def test_the_reference_is_the_attempt_that_meets_all(task: str) -> None:
    reference = (BENCH / "reference" / f"{task}.patch").read_bytes()
    assert reference == (SCRIPTED / "attempts" / task / "ref.patch").read_bytes()
    assert (task, "over") in ATTEMPTS


def test_the_red_start_breaks_one_test(tmp_path: Path) -> None:
    outcomes = judge(tree_with(BENCH / "inject" / "break.patch", tmp_path))
    assert list(outcomes.suite.values()).count(False) == 1


def test_the_scenarios_fill_the_matrix_and_name_what_is_there() -> None:
    scenarios = json.loads((SCRIPTED / "scenarios.json").read_text(encoding="utf-8"))
    red_start = scenarios.pop("T1-g1-r1-val2")
    assert red_start["attempts"][0] == "ref"
    assert sorted(scenarios) == sorted(f"{t}-{c}-r{rep}" for t in TASKS for c in CONFIGS for rep in (1, 2))
    for run, scenario in scenarios.items():
        task, config, _ = run.split("-")
        attempts = scenario["attempts"]
        assert attempts[0], run
        assert {(task, name) for name in attempts if name} <= set(ATTEMPTS), run
        assert scenario["writer"] in (*KINDS, "fail"), run
        assert not scenario["reviews"] or "3" in config, run
        assert {int(stop) for stop in scenario["reviews"]} <= set(range(1, len(attempts) + 1)), run


def test_every_task_has_a_request_and_a_row_in_the_table() -> None:
    table = (BENCH / "tasks" / "README.md").read_text(encoding="utf-8")
    for task in TASKS:
        assert (BENCH / "tasks" / f"{task}.md").read_text(encoding="utf-8").strip()
        (row,) = [line for line in table.splitlines() if line.startswith(f"| {task} ")]
        guarded = [n for n, cell in enumerate(row.strip("| ").split(" | ")) if "**guard**" in cell]
        guards = json.loads((BENCH / "hidden" / "guards.json").read_text())[task]
        assert guards == [f"test_req{n}" for n in guarded]
