"""Replays of stops that the hook has just judged, with other tests, other reviewers, and tests that are flaky."""

import json
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from gating import ACCEPTANCE, DOUBLE, NewGate, answer, processes_of, until
from replaying import gatecore, labels, lines, report

from gatecore.checks.process import kill_all
from gatecore.harness.bench import Bench
from gatecore.harness.lock import holding
from gatecore.replay.asked import asked
from gatecore.replay.replay import Replay

STRICT = (
    ACCEPTANCE
    + "\n\ndef test_refuses_text():\n    import pytest\n    from calc import double\n"
    + ("    with pytest.raises(TypeError):\n        double('a')\n")
)
FLAKY = """
import os
import pathlib

COUNT = pathlib.Path({count!r})


def test_req1():
    from calc import double
    assert double(2) == 4


def test_req2():
    times = len(COUNT.read_text()) if COUNT.exists() else 0
    COUNT.write_text("x" * (times + 1))
    assert times % 3 != {red}
"""
FINDING = {"severity": "blocking", "file": "calc.py", "line": 5, "text": "double of a text"}


@pytest.fixture
def stopped(new: NewGate) -> Path:
    """A run of gate 1 with two stops: a right block, and one that is let go."""
    gated = new("g1", "T1")
    assert gated.stop()
    gated.append("calc.py", DOUBLE)
    assert gated.stop() is None
    assert [record["hidden"]["fail"] for record in gated.records()] == [2, 0]
    return gated.run


def oracle(folder: Path, text: str) -> Path:
    folder.mkdir()
    (folder / "pytest.ini").write_text("[pytest]\n")
    (folder / "test_T1.py").write_text(text)
    return folder


def replayed(bench: Bench, run: Path, name: str, *options: str | Path) -> list[dict[str, Any]]:
    done = gatecore(bench.root, "replay", run, "--name", name, *options)
    assert done.returncode == 0, done.stderr
    return lines(run / "replay" / name)


def figures(run: Path, name: str) -> dict[str, Any]:
    done = report(run, "--replay", name, "--format", "json")
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_a_tree_comes_from_the_gates_own_store_or_from_its_diff(bench: Bench, stopped: Path) -> None:
    own = replayed(bench, stopped, "store")
    assert [line["source"] for line in own] == ["store", "store"]
    shutil.rmtree(bench.state(stopped.name))
    diffs = replayed(bench, stopped, "diff")
    assert [line["source"] for line in diffs] == ["diff", "diff"]
    for key in ("tree", "hidden", "stop_id", "n", "line", "repeat", "base"):
        assert [line[key] for line in own] == [line[key] for line in diffs]
    assert labels([stopped], "store") == labels([stopped], "diff") == labels([stopped])


def test_a_diff_that_does_not_give_the_tree_is_said_and_tried_again(bench: Bench, stopped: Path) -> None:
    shutil.move(bench.state(stopped.name), bench.root / "aside")
    diff = stopped / "snap-2.diff"
    whole = diff.read_text()
    for text, why in (
        (whole.replace("n * 2", "n * 3"), "the stop was judged on"),
        (whole.replace("def add", "def other"), "does not apply to upstream"),
    ):
        assert text != whole
        diff.write_text(text)
        done = gatecore(bench.root, "replay", stopped, "--name", "lost")
        assert done.returncode == 1
        assert f"{stopped.name} stop 2: not replayed: snap-2.diff" in done.stderr
        assert why in done.stderr
    assert figures(stopped, "lost")["stops"] == {"judged": 1, "not_replayed": 1, "pending": 0}
    diff.write_text(whole)
    assert [line["replayed"] for line in replayed(bench, stopped, "lost")] == [True, False, False, True]
    assert figures(stopped, "lost")["stops"] == {"judged": 2, "not_replayed": 0, "pending": 0}


def test_other_tests_and_other_reviewers_at_the_same_stops(
    bench: Bench, stopped: Path, tmp_path: Path
) -> None:
    before = (stopped / "gate.jsonl").read_bytes()
    oracle(tmp_path / "strict", STRICT)
    answer(bench, "B", approve=False, findings=[FINDING])
    options = ("--gates", "g13", "--tests", tmp_path / "strict")
    red, green = replayed(bench, stopped, "new", *options)
    assert [red["gate1"]["gate_tests_fail"], green["gate1"]["gate_tests_failed"]] == [
        2,
        ["test_refuses_text"],
    ]
    assert [line["decision"] for line in (red, green)] == ["block", "block"]
    assert [line["gate3"]["verdict"] for line in (red, green)] == ["fail", "fail"]  # asked although g1 blocks
    assert "hidden" not in red
    assert (stopped / "gate.jsonl").read_bytes() == before

    found = figures(stopped, "new")
    assert found["differ"] == [
        {"gate": "g1", "run": stopped.name, "n": 2, "then": "pass", "now": "fail", "class_then": "clean"}
        | {"class_now": "false", "tests": str(tmp_path / "strict")}
    ]
    rows = {row["variant"]: row for row in found["variants"]["rows"]}
    assert list(rows) == [
        "as recorded", "g1 alone", "g3 alone", "either: g1 or g3", "both: g1 and g3",
        "advice: g1, with g3 advising",
    ]  # fmt: skip
    assert {(row["right"], row["false"]) for name, row in rows.items() if name != "as recorded"} == {(1, 1)}
    assert (rows["as recorded"]["right"], rows["as recorded"]["clean"]) == (1, 1)
    assert rows["g1 alone"]["more_false"] == 1
    assert [round(rows[name]["cost_known_usd"], 9) for name in list(rows)[2:]] == [0.04, 0.0, 0.04, 0.04]
    assert [row["stops"] for row in found["first"]["rows"]] == [1] * 6


