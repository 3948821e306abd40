"""kill -9 at ten random moments of a stop, of workers and of a matrix: nothing is lost or doubled, and all ends."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

from gating import ACCEPTANCE, DOUBLE, NewGate, make_bench, processes_of, until

from gatecore.checks.env import owner
from gatecore.checks.scratch import prefix, root
from gatecore.harness.bench import Bench
from gatecore.ledger.classes import classed_stops
from gatecore.ledger.reader import read_run, read_runs
from gatecore.ledger.run import Run

SEEDS = range(10)
CELLS = ("bare T2 1", "bare T2 2", "g1 T2 1", "bare T2 3", "g1 T2 2")
ATTEMPT = """
diff --git a/calc.py b/calc.py
--- a/calc.py
+++ b/calc.py
@@ -1,2 +1,6 @@
 def add(a, b):
     return a + b
+
+
+def double(n):
+    return n * 2
"""


def test_the_hook(new: NewGate) -> None:
    gate = new("g1", "T2")
    gate.append("calc.py", DOUBLE)
    begun = time.monotonic()
    assert gate.stop() is None
    usual = time.monotonic() - begun
    ended = {1}
    for seed in SEEDS:
        n = seed + 2
        gate.append("calc.py", f"# {n}\n")
        process = gate.start()
        until(lambda n=n: len(gate.events("stop_begun")) == n)
        try:
            process.wait(random.Random(seed).uniform(0, usual))
            ended.add(n)
        except subprocess.TimeoutExpired:
            process.kill()
        process.communicate()
    assert gate.stop() is None
    last = len(SEEDS) + 2
    recorded = [record["n"] for record in gate.records()]
    assert ended | {last} <= set(recorded)
    assert [event["n"] for event in gate.events("stop_begun")] == list(range(1, last + 1))
    _assert_sound(read_run(gate.run))
    kinds = {stop.n: stop.kind for stop in classed_stops(read_run(gate.run))}
    assert kinds == {n: "no_oracle" if n in recorded else "killed" for n in range(1, last + 1)}
    assert "killed" in kinds.values()
    assert processes_of(gate.prepared.state) == []
    owned = prefix(owner(str(gate.prepared.state)))
    assert [path for path in Path(root()).iterdir() if path.name.startswith(owned)] == []


def test_workers(tmp_path: Path) -> None:
    bench = _bench(tmp_path)
    moments = random.Random(7)
    seen, killed = set[tuple[str, int]](), 0
    while killed < len(SEEDS):
        matrix = _matrix(bench, "--fresh")
        while matrix.poll() is None:
            for run in bench.runs.glob("T2-*-r?"):
                try:
                    key = (run.name, run.stat().st_ino)
                except FileNotFoundError:  # moved aside for a new one
                    continue
                if key not in seen and _happened(run, "worker_started"):
                    seen.add(key)
                    if killed < len(SEEDS):
                        life = 0.1 if "bare" in run.name else 0.8
                        time.sleep(moments.uniform(0, life))  # another one each time: some come too late
                        killed += _kill_worker(bench.work(run.name))
            time.sleep(0.01)
    assert _matrix(bench).wait(120) == 0
    _assert_all_done_once(bench)
    ends = Counter(run.invalid for run in read_runs(bench.runs))
    assert ends.keys() == {None, "the worker was killed (exit code 137)"}


def test_the_matrix(tmp_path: Path) -> None:
    bench = _bench(tmp_path)
    for seed in SEEDS:
        matrix = _matrix(bench)
        until(lambda n=seed + 1: _planned(bench) == n)
        time.sleep(random.Random(seed).uniform(0, 1.5))
        matrix.kill()
        matrix.wait()
    assert _matrix(bench).wait(120) == 0
    _assert_all_done_once(bench)
    assert processes_of(bench.root) == []
    events = [json.loads(line) for line in (bench.runs / "matrix.jsonl").read_bytes().splitlines()]
    assert events[-1]["event"] == "matrix_ended"
    assert {e["state"] for e in events if e["event"] == "cell_ended"} == {"scored"}


def _bench(root: Path) -> Bench:
    names = [f"{task}-{cfg}-r{rep}" for cfg, task, rep in map(str.split, CELLS)]
    scenarios = json.dumps({name: {"attempts": ["all"]} for name in names})
    files = {"scripted/scenarios.json": scenarios, "scripted/attempts/T2/all.patch": ATTEMPT}
    files |= {"scripted/gate/T2/hedged.py": ACCEPTANCE, "tasks/T2.md": "add double(n) to calc\n"}
    return make_bench(root, **files, **{"plan.txt": "\n".join(CELLS)})


def _matrix(bench: Bench, *flags: str) -> "subprocess.Popen[bytes]":
    command = [sys.executable, "-m", "gatecore", "matrix", "--list", "plan.txt", "--jobs", "2", *flags]
    null = subprocess.DEVNULL
    return subprocess.Popen(command, cwd=bench.root, stdin=null, stdout=null, stderr=null)


def _planned(bench: Bench) -> int:
    path = bench.runs / "matrix.jsonl"
    return path.read_bytes().count(b'"planned"') if path.exists() else 0


def _happened(run: Path, event: str) -> bool:
    path = run / "events.jsonl"
    return path.exists() and f'"{event}"' in path.read_text()


def _kill_worker(work: Path) -> int:
    """Kill the worker in a work copy, if it is still there; the number of processes killed."""
    listed = subprocess.check_output(["ps", "-Awwo", "pid=,args="], text=True).splitlines()
    pids = [int(line.split()[0]) for line in listed if f" --add-dir {work} " in line]
    for pid in pids:
        os.kill(pid, signal.SIGKILL)
    return len(pids)


def _assert_all_done_once(bench: Bench) -> None:
    """Each cell has one run that counts, under its own name; every ledger is sound."""
    runs = read_runs(bench.runs)
    for run in runs:
        _assert_sound(run)
    done = [run.name for run in runs if run.score and run.counted]
    assert sorted(done) == sorted(f"{task}-{cfg}-r{rep}" for cfg, task, rep in map(str.split, CELLS))


def _assert_sound(run: Run) -> None:
    assert run.losses == ()
    assert all(entry.chained for entry in run.entries)
    stops = [stop.n for stop in classed_stops(run)]
    assert len(stops) == len(set(stops))
    begun = {begun.n for begun in run.activity.begun}
    assert begun <= set(stops), "a stop that began and did not end is there"
