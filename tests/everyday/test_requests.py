"""Requests of a session: what is judged, what is skipped, and what counts belong to."""

from pathlib import Path

import pytest
from daily import BROKEN, DOUBLE, FILES, Daily
from gating import git, until

from gatecore.ledger.classes import classed_stops
from gatecore.ledger.reader import read_run

GREEN = FILES["calc.py"] + DOUBLE


def test_observing_blocks_nothing_and_counts_what_it_would_have_blocked(daily: Daily) -> None:
    daily.install()
    daily.prompt()
    daily.write("calc.py", BROKEN)
    assert daily.stop() is None
    record = daily.last()
    assert (record["decision"], record["gate1"]["pass"], record["gate1"]["mode"]) == (
        "allow",
        False,
        "observe",
    )
    assert "test_add" in record["reason"]


def test_a_block_its_repeat_and_the_repair(daily: Daily) -> None:
    daily.install()
    daily.gatecore("mode", "block")
    daily.prompt()
    daily.write("calc.py", BROKEN)
    reason = daily.stop()
    assert reason is not None
    assert "test_add" in reason
    assert str(daily.home) not in reason
    assert daily.stop(stop_hook_active=True) is not None
    daily.write("calc.py", GREEN)
    assert daily.stop(stop_hook_active=True) is None
    kinds = [(r["decision"], r["repeat"]) for r in daily.records()]
    assert kinds == [("block", False), ("block", True), ("allow", False)]
    assert [s.kind for s in classed_stops(read_run(daily.runs()[-1]))] == ["no_oracle"] * 3
    assert daily.last()["tampered"] == []


def test_blocks_are_counted_by_request_and_a_prompt_opens_no_gate(daily: Daily) -> None:
    daily.install("--mode", "block")
    daily.prompt("p1")
    daily.write("calc.py", BROKEN)
    for _ in range(6):
        assert daily.stop("p1") is not None
    answer = daily.call("Stop")
    assert "gave up" in answer["systemMessage"]
    assert daily.last()["decision"] == "give_up"
    daily.prompt("p2")
    daily.write("calc.py", FILES["calc.py"])
    assert daily.stop("p2") is None
    daily.prompt("p3")
    daily.write("calc.py", BROKEN)
    assert daily.stop("p3") is not None
    daily.prompt("p4")
    assert daily.stop("p4") is not None, "what is blocked is not a base for the next request"


@pytest.mark.parametrize("known", ["p1", None], ids=["with prompt_id", "without"])
def test_stops_that_have_nothing_to_judge_are_skipped(daily: Daily, known: str | None) -> None:
    daily.install("--mode", "block")
    daily.prompt(prompt_id=known)
    daily.stop(prompt_id=known)
    daily.write("calc.py", GREEN)
    daily.stop(prompt_id=known)
    daily.stop(prompt_id=known)
    daily.write("calc.py", BROKEN)
    daily.stop(prompt_id=known, permission_mode="plan")
    daily.stop(prompt_id=known, background_tasks=[{"id": "b1"}])
    assert daily.call("Stop", hook_event_name="SubagentStop") == {}
    daily.write("README.md", "words\n")
    daily.write("calc.py", FILES["calc.py"])
    daily.stop(prompt_id=known)
    said = [(r["decision"], r.get("skipped", "")) for r in daily.records()]
    assert [decision for decision, _ in said] == ["skipped", "allow"] + ["skipped"] * 4
    for (_, why), word in zip(said, ["nothing", "", "passed", "plan", "background", "looks at"], strict=True):
        assert word in why
    assert daily.last()["gate1"]["suite"] == "skipped"
    assert {s.kind for s in classed_stops(read_run(daily.runs()[-1]))} == {"skipped", "no_oracle"}


def test_work_that_was_cut_off_is_judged_with_the_next_request(daily: Daily) -> None:
    daily.install("--mode", "block")
    daily.prompt("p1")
    daily.write("calc.py", BROKEN)
    daily.prompt("p2")
    assert daily.stop("p2") is not None


