"""The gate in somebody's own repo, with the real client: its settings, its prompts, its stops."""

import json
import os
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from daily import BROKEN, FILES, Daily, make_repo
from fake_api import Say, bash
from real_client import WORKER, RealClient


@dataclass
class Session:
    """A client in a repository with the gate on it."""

    client: RealClient
    daily: Daily

    def ask(self, prompt: str, *flags: str) -> dict[str, Any]:
        """Send one request in print mode; return the client's result."""
        done = subprocess.run(
            [
                *self.client.prefix,
                str(self.client.binary),
                *("-p", prompt, "--output-format", "json", "--model", WORKER),
                *("--permission-mode", "acceptEdits", "--allowedTools", "Bash"),
                *flags,
            ],
            cwd=self.daily.work,
            env=self.daily.env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        result: dict[str, Any] = json.loads(done.stdout)
        return result

    def decisions(self) -> list[list[str]]:
        """What was decided at each stop, by session."""
        return [
            [record["decision"] for record in self.daily.records(i)] for i in range(len(self.daily.runs()))
        ]


@pytest.fixture
def session(client: RealClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Session:
    home, work = tmp_path / "home", tmp_path / "work"
    home.mkdir()
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    env = {
        "PATH": os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"])),
        "HOME": str(home),
        "XDG_STATE_HOME": str(tmp_path / "state"),
        "ANTHROPIC_BASE_URL": client.api.url,
        "ANTHROPIC_API_KEY": "sk-dummy",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "CLAUDE_CODE_MAX_RETRIES": "0",
        "DISABLE_TELEMETRY": "1",
        "DISABLE_AUTOUPDATER": "1",
        "USER": "t",
        **dict.fromkeys(("TMPDIR", "CLAUDE_CODE_TMPDIR", "XDG_RUNTIME_DIR"), str(home)),
    }
    make_repo(work)
    return Session(client, Daily(work, env))


def _writes(text: str) -> str:
    code = f"open('calc.py', 'w').write({text!r})"
    return shlex.join([sys.executable, "-c", code])


def test_observe_then_block_then_a_mere_answer_and_out_again(session: Session) -> None:
    daily, api = session.daily, session.client.api
    daily.install()
    api.play(worker=[bash(_writes(BROKEN)), Say("Done.")])
    session.ask("subtract instead")
    assert session.decisions() == [["allow"]]
    record = daily.last()
    assert (record["gate1"]["pass"], record["gate1"]["mode"]) == (False, "observe")
    assert "prompt_id" in record["hook_input_keys"]
    assert (daily.runs()[0] / "task.md").read_text() == "subtract instead"
    daily.write("calc.py", FILES["calc.py"])
    daily.gatecore("mode", "block")
    api.play(
        worker=[
            bash(_writes(BROKEN)),
            Say("Done."),
            bash(_writes(FILES["calc.py"] + "# same\n")),
            Say("Now."),
        ]
    )
    assert session.ask("subtract instead")["result"] == "Now."
    assert session.decisions()[1] == ["block", "allow"]
    told = [
        message for message in api.asked("worker")[-1].body["messages"] if "Stop hook" in json.dumps(message)
    ]
    assert "test_add" in json.dumps(told)
    api.play(worker=[Say("It adds.")])
    session.ask("what does add do?")
    assert session.decisions()[2] == ["skipped"]
    assert daily.last()["tampered"] == []
    daily.gatecore("uninstall")
    api.play(worker=[bash(_writes(BROKEN)), Say("Done.")])
    session.ask("subtract instead")
    assert len(daily.runs()) == 3, "the gate is off"
    assert daily.status() == " M calc.py\n"


def test_a_session_that_goes_on_counts_by_request(session: Session) -> None:
    daily, api = session.daily, session.client.api
    daily.install("--mode", "block")
    api.play(worker=[Say("Hello.")])
    first = session.ask("hello")
    api.play(worker=lambda _: [Say(), bash(_writes(BROKEN)), Say(), bash(_writes(FILES["calc.py"])), Say()])
    session.ask("subtract instead", "--resume", first["session_id"])
    assert session.decisions() == [["skipped", "block", "skipped"]]
    assert len({record["prompt_id"] for record in daily.records()}) == 2


def test_without_its_interpreter_the_person_is_told_and_it_is_on_record(
    session: Session, tmp_path: Path
) -> None:
    daily, api = session.daily, session.client.api
    python = tmp_path / "python"
    python.symlink_to(os.path.realpath(sys.executable))
    daily.install("--mode", "block", "--python", str(python))
    python.unlink()
    api.play(worker=[bash(_writes(BROKEN)), Say("Done.")])
    session.ask("subtract instead")
    records = daily.records(0)
    assert [record["decision"] for record in records] == ["error", "error"]
    assert ["(prompt)" in record["error"] for record in records] == [True, False]
    assert all(record["session_id"] for record in records)
