"""Status, doctor, prune: what a person learns of the gate, and what makes them exit with 1."""

import json
import os
from pathlib import Path

import pytest
from daily import BROKEN, FILES, SUITE, Daily

from gatecore.analysis.trust import needed, trust
from gatecore.ledger.reader import read_run
from gatecore.ledger.writer import append
from gatecore.stats import wilson
from gateview.store.rows import row_of
from gateview.store.triage_log import TriageLog


@pytest.fixture
def client(daily: Daily, tmp_path: Path) -> Daily:
    """A client on PATH that says its version."""
    claude = tmp_path / "bin" / "claude"
    claude.parent.mkdir()
    claude.write_text("#!/bin/sh\necho '2.1.332 (Claude Code)'\n")
    claude.chmod(0o755)
    daily.env["PATH"] = f"{claude.parent}:{daily.env['PATH']}"
    return daily


def _judge(daily: Daily, verdict: str) -> None:
    """A person's verdict on the last stop."""
    record = daily.last()
    line = {"v": 1, "ts": record["ts"], "by": "t", "stop_id": record["stop_id"], "n": record["n"]}
    append(str(daily.runs()[-1] / "triage.jsonl"), {**line, "verdict": verdict, "cause": None, "note": ""})


def test_status_tells_what_would_have_been_blocked_and_what_the_verdicts_are_enough_for(daily: Daily) -> None:
    daily.install()
    assert "no stop since it was installed" in daily.gatecore("status")
    for i in range(2):
        daily.prompt(f"p{i}")
        daily.write("calc.py", BROKEN + f"# {i}\n")
        assert daily.stop(f"p{i}") is None
        daily.write("calc.py", FILES["calc.py"])
        daily.prompt(f"q{i}")
    said = daily.gatecore("status")
    assert "2 more would have been" in said
    assert "0/0 n/a by your verdict, 2 wait for yours" in said
    _judge(daily, "right")
    said = daily.gatecore("status")
    assert "0/1 0% [0-79] by your verdict, 1 wait for yours" in said
    assert "Too few" in said
    report = daily.view("report", "--table", "by_person")
    assert "0/1 0% [" in report
    assert "Too few" in report
    watched = json.loads(daily.view("watch", "--json"))
    assert watched["stops"]["no_oracle"] == 2


def test_what_n_is_enough_for() -> None:
    assert "nothing can be said" in trust(0, 0)
    assert "fewer than 1 in 3" in trust(0, 10)
    assert "more than 1 in 3" in trust(9, 12)
    for false, n, level in ((0, 0, 5), (1, 12, 5), (2, 20, 10)):
        more = needed(false, n, level)
        assert more
        enough, short = wilson(false, n + more), wilson(false, max(n + more - 1, 1))
        assert enough is not None
        assert short is not None
        assert enough[1] < 1 / level <= short[1]


def test_doctor_finds_nothing_wrong_and_then_each_thing_that_is(client: Daily) -> None:
    client.install()
    said = client.gatecore("doctor")
    assert "WRONG" not in said
    assert "judges the copy" in said
    settings = json.loads(client.local.read_text())
    del settings["hooks"]["Stop"]
    client.local.write_text(json.dumps({**settings, "disableAllHooks": True}))
    (client.home / "app" / "gatecore" / "text.py").write_text("")
    record = json.loads((client.home / "installed.json").read_text())
    record[0]["at"] -= 10 * 24 * 3600
    (client.home / "installed.json").write_text(json.dumps(record))
    (Path(client.env["PATH"].partition(":")[0]) / "claude").write_text("#!/bin/sh\necho 1.0.1\n")
    said = client.gatecore("doctor", code=1)
    wrong = [line for line in said.splitlines() if line.startswith("WRONG")]
    for word in ("the hook is in the settings", "disableAllHooks", "text.py", "too old", "no stop since"):
        assert any(word in line for line in wrong), (word, said)
    assert "ALARM: no stop since" in client.gatecore("status", code=1)


def test_a_suite_that_tests_the_work_tree_and_not_the_copy_is_found_out(client: Daily) -> None:
    there = f"cd {client.work} && PYTHONSAFEPATH= PYTEST_ADDOPTS="
    assert "  pass" in client.install("--suite", f'{there} {SUITE} --junitxml="$GATECORE_JUNIT"')
    assert "WRONG the suite judges the copy" in client.gatecore("doctor", code=1)


def test_errors_are_an_alarm(daily: Daily) -> None:
    daily.install()
    daily.prompt()
    (daily.home / "app" / "gatecore" / "hook" / "stop.py").unlink()
    assert "did not run" in daily.call("Stop")["systemMessage"]
    said = daily.gatecore("status", code=1)
    assert "ALARM" in said
    assert "1 by the script" in said
    daily.gatecore("install")
    daily.write("calc.py", BROKEN)
    assert daily.stop() is None
    assert daily.last()["gate1"]["pass"] is False, "installed again, it works again"


def test_prune_says_what_it_will_drop_and_keeps_ledgers(daily: Daily) -> None:
    daily.install("--mode", "block")
    daily.prompt()
    daily.write("calc.py", BROKEN)
    assert daily.stop() is not None
    old = daily.home / "sessions"
    assert "0 folders" in daily.gatecore("prune")
    for path in daily.home.rglob("*"):
        os.utime(path, (1e9, 1e9), follow_symlinks=False)
    assert "session" in daily.gatecore("prune")
    assert any(path.is_dir() for path in old.iterdir())
    daily.gatecore("prune", "--yes")
    assert not any(path.is_dir() for path in old.iterdir())
    assert len(daily.records()) == 1
    assert daily.stop() is not None, "a session goes on, held to HEAD"
    assert "LEDGER" in daily.gatecore("prune", "--ledgers", "--days", "365")


def test_the_queue_of_triage_holds_what_would_have_been_blocked(daily: Daily, tmp_path: Path) -> None:
    daily.install()
    daily.prompt()
    daily.write("calc.py", BROKEN)
    daily.stop()
    run = daily.runs()[-1]
    row = row_of(run.name, read_run(run))
    (block,) = TriageLog(tmp_path / "kept", "ada").blocks(row, run)
    assert (block.kind, block.gate, block.found) == ("no_oracle", "g1", "test_add")
