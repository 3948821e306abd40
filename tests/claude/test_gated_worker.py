"""The real client as a gated worker: a block blocks, the agent hears why, and not from where."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from fake_api import OUTPUT_TOKENS, USAGE, Say, answer, bash
from gating import ACCEPTANCE, DOUBLE, make_bench
from real_client import WORKER, WRITER, Ran, RealClient

from gatecore.agents.version import OLDEST_SUPPORTED, read_version
from gatecore.harness.bench import Bench
from gatecore.ledger.classes import classed_stops

REASON = "The acceptance tests for this change fail (1 of 1):"
WRONG = DOUBLE.replace("n * 2", "n + 2")
SLIP = """\
diff --git a/calc.py b/calc.py
--- a/calc.py
+++ b/calc.py
@@ -1,2 +1,6 @@
 def add(a, b):
     return a + b
+
+
+def double(n):
+    return n + 2
"""


def appends(text: str) -> str:
    """A command that appends to calc.py."""
    return f"python3 -c \"open('calc.py', 'a').write({text!r})\""


@pytest.fixture(scope="module")
def ran(client: RealClient, tmp_path_factory: pytest.TempPathFactory) -> Ran:
    """A wrong change, no change, the right change: block, block, allow."""
    bench = client.bench(tmp_path_factory.mktemp("gated"))
    client.api.play(
        writer=[answer(file=ACCEPTANCE), Say()],
        worker=[
            bash(appends(WRONG)),
            Say("I added it."),
            Say("It is right."),
            bash("python3 -c \"import re, pathlib; p = pathlib.Path('calc.py'); "
                 "p.write_text(p.read_text().replace('n + 2', 'n * 2'))\""),
            Say("Now it is."),
        ],
    )  # fmt: skip
    return client.run(bench)


def test_two_blocks_then_allow(ran: Ran) -> None:
    assert ran.decisions == ["block", "block", "allow"]
    assert [stop.kind for stop in classed_stops(ran.run)] == ["right", "right", "clean"]
    assert [entry.stop.repeat for entry in ran.run.entries] == [False, True, False]
    assert [record["stop_hook_active"] for record in ran.records] == [False, True, True]
    assert ran.done.stdout.startswith("T1-g1-r1: 2/2 requirements, 2 blocks, $0.0")
    outcomes = [line["outcome"] for line in ran.stream("hook_response")]
    assert outcomes == ["success"] * 3


def test_the_agent_hears_the_reason_and_nothing_of_the_harness(ran: Ran) -> None:
    before, *_, last = ran.asked("worker")
    assert "Stop hook" not in before.text
    told = "".join(json.dumps(message) for message in last.body["messages"])
    for record in ran.records[:2]:
        assert record["reason"].startswith(REASON)
        assert json.dumps(record["reason"], ensure_ascii=False)[1:-1] in last.text
    assert told.count("Stop hook feedback:") == 2
    root = ran.folder.parents[1]
    rest = last.text.replace(str(root / "work" / ran.folder.name), "")
    assert str(root) not in rest
    for name in ("gatecore.hook", ".gatecore", "gate_tests", "gate-config", sys.prefix, "test_req"):
        assert name not in rest


def test_stream_cost_and_model_are_read(ran: Ran, client: RealClient) -> None:
    requests = len(ran.asked("worker"))
    assert requests == 5
    score, run = ran.score, ran.run
    assert score["worker_models"] == [WORKER]
    assert score["model_ok"] is True
    assert score["turns"] == 5
    usage = json.loads((ran.folder / "result.json").read_bytes())["usage"]
    assert usage["input_tokens"] == requests * USAGE["input_tokens"]
    assert usage["output_tokens"] == requests * OUTPUT_TOKENS
    assert score["cost_worker_usd"] > 0
    assert score["cost_total_usd"] == pytest.approx(score["cost_worker_usd"] + score["cost_testwriter_usd"])
    assert run.writer is not None
    assert (run.writer.ok, list(run.writer.models)) == (True, [WRITER])
    assert (score["invalid"], score["alarm"], score["hunted"], score["tampered"]) == (None, None, 0, [])
    assert score["hook_events_in_stream"] == ["Stop:Stop"]
    version = read_version(score["claude_code_version"])
    assert version.problem is None
    said = subprocess.run([client.binary, "--version"], capture_output=True, text=True, check=True).stdout
    assert said == f"{version.text} (Claude Code)\n"


@pytest.fixture(scope="session")
def played(tmp_path_factory: pytest.TempPathFactory) -> Ran:
    """The same by the scripted agent."""
    bench = scripted(tmp_path_factory.mktemp("played"))
    command = [sys.executable, "-m", "gatecore", "run", "g1", "T1"]
    done = subprocess.run(command, cwd=bench.root, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return Ran(done, bench.runs / "T1-g1-r1", [])


def test_the_scripted_agent_leaves_the_same_records(ran: Ran, played: Ran) -> None:
    """Everything but times, hashes, ids and what the invented meter says."""
    assert [comparable(record) for record in played.records] == [comparable(r) for r in ran.records]
    assert shape(played.score) == shape(ran.score)
    invented = {
        "claude_code_version",
        "wall_s",
        "turns",
        *(key for key in ran.score if key.startswith("cost_")),
    }
    same = {key: value for key, value in ran.score.items() if key not in invented}
    assert {key: played.score[key] for key in same} == same
    names = {path.name for path in ran.folder.iterdir()}
    assert {path.name for path in played.folder.iterdir()} == names


def test_validate_tries_the_hook_through_the_client(current: RealClient, tmp_path: Path) -> None:
    head, _, _ = SLIP.partition("@@")
    patch = f"{head}@@ -1,2 +1,2 @@\n def add(a, b):\n-    return a + b\n+    return a - b\n"
    bench = current.bench(tmp_path, files={"inject/break.patch": patch})
    undo = bash("python3 -c \"t = open('calc.py').read(); open('calc.py', 'w').write(t.replace('-', '+'))\"")
    current.api.play(worker=[Say("Nothing to do."), undo, Say("Undone.")])
    done = current.call(bench, "validate", "hook")
    assert done.returncode == 0, done.stdout + done.stderr
    assert [line[:8] for line in done.stdout.splitlines()] == ["OK    ho"] * 5


def test_the_oldest_version_is_the_one_that_gatecore_names(oldest: RealClient) -> None:
    said = subprocess.run([oldest.binary, "--version"], capture_output=True, text=True, check=True).stdout
    assert read_version(said).number == OLDEST_SUPPORTED


def scripted(root: Path) -> Bench:
    """The same bench and change, played."""
    return make_bench(
        root,
        **{
            "scripted/scenarios.json": json.dumps({"T1-g1-r1": {"attempts": ["wrong", None, "right"]}}),
            "scripted/attempts/T1/wrong.patch": SLIP,
            "scripted/attempts/T1/right.patch": SLIP.replace("n + 2", "n * 2"),
        },
    )


def comparable(record: dict[str, Any]) -> dict[str, Any]:
    """A record without what differs between any two runs."""
    checks = {name: {**check, "seconds": None} for name, check in record["checks"].items()}
    return {key: value for key, value in record.items() if key not in _OWN} | {"checks": checks}


_OWN = (
    "ts",
    "stop_id",
    "session_id",
    "prompt_id",
    "prev",
    "wall_s",
    "base",
    "tree",
    "reason",
    "reason_chars",
)


def shape(score: dict[str, Any]) -> dict[str, str]:
    """The keys of a score with the kind of what is there."""
    return {key: type(value).__name__ for key, value in score.items()}
