"""A run whose result is held for the engineer."""

import json
import subprocess
import sys
from pathlib import Path

from gating import make_bench

from gatecore.ledger.reader import read_run
from gatecore.ledger.writer import append


def gatecore(bench: Path, *args: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "gatecore", *args, "--bench", str(bench)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)


def test_its_result_awaits_the_engineer_until_it_is_given(tmp_path: Path) -> None:
    scenarios = {f"T1-{cfg}-r{rep}": {"attempts": [None]} for cfg in ("bare", "mine") for rep in (1, 2)}
    configs = {"bare": {}, "mine": {"gate4": True}}
    files = {"scripted/scenarios.json": json.dumps(scenarios), "configs.json": json.dumps(configs)}
    bench = make_bench(tmp_path, **files)
    done = gatecore(tmp_path, "run", "bare", "T1", "--signoff")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("T1-bare-r1: 0/2 requirements, 0 blocks, $")
    assert done.stdout.endswith(", awaiting engineer\n")
    run = bench.runs / "T1-bare-r1"
    held = read_run(run)
    assert held.meta is not None
    assert (held.meta.signoff, held.score is not None) == (True, True)
    append(
        str(run / "signoff.jsonl"), {"v": 1, "stop_id": None, "verdict": "send_back", "reason": "no double"}
    )
    assert gatecore(tmp_path, "score", str(run)).stdout.endswith(", sent back\n"), (
        "scored again, the word stays"
    )

    assert "awaiting" not in gatecore(tmp_path, "run", "bare", "T1", "2").stdout
    pass_ = gatecore(tmp_path, "matrix", "--reps", "1")
    assert pass_.returncode == 0, pass_.stderr
    assert "awaiting engineer: T1-mine-r1; see gateview watch" in pass_.stderr
    again = gatecore(tmp_path, "matrix", "--reps", "1")
    assert "0 of 2 cells to run" in again.stderr, (
        "a run that waits is done: nothing is run again, nothing hangs"
    )