def test_another_set_of_settings_under_one_name_is_refused(
    bench: Bench, stopped: Path, tmp_path: Path
) -> None:
    replayed(bench, stopped, "one")
    other = oracle(tmp_path / "other", "def test_req1():\n    pass\n")
    for options, what in ((("--oracle", other), "oracle"), (("--repeat", "2"), "repeat")):
        done = gatecore(bench.root, "replay", stopped, "--name", "one", *options)
        assert done.returncode == 2
        assert f"was made with other settings ({what}); give this replay another --name" in done.stderr
    assert len(lines(stopped / "replay" / "one")) == 2


def test_a_check_with_both_outcomes_is_flagged_and_its_label_is_none(
    bench: Bench, stopped: Path, tmp_path: Path
) -> None:
    flaky = oracle(tmp_path / "flaky", FLAKY.format(count=str(tmp_path / "count"), red=0))
    red, green = replayed(bench, stopped, "flaky", "--oracle", flaky, "--repeat", "3")
    assert (red["outcomes"], green["outcomes"]) == (
        {"oracle": {"fail": 3}},
        {"oracle": {"fail": 1, "pass": 2}},
    )
    assert green["hidden"]["failed_reqs"] == ["test_req2"]  # the first time counts, not the best one
    assert red["flaky_tests"] == green["flaky_tests"] == {"oracle": ["test_T1.py::test_req2"]}
    assert (stopped / "replay/flaky/repetition-3/hidden-2.txt").is_file()
    found = figures(stopped, "flaky")
    assert found["classes"] == [
        {"then": "right", "stops": 1, "now": {"right": 1}},
        {"then": "clean", "stops": 1, "now": {"flaky": 1}},
    ]
    assert found["flaky_tests"] == [
        {"task": "T1", "check": "oracle", "test": "test_T1.py::test_req2", "stops": 2, "of": 2}
    ]
    assert [(x["n"], x["check"], x["both"]) for x in found["flaky"]] == [
        (1, "oracle", False),
        (2, "oracle", True),
    ]
    assert {row["stops"] for row in found["gates"]} == {1}


def test_a_block_by_a_flaky_gate_is_classed_apart(bench: Bench, stopped: Path, tmp_path: Path) -> None:
    text = FLAKY.format(count=str(tmp_path / "count"), red=1).replace(
        "from calc import double", "def double(n): return 4"
    )
    tests = oracle(tmp_path / "tests", text)  # tried on the base the first time
    red, green = replayed(bench, stopped, "gate", "--gates", "g1", "--tests", tests, "--repeat", "2")
    assert (red["outcomes"]["g1"], red["outcomes"]["suite"]) == ({"fail": 1, "pass": 1}, {"pass": 2})
    assert green["outcomes"]["g1"] == {"fail": 1, "pass": 1}
    found = figures(stopped, "gate")
    (changed,) = found["changed"]  # the block; what was let go was not let go by what is flaky
    assert (changed["n"], changed["gate"], changed["then"], changed["now"]) == (1, "g1", "right", "flaky")
    assert (found["variants"]["stops"], found["variants"]["left_out"]) == (0, {"flaky": 2})


def test_an_interrupted_replay_leaves_nothing_running_and_goes_on(
    bench: Bench, stopped: Path, tmp_path: Path
) -> None:
    slow = "import pathlib, time\n\n\ndef test_req1():\n"
    slow += f"    if pathlib.Path({str(tmp_path / 'wait')!r}).exists():\n        time.sleep(600)\n"
    folder = oracle(tmp_path / "slow", slow)
    (tmp_path / "wait").touch()
    command = [
        sys.executable,
        "-m",
        "gatecore",
        "replay",
        str(stopped),
        "--oracle",
        str(folder),
        "--name",
        "cut",
    ]
    process = subprocess.Popen([*command, "--bench", str(bench.root)], stderr=subprocess.PIPE)
    events = stopped / "replay/cut/events.jsonl"
    until(lambda: events.exists() and b"check_started" in events.read_bytes())
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=30)
    assert process.returncode == 130
    assert processes_of(bench.root / ".gatecore" / "replay-") == []
    assert list((bench.root / ".gatecore").glob("replay-*")) == []
    assert not (stopped / "replay/cut/replay.jsonl").exists()
    (tmp_path / "wait").unlink()
    assert len(replayed(bench, stopped, "cut", "--oracle", folder)) == 2
    done = gatecore(bench.root, "replay", stopped, "--name", "cut", "--oracle", folder)
    assert "replay cut: 0 stops judged, 2 judged before, 0 not replayed" in done.stdout
    assert len(lines(stopped / "replay/cut")) == 2