def test_red_from_the_start_is_said_and_blocks_nobody(daily: Daily) -> None:
    daily.write("tests/test_old.py", "def test_old():\n    assert False\n")
    git(daily.work, "add", "-A")
    git(daily.work, "commit", "-q", "-m", "red")
    assert "red from the start" in daily.install("--mode", "block")
    daily.prompt()
    daily.write("calc.py", GREEN)
    assert daily.stop() is None
    gate = daily.last()["gate1"]
    assert (gate["suite"], gate["pass"]) == ("not_judged", None)
    assert "red on the base" in gate["why"]
    daily.write("tests/test_old.py", "def test_old():\n    assert True\n")
    assert daily.stop() is None
    assert daily.last()["gate1"]["pass"] is True, "green is green, whatever was before"


def test_a_base_that_became_red_meanwhile_is_found_out_when_it_matters(daily: Daily) -> None:
    daily.install("--mode", "block")
    daily.write("calc.py", BROKEN)  # the user's own work, half done
    daily.prompt()
    daily.write("other.py", "x = 1\n")
    assert daily.stop() is None
    assert "red on the base" in daily.last()["gate1"]["why"]


def test_sessions_side_by_side_and_in_a_work_tree_have_runs_of_their_own(
    daily: Daily, tmp_path: Path
) -> None:
    daily.install("--mode", "block")
    tree = tmp_path / "tree"
    git(daily.work, "worktree", "add", "-q", str(tree))
    for session, cwd in (("a", daily.work), ("b", daily.work), ("c", tree)):
        daily.prompt(session_id=session, cwd=str(cwd))
    daily.write("calc.py", BROKEN)
    stops = [
        daily.start("Stop", session_id=session, cwd=str(cwd))
        for session, cwd in (("a", daily.work), ("b", daily.work), ("c", tree))
    ]
    answers = [stop.communicate(timeout=120)[0] for stop in stops]
    assert [b"block" in answer for answer in answers] == [True, True, False]
    assert [[r["decision"] for r in daily.records(i)] for i in range(3)] == [
        ["block"],
        ["block"],
        ["skipped"],
    ]


def test_a_stop_without_a_prompt_is_held_to_head(daily: Daily) -> None:
    daily.install("--mode", "block")
    daily.write("calc.py", BROKEN)
    assert daily.stop() is not None
    assert daily.last()["base"] == git(daily.work, "rev-parse", "HEAD^{tree}").strip()


def test_a_bypass_lets_one_stop_go_and_is_on_record(daily: Daily) -> None:
    daily.install("--mode", "block")
    daily.prompt()
    daily.write("calc.py", BROKEN)
    assert daily.stop() is not None
    assert "person" in daily.gatecore("bypass", "--reason", "x", code=2, CLAUDECODE="1")
    daily.gatecore("bypass", "--reason", "the test is wrong")
    assert daily.stop() is None
    assert "the test is wrong" in daily.last()["skipped"]
    daily.prompt("p2")
    daily.write("calc.py", FILES["calc.py"])
    assert daily.stop("p2") is None
    daily.prompt("p3")
    daily.write("calc.py", BROKEN)
    assert daily.stop("p3") is not None, "once"


def test_settings_that_were_changed_by_hand_show(daily: Daily) -> None:
    daily.install("--mode", "block")
    config = daily.home / "config.json"
    config.write_text(config.read_text().replace('"block"', '"observe"'))
    daily.prompt()
    daily.write("calc.py", BROKEN)
    assert daily.stop() is None
    assert daily.last()["tampered"] == [str(config)]


def test_secrets_of_the_client_reach_no_suite(daily: Daily) -> None:
    daily.write(
        "tests/test_env.py",
        "import os\n\n\ndef test_env():\n    assert 'ANTHROPIC_API_KEY' not in os.environ\n",
    )
    daily.install("--mode", "block")
    daily.prompt()
    daily.write("calc.py", GREEN)
    assert daily.stop() is None
    assert daily.last()["gate1"]["pass"] is True


def test_a_hook_that_the_client_ends_leaves_a_record_and_no_process(daily: Daily) -> None:
    daily.write(
        "tests/test_slow.py",
        "import time, os\n\n\ndef test_slow():\n    time.sleep(60 * os.path.exists('slow'))\n",
    )
    daily.install("--mode", "block")
    daily.prompt()
    daily.write("slow", "")
    process = daily.start("Stop")
    events = daily.runs()[-1] / "events.jsonl"
    until(lambda: b"check_started" in events.read_bytes())
    process.terminate()
    out, _ = process.communicate(timeout=30)
    assert b"decision" not in out
    until(lambda: bool(daily.records()))
    assert daily.last()["decision"] == "error"
    assert "ended" in daily.last()["error"]
