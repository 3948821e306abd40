"""Ends that are the client's and not the gate's: each shows as itself in the ledger and in the report."""

import csv
import json
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest
from fake_api import Refuse, Reply, Say, bash
from real_client import Ran, RealClient

from gatecore.ledger.classes import classed_stops

RED = bash("python3 -c \"open('tests/test_calc.py', 'w').write('def test_red(): assert 0')\"")
LOOK = bash("ls")
OVERLOADED = Refuse(529, "overloaded_error", "Overloaded")
# Freezes the hook that started it, which then cannot keep its own deadline.
FREEZE = (
    "[ -e hang ] && ps -wwo command= -p $PPID | grep -q gatecore.hook && kill -STOP $PPID && exec sleep 60"
)


class Reported(NamedTuple):
    """How many, and which."""

    count: str
    names: str


def report(bench: Path) -> dict[str, Reported]:
    """The report's outcomes by their words."""
    command = [sys.executable, "-m", "gateview", "report", str(bench / "runs"), "--table", "outcomes"]
    done = subprocess.run([*command, "--format", "csv"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return {row[0]: Reported(row[1], row[-1]) for row in csv.reader(done.stdout.splitlines())}


class Ends(NamedTuple):
    """Runs of one bench, and what the report says of all of them."""

    cap: Ran
    turns: Ran
    api: Ran
    reported: dict[str, Reported]


@pytest.fixture(scope="module")
def ends(current: RealClient, tmp_path_factory: pytest.TempPathFactory) -> Ends:
    """The cap is 2 and there are 6 turns."""
    folder = tmp_path_factory.mktemp("ends")
    bench = current.bench(folder, "[limits]\nworker_turns = 6\n", CLAUDE_CODE_STOP_HOOK_BLOCK_CAP="2")

    def run(rep: int, worker: list[Reply]) -> Ran:
        current.api.play(writer=[Say("No tests.")], worker=worker)
        return current.run(bench, "g1", str(rep))

    return Ends(
        run(1, [RED, Say("That is all.")]),
        run(2, [RED, Say(), LOOK]),
        run(3, [RED, Say(), LOOK, OVERLOADED]),
        report(bench.root),
    )


def test_the_client_s_cap_on_blocks(ends: Ends) -> None:
    ran = ends.cap
    assert ran.decisions == ["block"] * 3
    assert [stop.kind for stop in classed_stops(ran.run)] == ["right"] * 3
    (warning,) = ran.stream("informational")
    assert "blocked the turn from ending 3 consecutive times" in warning["content"]
    score = ran.score
    assert (score["ended_blocked"], score["subtype"], score["exit_code"]) == (True, "success", "0")
    assert (score["invalid"], score["give_up"]) == (None, False)
    assert ends.reported["runs cut by the client's cap on blocks"] == ("1", "T1-g1-r1")


def test_the_limit_of_turns(ends: Ends) -> None:
    ran = ends.turns
    assert ran.decisions == ["block"]
    score = ran.score
    assert (score["subtype"], score["is_error"], score["exit_code"]) == ("error_max_turns", True, "1")
    assert (score["invalid"], score["ended_blocked"]) == (None, True)
    assert ends.reported["runs cut by the client's limits"] == ("1", "T1-g1-r2")


def test_an_api_error(ends: Ends) -> None:
    ran = ends.api
    assert ran.done.returncode == 1
    assert ran.decisions == ["block"]
    assert ran.score["invalid"].startswith("api_error: ")
    assert "529" in ran.score["invalid"]
    assert ends.reported["runs invalid by an outage"] == ("1", "T1-g1-r3")


def test_the_hook_s_timeout(current: RealClient, tmp_path: Path) -> None:
    suite = json.dumps(["/bin/sh", "-c", f"{FREEZE}; exec {sys.executable} -m pytest -q"])
    bench = current.bench(tmp_path, f"[limits]\nhook_s = 10\n[suite]\ncommand = {suite}\n")
    current.api.play(writer=[Say("No tests.")], worker=[bash("touch hang"), Say()])
    ran = current.run(bench)
    assert [line["outcome"] for line in ran.stream("hook_response")] == ["cancelled"]
    assert ran.decisions == []
    assert [stop.kind for stop in classed_stops(ran.run)] == ["killed"]
    assert ran.score["subtype"] == "success"
    assert report(bench.root)["stops whose hook was killed"] == ("1", "T1-g1-r1 1")
