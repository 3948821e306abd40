"""The hook as the client calls it: one record per stop, one way to block."""

import fcntl
import json
import signal
import time
from pathlib import Path

import pytest
from gating import DOUBLE, PAYLOAD, Gated, NewGate, answer, gated, git, make_bench, until

from gatecore.harness.bench import Bench
from gatecore.ledger.classes import classed_stops
from gatecore.ledger.reader import read_run


@pytest.fixture
def gate(new: NewGate) -> Gated:
    return new("g1", "T1")


def test_a_change_that_misses_the_request_is_blocked_and_the_repaired_one_is_let_go(gate: Gated) -> None:
    gate.append("calc.py", "\n\ndef double(n):\n    return n + 4\n")
    assert gate.stop() is None
    gate.append("calc.py", "\n\ndef double(n):\n    return n * 3\n")
    reason = gate.stop()
    assert reason is not None
    assert "acceptance/test_T1.py" in reason
    assert str(gate.run.parent.parent) not in reason
    gate.append("calc.py", DOUBLE)
    assert gate.stop() is None
    first, second, third = gate.records()
    assert [r["decision"] for r in (first, second, third)] == ["allow", "block", "allow"]
    assert [s.kind for s in classed_stops(read_run(gate.run))] == ["missed", "right", "clean"]
    assert second["reason"] == reason
    assert second["gate1"]["gate_tests_failed"] == ["test_doubles"]
    assert third["hidden"] == {"pass": 2, "fail": 0, "failed_reqs": [], "state": "judged"}
    assert len({r["tree"] for r in (first, second, third)}) == 3
    assert (gate.run / "snap-3.diff").read_text().count("+def double") == 3


def test_after_six_blocks_of_one_request_it_gives_up(new: NewGate, bench: Bench) -> None:
    gate = new("g3", "T2")
    defect = {"severity": "blocking", "file": "calc.py", "line": 1, "text": "wrong"}
    answer(bench, "A", approve=False, findings=[defect])
    for _ in range(6):
        assert gate.stop() is not None
    assert gate.stop({**PAYLOAD, "prompt_id": "p2"}) is not None, "another request has blocks of its own"
    assert gate.stop() is None
    decisions = [(r["decision"], r["blocked_by"], r["repeat"]) for r in gate.records()]
    assert decisions[0] == ("block", "g3", False)
    assert decisions[1:6] == [("block", "g3", True)] * 5
    assert decisions[7] == ("give_up", "g3", True)
    assert gate.last()["reason"]


def test_lines_that_the_agent_adds_to_the_ledger_change_no_count_and_show(gate: Gated) -> None:
    (gate.work / "calc.py").write_text("def add(a, b):\n    return a - b\n")
    assert gate.stop() is not None
    forged = json.dumps({**gate.last(), "n": 2, "decision": "block"}) + "\n"
    with (gate.run / "gate.jsonl").open("a") as ledger:
        ledger.write(forged * 6)
    assert gate.stop() is not None, "six lines in the ledger are not six blocks"
    chained = [entry.chained for entry in read_run(gate.run).entries]
    assert chained[0] is True
    assert chained[-1] is False
    assert gate.last()["n"] == 2


@pytest.mark.parametrize("raw", [b"[]", b"", b"{", b'"stop"', b"\xff"])
def test_input_that_is_no_stop_leaves_a_record_and_lets_go(gate: Gated, raw: bytes) -> None:
    assert gate.stop(raw) is None
    assert gate.last()["decision"] == "error"
    assert "input" in gate.last()["error"]
    assert [s.kind for s in classed_stops(read_run(gate.run))] == ["error"]


def test_a_gate_that_breaks_leaves_a_record(gate: Gated) -> None:
    (gate.prepared.state / "git" / "HEAD").unlink()
    assert gate.stop() is None
    assert gate.last()["decision"] == "error"
    assert "Traceback" in (gate.run / "gate-errors.txt").read_text()
    assert [s.kind for s in classed_stops(read_run(gate.run))] == ["error"], "counted once"


def test_a_changed_configuration_is_no_way_out(gate: Gated) -> None:
    path = gate.run / "gate-config.json"
    config = json.loads(path.read_text())
    path.write_text(json.dumps({**config, "gates": {}}))
    answers = [gate.stop() for _ in range(7)]
    assert all(answers[:6])
    assert answers[6] is None
    assert gate.last()["tampered"] == [str(path)]


def test_a_changed_acceptance_test_is_on_record(gate: Gated) -> None:
    path = gate.run / "gate_tests" / "test_T1.py"
    path.write_text("def test_doubles():\n    pass\n")
    gate.stop()
    assert gate.last()["tampered"] == [str(path)]


