"""A few cells of the sample bench, run once for all tests that only read them."""

import subprocess
import sys
from pathlib import Path

import pytest

from gatecore.harness.sample import lay_out

PLAYED = {
    "T2-bare-r2": [],
    "T2-g1-r2": ["right"],
    "T3-g1-r2": ["false", "clean"],
    "T4-g1-r2": ["error"],
    "T1-g13-r1": ["right"] * 6 + ["gave_up"],
    "T3-g13-r1": ["missed"],
    "T3-g3-r2": ["missed"],
    "T2-g13adv-r1": ["right", "clean"],
    "T4-g13adv-r2": ["killed"],
}
"""Runs with the class of each stop, as their scenarios mean it."""


@pytest.fixture(scope="session")
def played() -> dict[str, list[str]]:
    return PLAYED


@pytest.fixture(scope="session")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The runs folder of a bench whose matrix consists of `PLAYED`."""
    bench = tmp_path_factory.mktemp("matrix") / "bench"
    lay_out(bench)
    plan = "".join(f"{cfg} {task} {rep[1:]}\n" for task, cfg, rep in (name.split("-") for name in PLAYED))
    (bench / "plan.txt").write_text(plan)
    command = [sys.executable, "-m", "gatecore", "matrix", "--list", "plan.txt", "--jobs", "2"]
    done = subprocess.run(command, cwd=bench, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return bench / "runs"
