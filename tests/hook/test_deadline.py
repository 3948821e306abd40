"""All that one stop does shares a budget below the client's timeout: the hook answers in time, whatever hangs."""

import fcntl
import os
import subprocess
import threading
import time
from typing import NamedTuple

import pytest
from gating import ACCEPTANCE, DOUBLE, Gated, answer, answering, gated, make_bench, processes_of

from gatecore.ledger.classes import gate_verdict
from gatecore.ledger.reader import read_run

HOOK_S = 4.0
SLOW_MACHINE_S = 10.0  # to start Python and to end it
HANGS = """
import signal, subprocess, time

def test_hangs():
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    subprocess.Popen(["sleep", "600"], start_new_session=True)
    time.sleep(600)
"""


class Stopped(NamedTuple):
    gate: Gated
    out: bytes
    seconds: float


def _hanging_suite(gate: Gated) -> "subprocess.Popen[bytes]":
    gate.append("calc.py", DOUBLE)
    (gate.work / "tests" / "test_hangs.py").write_text(HANGS)
    return gate.start()


def _hanging_reviewers(gate: Gated) -> "subprocess.Popen[bytes]":
    return gate.start()


def _hanging_git(gate: Gated) -> "subprocess.Popen[bytes]":
    programs = gate.prepared.state / "bin"
    programs.mkdir()
    (programs / "git").write_text("#!/bin/sh\nexec sleep 600\n")
    (programs / "git").chmod(0o755)
    return gate.start(env={**os.environ, "PATH": f"{programs}:{os.environ['PATH']}"})


def _held_lock(gate: Gated) -> "subprocess.Popen[bytes]":
    fd = os.open(gate.prepared.state / "judging.lock", os.O_RDWR | os.O_CREAT)
    fcntl.flock(fd, fcntl.LOCK_EX)
    process = gate.start()
    threading.Thread(target=lambda: (process.wait(), os.close(fd))).start()
    return process


CASES = {
    "suite": ("g13", _hanging_suite),
    "reviewers": ("g13adv", _hanging_reviewers),
    "git": ("g3", _hanging_git),
    "lock": ("g1", _held_lock),
}


@pytest.fixture(scope="module")
def stopped(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Stopped]:
    """All cases at once: they wait more than they work."""
    root = tmp_path_factory.mktemp("deadline")
    files = answering(root)
    files["bench.toml"] += f"\n[limits]\nhook_s = {HOOK_S}\n"
    files["client.sh"] = files["client.sh"].replace(
        "\nexec", '\n[ "$GATECORE_SCRIPTED_REVIEWER" ] && sleep 600\nexec'
    )
    bench = make_bench(root, **files, **{"tasks/T2.md": "tidy up\n"})
    answer(bench, "writer", file=ACCEPTANCE)
    gates = {name: gated(bench, cfg, "T2", i) for i, (name, (cfg, _)) in enumerate(CASES.items(), 1)}
    results = {}

    def run(name: str) -> None:
        begun = time.monotonic()
        process = CASES[name][1](gates[name])
        out, _ = process.communicate(timeout=60)
        results[name] = Stopped(gates[name], out, time.monotonic() - begun)

    gates["reviewers"].append("calc.py", DOUBLE)
    threads = [threading.Thread(target=run, args=(name,)) for name in CASES]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


@pytest.mark.parametrize("name", CASES)
def test_it_answers_in_time_and_is_on_record(stopped: dict[str, Stopped], name: str) -> None:
    gate, out, seconds = stopped[name]
    assert out == b"", "what was not judged blocks nothing"
    assert [0.8 * HOOK_S < record["wall_s"] < HOOK_S for record in gate.records()] == [True]
    assert seconds < HOOK_S + SLOW_MACHINE_S
    assert len(gate.events("stop_ended")) == 1


def test_what_does_not_fit_is_not_judged(stopped: dict[str, Stopped]) -> None:
    record = stopped["suite"].gate.last()
    assert (record["decision"], record["gate1"]["suite"], record["gate1"]["pass"]) == (
        "allow",
        "not_judged",
        None,
    )
    assert record["gate1"]["why"].startswith("suite: timed out after 3")
    assert record["gate1"]["why"].endswith("test_hangs had ended")
    assert record["gate3"]["verdict"] == "not_judged"
    assert (
        record["gate3"]["why"] == "reviewer A: no time was left for it; reviewer B: no time was left for it"
    )


def test_a_reviewer_that_hangs_is_cut_by_the_same_deadline(stopped: dict[str, Stopped]) -> None:
    record = stopped["reviewers"].gate.last()
    assert (record["gate1"]["pass"], record["gate3"]["verdict"]) == (True, "not_judged")
    a, b = record["gate3"]["reviewers"]
    assert a["error"].startswith("timed out after ")
    assert b["error"] == "no time was left for it"


def test_what_cannot_be_cut_short_is_interrupted(stopped: dict[str, Stopped]) -> None:
    assert stopped["git"].gate.last()["error"] == "the time for a stop was up"


def test_a_stop_before_that_is_still_judged_is_waited_for_and_no_longer(stopped: dict[str, Stopped]) -> None:
    record = stopped["lock"].gate.last()
    assert (record["decision"], record["gate1"]["pass"]) == ("allow", None)
    assert record["gate1"]["why"] == "another stop of this run was still being judged"
    stops = read_run(stopped["lock"].gate.run).entries
    assert [gate_verdict(entry.stop, "g1") for entry in stops] == ["not_judged"]


def test_nothing_goes_on(stopped: dict[str, Stopped]) -> None:
    """git, the checks and what a test left in a session of its own; reviewers too."""
    assert [processes_of(one.gate.prepared.state) for one in stopped.values()] == [[]] * len(stopped)
