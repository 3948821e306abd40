"""Writer and reviewers by the real client: an answer by schema, prose, an error, silence."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from fake_api import Hang, Refuse, Reply, Say, Use, answer
from gating import ACCEPTANCE, DOUBLE
from images import png
from real_client import REVIEWER, WRITER, RealClient, reads_only

APPROVES = [answer(approve=True, findings=[]), Say()]
FINDING = {"severity": "blocking", "file": "calc.py", "line": 6, "text": "double(0) is wrong"}
OVERLOADED = Refuse(529, "overloaded_error", "Overloaded")
SECONDS = 5
BAD: dict[str, tuple[list[Reply], str]] = {
    "prose": ([Say("It looks fine to me.")], "answered without the structured output it was asked for"),
    "breaks the schema": ([answer(approve="yes"), Say("So be it.")], ""),
    "an API error": ([OVERLOADED], "api_error: API Error: "),
    "silence": ([Hang()], f"timed out after {SECONDS} s"),
}


def change(folder: Path) -> Path:
    """A work copy to review."""
    folder.mkdir()
    (folder / "calc.py").write_text("def add(a, b):\n    return a + b\n" + DOUBLE)
    return folder


def limits(seconds: int) -> str:
    return f"[limits]\nwriter_s = {seconds}\nreviewer_s = {seconds}\nwriter_attempts = 1\n"


def review(
    client: RealClient, folder: Path, variant: str, seconds: int = 60, **script: list[Reply]
) -> dict[str, Any]:
    """The record of one review by hand."""
    bench = client.bench(folder, limits(seconds))
    client.api.play(**script)
    work = str(change(folder / "work"))
    done = client.call(bench, "review", work, "T1", "--variant", variant)
    record: dict[str, Any] = json.loads(done.stdout)
    assert done.returncode == (record["verdict"] == "not_judged"), done.stderr
    return record


def test_the_writer_writes(client: RealClient, tmp_path: Path) -> None:
    bench = client.bench(tmp_path, limits(60))
    client.api.play(writer=[Use("Glob", {"pattern": "*"}), answer(file=ACCEPTANCE), Say()])
    done = client.call(bench, "write-tests", "T1")
    assert done.returncode == 0, done.stderr
    record = json.loads(done.stdout)
    assert (record["ok"], record["error"], record["models"]) == (True, None, [WRITER])
    assert record["cost_usd"] > 0
    assert Path(record["file"]).read_text() == ACCEPTANCE
    first = client.api.asked("writer")[0]
    assert first.body["model"] == WRITER
    assert reads_only(first)
    assert "Stop hook" not in first.text


@pytest.mark.parametrize("kind", BAD)
def test_a_writer_that_fails_is_told(current: RealClient, tmp_path: Path, kind: str) -> None:
    replies, error = BAD[kind]
    bench = current.bench(tmp_path, limits(SECONDS if kind == "silence" else 60))
    current.api.play(writer=replies)
    done = current.call(bench, "write-tests", "T1")
    assert done.returncode == 1
    record = json.loads(done.stdout)
    assert (record["ok"], record["file"]) == (False, None)
    assert error in record["error"]
    assert (record["cost_usd"] is None) == (kind == "silence")


def test_two_reviewers_approve(client: RealClient, tmp_path: Path) -> None:
    record = review(client, tmp_path, "indep", reviewer=APPROVES)
    assert (record["verdict"], record["pass"], record["blocking_findings"]) == ("pass", True, 0)
    assert [r["models"] for r in record["reviewers"]] == [[REVIEWER]] * 2
    assert record["cost_usd"] > 0


def test_a_finding_is_upheld_by_the_challenger(client: RealClient, tmp_path: Path) -> None:
    verdict = {"id": 1, "verdict": "upheld", "reason": "it is"}
    record = review(
        client,
        tmp_path,
        "adv",
        reviewer=[answer(approve=False, findings=[FINDING]), Say()],
        challenger=[answer(verdicts=[verdict], added_findings=[], approve=False), Say()],
    )
    assert (record["verdict"], record["blocking_findings"]) == ("fail", 1)
    asked = client.api.asked("challenger")[0].text
    assert str(FINDING["text"]) in asked


@pytest.mark.parametrize("kind", BAD)
def test_a_reviewer_that_does_not_answer_approves_nothing(
    current: RealClient, tmp_path: Path, kind: str
) -> None:
    replies, error = BAD[kind]
    seconds = SECONDS if kind == "silence" else 60
    record = review(current, tmp_path, "indep", seconds, reviewer=replies)
    assert (record["verdict"], record["pass"]) == ("not_judged", None)
    assert [error in reviewer["error"] for reviewer in record["reviewers"]] == [True, True]
    assert (record["cost_usd"] is None) == (kind == "silence")


ASK = """
import json, sys
from gatecore.agents.claude import ask
from gatecore.gates.findings import REVIEWER_SCHEMA
answer = ask(
    json.loads(sys.argv[1]), prompt="look", schema=REVIEWER_SCHEMA, model=sys.argv[2], max_turns=9, seconds=60,
    cwd=sys.argv[3], env={}, scratch=sys.argv[4] + "/call", folders=[sys.argv[4]],
)
print(json.dumps([answer.value, answer.error]))
"""


def test_a_reviewer_sees_pictures_that_lie_elsewhere_and_no_more(client: RealClient, tmp_path: Path) -> None:
    home, copy, shots, other = (tmp_path / name for name in ("home", "copy", "shots", "other"))
    for folder in (home, copy, shots, other):
        folder.mkdir()
    (shots / "page.png").write_bytes(png(4, 4))
    (other / "secret.txt").write_text("MARK-SECRET\n")
    client.api.play(
        reviewer=[
            Use("Read", {"file_path": str(shots / "page.png")}),
            Use("Read", {"file_path": str(other / "secret.txt")}),
            *APPROVES,
        ]
    )
    command = [sys.executable, "-c", ASK, json.dumps(client.command(home)), REVIEWER, str(copy), str(shots)]
    done = subprocess.run(
        command, cwd=copy, env=client.environ(home), capture_output=True, text=True, timeout=90, check=True
    )
    assert json.loads(done.stdout) == [{"approve": True, "findings": []}, None]
    last = client.api.asked("reviewer")[-1].text
    assert '"media_type": "image/png"' in last
    assert "MARK-SECRET" not in last
