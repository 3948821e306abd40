"""What stops a matrix short of its end, what is run again then, and how it is followed."""

import fcntl
import json
import os
import pty
import select
import shutil
import struct
import subprocess
import sys
import termios
import textwrap
import time
from pathlib import Path
from typing import Any

import pytest
from gating import make_bench

from gatecore.harness.bench import Bench
from gatecore.ledger.reader import read_run

NAMES = ("T1-bare-r1", "T1-bare-r2", "T1-bare-r3")
PLAYED = {name: {"attempts": [None]} for name in NAMES}
LIMITED = """
    import json, sys
    words = "You've hit your 5-hour limit · resets 10:36pm (UTC)"
    print(json.dumps({"type": "system", "subtype": "init", "claude_code_version": "0"}))
    print(json.dumps({
        "type": "result", "subtype": "success", "is_error": True, "terminal_reason": "api_error",
        "api_error_status": 429, "result": words, "total_cost_usd": 0, "num_turns": 1,
    }))
    sys.exit(1)
"""


def bench_of(root: Path, **scenarios: Any) -> Bench:
    return make_bench(root, **{"scripted/scenarios.json": json.dumps({**PLAYED, **scenarios})})


def matrix(bench: Bench, *args: str, **env: str) -> "subprocess.CompletedProcess[str]":
    command = [
        sys.executable,
        "-m",
        "gatecore",
        "matrix",
        "--configs",
        "bare",
        "--reps",
        "3",
        "--jobs",
        "1",
        *args,
    ]
    return subprocess.run(
        command, cwd=bench.root, capture_output=True, text=True, env={**os.environ, **env}, check=False
    )


def events(bench: Bench) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (bench.runs / "matrix.jsonl").read_text().splitlines()]


def test_a_usage_limit_pauses_the_matrix_and_its_cell_runs_again(tmp_path: Path) -> None:
    bench = bench_of(tmp_path)
    settings = bench.root / "bench.toml"
    scripted = settings.read_text()
    (bench.root / "limited.py").write_text(textwrap.dedent(LIMITED), encoding="utf-8")
    client = [sys.executable, "-X", "utf8", str(bench.root / "limited.py")]
    settings.write_text(f"[client]\ncommand = {json.dumps(client)}\n")
    done = matrix(bench)
    assert done.returncode == 1
    why = "usage limit: You've hit your 5-hour limit · resets 10:36pm (UTC)"
    assert f"gatecore: paused: {why}; the same command goes on from here" in done.stderr
    assert [event["event"] for event in events(bench)] == [
        "planned",
        "cell_started",
        "cell_ended",
        "matrix_paused",
    ]
    ended, paused = events(bench)[2:]
    assert (ended["run"], ended["state"], ended["why"], paused["why"]) == (NAMES[0], "invalid", why, why)
    assert read_run(bench.runs / NAMES[0]).invalid == why

    settings.write_text(scripted)
    done = matrix(bench)
    assert done.returncode == 0, done.stderr
    assert all(read_run(bench.runs / name).invalid is None for name in NAMES)
    assert read_run(bench.runs / f"{NAMES[0]}-old1").invalid == why


def test_cells_that_an_outage_ended_are_invalid_and_run_again(tmp_path: Path) -> None:
    bench = bench_of(tmp_path, **{NAMES[1]: {"attempts": [None], "outage": True}})
    done = matrix(bench)
    assert done.returncode == 1
    assert f"{NAMES[1]}: invalid; see" in done.stderr
    states = {event["run"]: event["state"] for event in events(bench) if event["event"] == "cell_ended"}
    assert states == {NAMES[0]: "scored", NAMES[1]: "invalid", NAMES[2]: "scored"}

    (bench.root / "scripted" / "scenarios.json").write_text(json.dumps(PLAYED))
    assert matrix(bench).returncode == 0
    again = [event["run"] for event in events(bench) if event["event"] == "cell_started"]
    assert again == [*NAMES, NAMES[1]]


def test_an_outage_of_one_cell_after_the_other_pauses_the_matrix(tmp_path: Path) -> None:
    out = {name: {"attempts": [None], "outage": True} for name in NAMES}
    names = (*NAMES, "T1-bare-r4", "T1-bare-r5")
    bench = bench_of(tmp_path, **out, **{name: {"attempts": [None]} for name in names[3:]})
    done = matrix(bench, "--reps", "5")
    assert done.returncode == 1
    why = "an outage ended 3 cells in a row, the last by api_error: API Error: "
    assert f"gatecore: paused: {why}" in done.stderr
    assert [event["run"] for event in events(bench) if event["event"] == "cell_started"] == list(NAMES)

    assert matrix(bench, "--reps", "5").returncode == 1  # the others are not kept waiting
    assert [event["run"] for event in events(bench) if event["event"] == "cell_started"][3:5] == list(
        names[3:]
    )
    (bench.root / "scripted" / "scenarios.json").write_text(
        json.dumps({name: {"attempts": [None]} for name in names})
    )
    assert matrix(bench, "--reps", "5").returncode == 0
    assert all(read_run(bench.runs / name).invalid is None for name in names)