def test_checks_that_were_broken_off_from_outside_are_no_verdict(
    bench: Bench, stopped: Path, tmp_path: Path
) -> None:
    begun = tmp_path / "begun"
    text = f"import pathlib, time\n\n\ndef test_req1():\n    if not pathlib.Path({str(begun)!r}).exists():\n"
    text += f"        pathlib.Path({str(begun)!r}).touch()\n        time.sleep(600)\n"
    folder = oracle(tmp_path / "broken", text)
    wanted = asked(bench, folder, None, None, "broken", 1)

    def break_off() -> None:
        until(begun.exists)
        kill_all()

    breaker = threading.Thread(target=break_off)
    breaker.start()
    outcome = Replay(bench, wanted, [stopped], 1, lambda _: None).run()
    breaker.join()
    first, second = lines(stopped / "replay/broken")
    assert (first["replayed"], second["replayed"], outcome.broken) == (False, True, 1)
    assert "broken off" in first["why"]
    assert [line["replayed"] for line in replayed(bench, stopped, "broken", "--oracle", folder)][2:] == [True]


def test_one_replay_of_a_name_at_a_time(bench: Bench, stopped: Path) -> None:
    with holding(bench.root / ".gatecore/locks/replay twice", "busy"):
        done = gatecore(bench.root, "replay", stopped, "--name", "twice")
    assert (done.returncode, "replay twice: is running already" in done.stderr) == (2, True)


def test_two_stops_of_one_number_have_no_diff_of_their_own(bench: Bench, stopped: Path) -> None:
    records = [json.loads(line) for line in (stopped / "gate.jsonl").read_bytes().splitlines()]
    old = [{key: record[key] for key in ("ts", "hidden", "decision")} | {"n": 1} for record in records]
    (stopped / "gate.jsonl").write_text("".join(f"{json.dumps(record)}\n" for record in old))
    done = gatecore(bench.root, "replay", stopped, "--name", "shared")
    assert done.returncode == 1
    found = lines(stopped / "replay/shared")
    assert [(line["line"], line["replayed"]) for line in found] == [(1, False), (2, False)]
    assert "several stops have the number 1" in found[0]["why"]


def test_a_line_that_cannot_be_read_costs_that_line(bench: Bench, stopped: Path) -> None:
    replayed(bench, stopped, "torn")
    with (stopped / "replay/torn/replay.jsonl").open("a") as file:
        file.write('[1]\n{"line": 2, "n": 2, "replayed": true, "outcomes": 7}\n{"li')
    found = figures(stopped, "torn")
    assert (found["unreadable"], found["stops"]["judged"]) == (2, 2)


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (("--gates", "bare"), "this config has no gate"),
        (("--gates", "g9"), "no config 'g9'"),
        (("--oracle", "nowhere"), "--oracle nowhere: no such folder"),
        (("--oracle", "tasks"), "--oracle tasks: no test_<task>.py in it"),
        (("--tests", "hidden"), "add --gates with a config that has it"),
        (("--name", "../x"), "--name '../x'"),
    ],
)
def test_wrong_use_is_told(bench: Bench, stopped: Path, options: tuple[str, ...], why: str) -> None:
    done = gatecore(bench.root, "replay", stopped, *options)
    assert done.returncode == 2
    assert why in done.stderr
    assert "Traceback" not in done.stderr


def test_the_report_names_the_replays_that_there_are(bench: Bench, stopped: Path) -> None:
    done = report(stopped, "--replay", "what")
    assert (done.returncode, done.stdout) == (2, "")
    assert "no replay what" in done.stderr
    replayed(bench, stopped, "first")
    assert "there are: first" in report(stopped, "--replay", "what").stderr
    assert "name it with --table" in report(stopped, "--replay", "first", "--format", "csv").stderr
    assert "tables: classes, changed" in report(stopped, "--replay", "first", "--table", "x").stderr
    head = report(stopped, "--replay", "first", "--table", "gates", "--format", "csv").stdout.splitlines()[0]
    assert head.startswith("gate,verdicts,labels,stops,right,false,missed,clean,precision k,")
