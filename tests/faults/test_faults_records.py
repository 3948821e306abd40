"""The table of faults, first part: stops that leave no record, a wrong one, or another's."""

import fcntl
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from gating import DOUBLE, Gated, NewGate, gated, make_bench, processes_of, raw_answer, until

from gatecore.harness.bench import Bench
from gatecore.harness.errors import UsageError
from gatecore.harness.score import score
from gatecore.ledger.classes import classed_stops
from gatecore.ledger.reader import read_run


def _kinds(gate: Gated) -> list[tuple[int | None, str]]:
    return [(stop.n, stop.kind) for stop in classed_stops(read_run(gate.run))]


def test_e2_a_hook_that_breaks_lets_go_without_a_record(new: NewGate, bench: Bench) -> None:
    """Any exception = allow, and no record: here each leaves one, with a class of its own."""
    gate = new()
    assert gate.stop(b"[]") is None  # E52
    raw_answer(
        bench, "A", json.dumps({"type": "result", "structured_output": {"approve": True, "findings": 3}})
    )
    assert gate.stop() is None
    head = gate.prepared.state / "git" / "HEAD"
    head.rename(head.with_name("elsewhere"))
    assert gate.stop() is None
    not_a_payload, odd_answer, broken = gate.records()
    assert _kinds(gate) == [(1, "error"), (2, "no_oracle"), (3, "error")]
    assert not_a_payload["error"] == "ValueError: the hook's input is a JSON list, not an object"
    assert odd_answer["gate3"]["verdict"] == "not_judged"
    assert odd_answer["gate3"]["reviewers"][0]["approve"] is None
    assert broken["error"].startswith("SnapshotError: ")
    assert (gate.run / "gate-errors.txt").read_text().count("SnapshotError: git") == 1


def test_e2_a_config_that_is_not_there_and_an_oracle_that_is_not_there(new: NewGate) -> None:
    """Unknown config (E51) and no hidden tests for the task (E57): a refusal, and a stop without an oracle."""
    with pytest.raises(
        UsageError, match=r"no config 'g31' in this bench; there are: bare, g1, g3, g13, g13adv"
    ):
        new("g31")
    gate = new(task="T2")
    assert gate.stop() is None
    assert gate.last()["hidden"] == {"pass": None, "fail": None, "failed_reqs": [], "state": "absent"}


def test_e2_open_or_closed_is_a_setting(tmp_path: Path) -> None:
    """`on_error = "block"` sends the agent back, as often as any block does."""
    gate = gated(
        make_bench(tmp_path, **{"bench.toml": 'on_error = "block"\n[client]\nkind = "scripted"\n'}), "g3"
    )
    answers = [gate.stop(b"{") for _ in range(7)]
    assert all(answers[:6])
    assert answers[6] is None
    assert {kind for _, kind in _kinds(gate)} == {"error"}


def test_killed_a_hook_that_is_killed_counts_as_nothing(new: NewGate) -> None:
    """Hook killed: a snapshot, no record. The begin of a stop is on record, and what it ran is ended."""
    gate = new("g1", "T1")
    (gate.work / "tests" / "test_slow.py").write_text("import time\ndef test_slow():\n    time.sleep(300)\n")
    process = gate.start()
    until((gate.run / "gate1-1.txt").exists)
    process.kill()
    process.communicate()
    (gate.work / "tests" / "test_slow.py").unlink()
    assert gate.stop() is not None
    assert _kinds(gate) == [(1, "killed"), (2, "right")]
    assert processes_of(gate.prepared.state) == []