def test_no_cell_begins_once_enough_was_spent(tmp_path: Path) -> None:
    bench = bench_of(tmp_path)
    done = matrix(bench, "--max-usd", "0.01")
    assert done.returncode == 0
    assert "paused: the runs so far cost $0.0" in done.stderr
    assert "with a higher --max-usd goes on from here" in done.stderr
    assert events(bench)[-1]["event"] == "matrix_paused"
    assert [name for name in NAMES if (bench.runs / name).exists()] == [NAMES[0]]
    before = (bench.runs / NAMES[0] / "score.json").stat().st_mtime_ns
    assert matrix(bench, "--max-usd", "0.01").returncode == 0
    assert [name for name in NAMES if (bench.runs / name).exists()] == [NAMES[0]]
    assert matrix(bench, "--max-usd", "100").returncode == 0
    assert all(read_run(bench.runs / name).score for name in NAMES)
    assert (bench.runs / NAMES[0] / "score.json").stat().st_mtime_ns == before


def test_the_plan_tells_cells_dollars_and_minutes_and_runs_nothing(tmp_path: Path) -> None:
    bench = bench_of(tmp_path)
    done = matrix(bench, "--plan")
    assert (done.returncode, done.stderr, bench.runs.exists()) == (0, "", False)
    assert done.stdout.splitlines() == [
        *(f"{name}  to run   $?  ? min" for name in NAMES),
        "3 cells: 0 done, 3 to run",
        "estimate: $?, ? min in 1 lanes, by the means of 0 runs; no run yet of bare",
    ]
    for name, score in {
        NAMES[0]: {"cost_total_usd": 0.4, "wall_s": 60, "has_result_line": True},
        "T9-bare-r1": {"cost_total_usd": 0.2, "wall_s": 180, "has_result_line": True},
        "T9-bare-r2": {"cost_total_usd": 0.0, "has_result_line": False},
        "T9-bare-r3-tagged": {"cost_total_usd": 99.0, "wall_s": 9999, "has_result_line": True},
        NAMES[1]: {"cost_total_usd": 99.0, "wall_s": 9999, "invalid": "api_error"},
    }.items():
        (bench.runs / name).mkdir(parents=True)
        (bench.runs / name / "score.json").write_text(json.dumps(score))
    lines = matrix(bench, "--plan", "--jobs", "2", "--configs", "bare,g1").stdout.splitlines()
    assert lines[:4] == [
        f"{NAMES[0]}  done",
        "T1-g1-r1    to run   $?  ? min",
        "T1-g1-r2    to run   $?  ? min",
        f"{NAMES[1]}  invalid  $0.30  2.0 min",
    ]
    assert lines[-2] == "6 cells: 1 done, 5 to run"
    assert lines[-1] == "estimate: ≥ $0.60, ≥ 2.0 min in 2 lanes, by the means of 3 runs; no run yet of g1"


@pytest.mark.shared
def test_runs_of_the_original_harness_count_as_done(tmp_path: Path, shared: Path) -> None:
    bench = bench_of(tmp_path)
    theirs = shared / "ledgers/published-50/runs" / NAMES[0]
    shutil.copytree(theirs, bench.runs / NAMES[0])
    done = matrix(bench)
    assert done.returncode == 0, done.stderr
    assert {event["run"] for event in events(bench) if event["event"] == "cell_started"} == set(NAMES[1:])
    score = (bench.runs / NAMES[0] / "score.json").read_bytes()
    assert score == (theirs / "score.json").read_bytes()


def test_the_log_is_utf_8_whatever_the_locale(tmp_path: Path) -> None:
    bench = make_bench(
        tmp_path,
        **{
            "tasks/Größe.md": "add double(n) to calc\n",
            "scripted/scenarios.json": json.dumps({"Größe-bare-r1": {"attempts": [None]}}),
        },
    )
    done = matrix(
        bench, "--tasks", "Größe", "--reps", "1", LC_ALL="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0"
    )
    assert done.returncode == 0, done.stderr
    lines = (bench.runs / "matrix.log").read_text(encoding="utf-8").splitlines()
    assert [line[20:] for line in lines if line.startswith("20")] == [
        "1 of 1 cells to run, 1 at a time",
        "Größe-bare-r1: begun",
        "Größe-bare-r1: scored",
        "ended",
    ]
    assert [line for line in lines if line.startswith("Größe-bare-r1: no oracle, 0 blocks, $")]


@pytest.mark.pty
def test_on_a_terminal_there_is_a_bar(tmp_path: Path) -> None:
    bench = bench_of(tmp_path)
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 100, 0, 0))
    command = [sys.executable, "-m", "gatecore", "matrix", "--configs", "bare", "--reps", "3", "--jobs", "2"]
    with subprocess.Popen(
        command, cwd=bench.root, stderr=theirs, stdout=theirs, env={**os.environ, "TERM": "xterm-256color"}
    ) as process:
        os.close(theirs)
        shown = _read(ours)
        process.wait(10)
    assert process.returncode == 0
    assert "━" in shown
    assert "3/3" in shown
    assert "T1-bare-r3: scored" in shown


def _read(fd: int) -> str:
    """What a terminal is sent until its other side is closed."""
    data, deadline = b"", time.monotonic() + 60
    while time.monotonic() < deadline:
        if select.select([fd], [], [], 0.2)[0]:
            try:
                chunk = os.read(fd, 65536)
            except OSError:
                break
            if not chunk:
                break
            data += chunk
    os.close(fd)
    return data.decode("utf-8", "replace")
