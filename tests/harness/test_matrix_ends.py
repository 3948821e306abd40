"""However a matrix ends, nothing of it is left running, and it goes on when it is started again."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from gating import make_bench

from gatecore.harness import run as running
from gatecore.harness.bench import Bench
from gatecore.harness.errors import UsageError
from gatecore.harness.lock import holding
from gatecore.harness.site import Cell
from gatecore.ledger.classes import classed_stops
from gatecore.ledger.reader import read_run

CELLS = ("T1-g1-r1", "T1-g1-r2", "T1-g1-r3")
STUBBORN = {"attempts": [None], "writer": "hedged", "refuse": True}
KILLS = 3


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """Three cells of an agent that is sent back twice: a second or two each."""
    bench = make_bench(tmp_path, **{"scripted/scenarios.json": json.dumps(dict.fromkeys(CELLS, STUBBORN))})
    with (bench.root / "bench.toml").open("a") as file:
        file.write("\n[limits]\ngive_up = 2\n")
    return bench


def start(bench: Bench, *args: str) -> "subprocess.Popen[str]":
    command = [
        sys.executable,
        "-m",
        "gatecore",
        "matrix",
        "--configs",
        "g1",
        "--reps",
        "3",
        "--jobs",
        "2",
        *args,
    ]
    return subprocess.Popen(command, cwd=bench.root, stderr=subprocess.PIPE, text=True)


def wait(condition: Callable[[], Any], seconds: float = 30.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def left_running(bench: Bench) -> list[str]:
    """Processes that have the bench on their command line or work in it."""
    listing = subprocess.run(
        ["ps", "-axww", "-o", "pid=,command="], capture_output=True, text=True, check=True
    )
    found = [line for line in listing.stdout.splitlines() if str(bench.root) in line]
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if (process / "cwd").readlink().is_relative_to(bench.root):
                found.append((process / "cmdline").read_text().replace("\0", " "))
    return found


def events(bench: Bench, run: str = CELLS[0]) -> list[str]:
    path = bench.runs / run / "events.jsonl"
    return [json.loads(line)["event"] for line in path.read_text().splitlines()] if path.exists() else []


def wait_for_events(bench: Bench, count: int) -> None:
    """Wait until the first cell that is not scored has so many events, or is scored."""
    run = next((name for name in CELLS if read_run(bench.runs / name).score is None), CELLS[-1])
    wait(lambda: len(told := events(bench, run)) >= count or "run_scored" in told)


def matrix_events(bench: Bench) -> list[dict[str, Any]]:
    path = bench.runs / "matrix.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def check_all_scored(bench: Bench) -> None:
    """Every cell is scored, and its ledger has each stop once."""
    for name in CELLS:
        run = read_run(bench.runs / name)
        assert run.score is not None
        assert run.invalid is None
        assert [entry.stop.n for entry in run.entries] == [1, 2, 3]
        assert all(entry.chained for entry in run.entries)
        assert [stop.kind for stop in classed_stops(run)] == ["right", "right", "gave_up"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_ends_all_and_leaves_a_matrix_that_resumes(bench: Bench, number: signal.Signals) -> None:
    matrix = start(bench)
    wait(lambda: "check_started" in events(bench))
    assert left_running(bench)
    matrix.send_signal(number)
    _, err = matrix.communicate(timeout=30)
    assert matrix.returncode == 130
    assert err.endswith("paused: interrupted\n")
    assert left_running(bench) == []
    last = matrix_events(bench)[-1]
    assert (last["event"], last["why"]) == ("matrix_paused", "interrupted")
    run = read_run(bench.runs / CELLS[0])
    assert (run.invalid, run.score, run.over) == ("interrupted", None, True)

    again = start(bench)
    _, err = again.communicate(timeout=60)
    assert again.returncode == 0, err
    check_all_scored(bench)
    assert (bench.runs / f"{CELLS[0]}-old1" / "events.jsonl").exists()


def test_a_matrix_that_is_killed_leaves_nothing_running_and_resumes_at_once(bench: Bench) -> None:
    moments = random.Random(7)
    for _ in range(KILLS):
        known = len(matrix_events(bench))
        matrix = start(bench)
        wait(lambda known=known: len(matrix_events(bench)) > known)
        wait_for_events(bench, moments.randrange(12))
        matrix.kill()
        matrix.communicate()
    again = start(bench)
    _, err = again.communicate(timeout=90)
    assert again.returncode == 0, err
    check_all_scored(bench)
    wait(lambda: left_running(bench) == [])


def test_two_matrices_do_not_run_in_one_folder(bench: Bench) -> None:
    first = start(bench)
    wait(lambda: "worker_started" in events(bench))
    second = start(bench)
    _, err = second.communicate(timeout=30)
    assert second.returncode == 2
    assert "another matrix is running here" in err
    first.send_signal(signal.SIGINT)
    first.communicate(timeout=30)


def test_a_run_is_not_begun_twice_at_a_time(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "_PATIENCE_S", 0.3)
    with holding(bench.lock(CELLS[0]), "busy"), pytest.raises(UsageError, match="another process is at work"):
        running.run_cell(bench, Cell("T1", "g1"))
    assert not bench.runs.exists()


def test_the_worker_holds_the_lock_when_its_harness_is_killed(bench: Bench) -> None:
    harness = subprocess.Popen([sys.executable, "-m", "gatecore", "run", "g1", "T1"], cwd=bench.root)
    wait(lambda: "check_started" in events(bench))
    harness.kill()
    harness.wait()
    with pytest.raises(UsageError, match="busy"), holding(bench.lock(CELLS[0]), "busy"):
        pass
    with holding(bench.lock(CELLS[0]), "busy", patience=30):
        assert left_running(bench) == []


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a worker without its harness is waited for")
def test_a_worker_whose_harness_was_killed_is_ended_by_the_next(bench: Bench) -> None:
    harness = subprocess.Popen([sys.executable, "-m", "gatecore", "run", "g1", "T1"], cwd=bench.root)
    wait(lambda: "check_started" in events(bench))
    listed = subprocess.check_output(["ps", "-Awwo", "pid=,args="], text=True).splitlines()
    mark = f" --add-dir {bench.work(CELLS[0])} "
    worker = next(int(line.split()[0]) for line in listed if mark in line)
    os.kill(worker, signal.SIGSTOP)  # it would not end by itself
    harness.kill()
    harness.wait()
    assert running.run_cell(bench, Cell("T1", "g1"))["give_up"] is True
    assert left_running(bench) == []