def test_a_killed_hook_is_a_killed_stop_and_the_next_one_goes_on(gate: Gated) -> None:
    process = gate.start()
    until(lambda: len(gate.events("check_started")) > 0)
    process.kill()
    process.communicate()
    gate.append("calc.py", DOUBLE)
    assert gate.stop() is None
    assert [(s.n, s.kind) for s in classed_stops(read_run(gate.run))] == [(1, "killed"), (2, "clean")]


def test_a_hook_that_the_client_ends_is_on_record_and_ends_its_checks(gate: Gated) -> None:
    slow = "import time\n\n\ndef test_slow():\n    time.sleep(60)\n"
    (gate.work / "tests" / "test_slow.py").write_text(slow)
    process = gate.start()
    until(lambda: len(gate.events("check_started")) > 1)
    process.send_signal(signal.SIGTERM)
    begun = time.monotonic()
    process.communicate(timeout=20)
    assert time.monotonic() - begun < 15
    assert gate.last()["decision"] == "error"
    assert "the client ended the hook" in gate.last()["error"]


def test_two_stops_at_once_are_two_records(gate: Gated) -> None:
    gate.append("calc.py", DOUBLE)
    with (gate.prepared.state / "judging.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        processes = [gate.start() for _ in range(3)]
        until(lambda: len(gate.events("stop_begun")) == 3)
    for process in processes:
        process.communicate(timeout=60)
    assert sorted(r["n"] for r in gate.records()) == [1, 2, 3]
    assert {r["decision"] for r in gate.records()} == {"allow"}
    snapshots = [(gate.run / f"snap-{n}.diff").read_bytes() for n in (1, 2, 3)]
    assert len(set(snapshots)) == 1
    assert all(entry.chained for entry in read_run(gate.run).entries)


def test_the_agents_commits_index_and_config_hide_nothing(gate: Gated) -> None:
    gate.append("calc.py", DOUBLE)
    (gate.work / "tests" / 'test_größe "x".py').write_text("def test_x():\n    pass\n")
    (gate.work / ".gitignore").write_text("*\n")
    (gate.work / ".git" / "info" / "exclude").write_text("*.py\n")
    git(gate.work, "config", "diff.external", "true")
    git(gate.work, "add", "-f", "calc.py")
    git(gate.work, "commit", "-q", "-m", "done")
    index = (gate.work / ".git" / "index").read_bytes()
    status = git(gate.work, "status", "--porcelain")
    assert gate.stop() is None
    diff = (gate.run / "snap-1.diff").read_bytes()
    assert b"+def double" in diff
    assert b"def test_x" in diff
    assert gate.last()["newly_ignored"] == ['tests/test_größe "x".py']
    assert (gate.work / ".git" / "index").read_bytes() == index
    assert git(gate.work, "status", "--porcelain") == status


def test_the_caches_of_tools_are_no_part_of_the_change(gate: Gated) -> None:
    (gate.work / ".pytest_cache").mkdir()
    (gate.work / ".pytest_cache" / ".gitignore").write_text("*\n")
    (gate.work / ".pytest_cache" / "README.md").write_text("cache")
    gate.append("calc.py", DOUBLE)
    assert gate.stop() is None
    assert gate.last()["newly_ignored"] == []
    assert b".pytest_cache" not in (gate.run / "snap-1.diff").read_bytes()


def test_without_its_state_it_begins_past_what_is_there_and_says_so(gate: Gated) -> None:
    gate.stop()
    (gate.prepared.state / "state.json").unlink()
    gate.stop()
    assert [r["n"] for r in gate.records()] == [1, 2]
    assert gate.last()["tampered"] == [str(gate.prepared.state / "state.json")]


def test_a_suite_that_is_red_from_the_start_judges_nothing(tmp_path: Path) -> None:
    red = "from calc import add\n\n\ndef test_add():\n    assert add(1, 2) == 4\n"
    gate = gated(make_bench(tmp_path, **{"upstream/tests/test_calc.py": red}))
    gate.append("calc.py", DOUBLE)
    assert gate.stop() is None
    assert gate.last()["gate1"]["suite"] == "not_judged"
    assert "red on the base tree already" in gate.last()["gate1"]["why"]
    assert gate.last()["gate1"]["pass"] is True, "the acceptance tests judge alone"


def test_nothing_but_the_answer_reaches_the_client(gate: Gated) -> None:
    (gate.work / "calc.py").write_text("print('a banner on import')\n\n\ndef add(a, b):\n    return 0\n")
    process = gate.start()
    out, _ = process.communicate(timeout=60)
    assert json.loads(out)["decision"] == "block"