def test_e50_a_hook_that_does_not_know_its_run(tmp_path: Path) -> None:
    """No GATE_RUN: allowed, with a line in a shared temp folder. Here it refuses, and keeps to its own folders."""
    shared = Path(tempfile.gettempdir())
    before = set(shared.glob("*gate-errors*"))
    hook = [sys.executable, "-I", "-m", "gatecore.hook"]
    called = subprocess.run(hook, input=b"{}", capture_output=True, check=False)
    assert called.returncode == 2
    assert b"usage: python -I -m gatecore.hook RUN STATE SHA256" in called.stderr
    run, state = tmp_path / "runs" / "T1-g1-r1", tmp_path / "state"
    called = subprocess.run(
        [*hook, str(run), str(state), "0" * 64], input=b"{}", capture_output=True, check=False
    )
    assert json.loads(called.stdout)["decision"] == "block"
    assert [stop.kind for stop in classed_stops(read_run(run))] == ["error"]
    assert set(shared.glob("*gate-errors*")) == before


def test_e3_a_cut_line_in_the_ledger(new: NewGate, bench: Bench) -> None:
    """A cut record made the next stop and the score crash: here it costs that record, and shows."""
    gate = new()
    gate.stop()
    ledger = gate.run / "gate.jsonl"
    ledger.write_bytes(ledger.read_bytes()[:-40])
    gate.append("calc.py", DOUBLE)
    assert gate.stop() is None
    result = score(bench, gate.run)
    run = read_run(gate.run)
    assert [(x.file, x.line) for x in run.losses] == [("gate.jsonl", 1)]
    assert [(entry.stop.n, entry.chained) for entry in run.entries] == [(2, False)]
    assert _kinds(gate) == [(2, "no_oracle")], "the unreadable record is no killed stop"
    assert result["hook_calls"] == 2


def test_e1_e63_two_stops_at_once(new: NewGate) -> None:
    """n = 1, 1, files of one overwritten by the other, blocks counted wrongly: here each has its own."""
    gate = new("g1", "T1")
    (gate.work / "calc.py").write_text("def add(a, b):\n    return a - b\n")
    with (gate.prepared.state / "judging.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        processes = [gate.start() for _ in range(2)]
        until(lambda: len(gate.events("stop_begun")) == 2)
    assert all(b'"block"' in process.communicate(timeout=60)[0] for process in processes)
    assert sorted(record["n"] for record in gate.records()) == [1, 2]
    assert len({record["stop_id"] for record in gate.records()}) == 2
    assert [record["repeat"] for record in gate.records()] == [False, True]
    for n in (1, 2):
        for name in (f"snap-{n}.diff", f"hidden-{n}.txt", f"gate1-{n}.txt", f"gatetests-{n}.txt"):
            assert (gate.run / name).stat().st_size, name
    memory = json.loads((gate.prepared.state / "state.json").read_bytes())
    assert memory["requests"]["p1"]["blocks"] == 2
    assert all(entry.chained for entry in read_run(gate.run).entries)


def test_e58_the_number_of_a_crashed_stop_is_given_again(new: NewGate) -> None:
    """A crash after the snapshot: its number and files stay its own."""
    gate = new()
    copies = gate.prepared.state / "copies"
    copies.write_text("in the way")
    gate.append("calc.py", "# first\n")
    gate.stop()
    first = (gate.run / "snap-1.diff").read_bytes()
    copies.unlink()
    gate.append("calc.py", "# second\n")
    gate.stop()
    assert _kinds(gate) == [(1, "error"), (2, "no_oracle")]
    assert (gate.run / "snap-1.diff").read_bytes() == first
    assert b"+# second" in (gate.run / "snap-2.diff").read_bytes()


def test_e64_one_record_of_two_states_of_the_tree(new: NewGate) -> None:
    """The agent goes on while it is judged: all checks of a stop see the tree that the snapshot holds."""
    gate = new("g1", "T1")
    (gate.work / "calc.py").write_text("def add(a, b):\n    return a - b\n")
    process = gate.start()
    until(lambda: bool(gate.events("check_started")))
    (gate.work / "calc.py").write_text("def add(a, b):\n    return a + b\n" + DOUBLE)
    assert b'"block"' in process.communicate(timeout=60)[0]
    record = gate.last()
    verdicts = (record["gate1"]["suite"], record["gate1"]["acceptance"], record["hidden"]["fail"])
    assert verdicts == ("fail", "fail", 2)
    assert b"+    return a - b" in (gate.run / "snap-1.diff").read_bytes()
