"""Trees made of a few files, and what a check with the real pytest must say of them."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import pytest

from gatecore.checks.env import check_env
from gatecore.checks.outcome import CheckResult
from gatecore.checks.run import Check

PYTEST = (sys.executable, "-m", "pytest", "-q")
SHELL = ("/bin/sh", "-c")
NO_PLUGINS = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}  # this project's own; it is faster too

GREEN = "def test_one():\n    pass\n\ndef test_two():\n    pass\n"
ONE_RED = "def test_one():\n    assert 1 == 2\n\ndef test_two():\n    pass\n"


class Case(NamedTuple):
    """A tree and the answer it must get. `{base}` in its texts is the folder that holds `tree/`."""

    files: Mapping[str, str]
    verdict: str
    why: str = ""
    tests: Mapping[str, str] | None = None
    counts: Mapping[str, int] = {}
    argv: tuple[str, ...] = PYTEST
    env: Mapping[str, str] = NO_PLUGINS
    inherited: Mapping[str, str] = {}
    base_modules: tuple[str, ...] = ()
    seconds: float = 60.0


class Ran(NamedTuple):
    base: Path
    result: CheckResult

    @property
    def output(self) -> str:
        return (self.base / "out.txt").read_text(errors="replace")


def make_check(base: Path, state: Path, case: Case, name: str = "suite") -> Check:
    """Write the case's files; `base` will hold `tree/`, `out.txt` and `report.jsonl`."""

    def filled(text: str) -> str:
        for key, value in _places(base).items():
            text = text.replace(key, value)
        return text

    tree = base / "tree"
    tree.mkdir(parents=True)
    for path, text in case.files.items():
        file = tree / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(filled(text))
    inherited = {"PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin", **case.inherited}
    extra = {key: filled(value) for key, value in case.env.items()}
    return Check(
        name=name,
        argv=tuple(map(filled, case.argv)),
        tree=str(tree),
        env=check_env(str(state), (), extra, inherited),
        seconds=case.seconds,
        output=str(base / "out.txt"),
        report=str(base / "report.jsonl"),
        base_modules=case.base_modules,
    )


def assert_answer(case: Case, ran: Ran) -> None:
    result, shown = ran.result, ran.output[-3000:]
    why = case.why.replace("{base}", str(ran.base))
    assert result.verdict == case.verdict, f"{result}\n{shown}"
    assert result.why.startswith(why) if why else not result.why, shown
    assert case.tests is None or list(result.tests.items()) == list(case.tests.items()), shown
    assert {key: result.counts[key] for key in case.counts} == case.counts, shown
    bad = {test for test, kind in result.tests.items() if kind in ("failed", "error", "missing")}
    assert set(result.failed) == bad
    written = {path.name for path in (ran.base / "tree").rglob("*") if ".venv" not in path.parts}
    assert not written & {"__pycache__", ".pytest_cache"}


def _places(base: Path) -> dict[str, str]:
    real = Path(os.path.realpath(sys.executable))
    return {
        "{base}": str(base),
        "{python}": str(real),
        "{home}": str(real.parent),
        "{version}": f"python{sys.version_info.major}.{sys.version_info.minor}",
        "{packages}": str(Path(pytest.__file__).parents[1]),
    }
