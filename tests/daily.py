"""A developer's repository with the gate on it, driven exactly as the client drives a hook."""

import json
import os
import shlex
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest
from gating import git

from gatecore.ledger.places import find_repo

SUITE = f"{shlex.quote(sys.executable)} -m pytest -q -p no:cacheprovider"
FILES = {
    "calc.py": "def add(a, b):\n    return a + b\n",
    "tests/test_calc.py": "from calc import add\n\n\ndef test_add():\n    assert add(1, 2) == 3\n",
    ".gitignore": "*.log\n__pycache__/\n",
}
DOUBLE = "\n\ndef double(n):\n    return n * 2\n"
BROKEN = "def add(a, b):\n    return a - b\n"


class Daily:
    """A repository, the `gatecore` command in it, and a client's calls of the hooks in its settings."""

    def __init__(self, work: Path, env: dict[str, str]) -> None:
        self.work = work
        self.env = env

    @property
    def home(self) -> Path:
        """The home of the repository's gate."""
        repo = find_repo(str(self.work))
        assert repo is not None
        return Path(repo.home)

    @property
    def local(self) -> Path:
        """The project's local settings."""
        return self.work / ".claude" / "settings.local.json"

    def gatecore(self, *args: str, code: int = 0, **env: str) -> str:
        """Run a command as a person would; return what it printed."""
        done = subprocess.run(
            [sys.executable, "-m", "gatecore", *args],
            cwd=self.work,
            env={**self.env, **env},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout + done.stderr

    def view(self, *args: str) -> str:
        """Run gateview as a person would, without a folder named."""
        return subprocess.run(
            [sys.executable, "-m", "gateview", *args],
            cwd=self.work,
            env=self.env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=120,
            check=True,
        ).stdout

    def install(self, *args: str, code: int = 0) -> str:
        """Install with the suite of this test's interpreter, unless `args` name one."""
        suite = () if "--suite" in args else ("--suite", SUITE)
        return self.gatecore("install", *suite, *args, code=code)

    def hook(self, event: str, settings: Path | None = None) -> tuple[str, float]:
        """The command and the timeout that the client's settings name for an event."""
        found = json.loads((settings or self.local).read_text())
        entry = found["hooks"][event][-1]["hooks"][0]
        return entry["command"], entry["timeout"]

    def start(self, event: str, settings: Path | None = None, **fields: Any) -> "subprocess.Popen[bytes]":
        """Start a hook as the client does; None in `fields` leaves a key of the payload out."""
        payload = {
            "session_id": "s1",
            "transcript_path": "/nowhere.jsonl",
            "cwd": str(self.work),
            "prompt_id": "p1",
            "permission_mode": "acceptEdits",
            "hook_event_name": event,
            **({"prompt": "add double"} if event == "UserPromptSubmit" else _AT_STOP),
            **fields,
        }
        payload = {key: value for key, value in payload.items() if value is not None}
        command, _ = self.hook(event, settings)
        process = subprocess.Popen(
            ["/bin/sh", "-c", command],
            cwd=self.work,
            env={**self.env, "CLAUDE_PROJECT_DIR": str(self.work), "ANTHROPIC_API_KEY": "secret"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        assert process.stdin is not None
        process.stdin.write(json.dumps(payload).encode())
        process.stdin.close()
        process.stdin = None
        return process

    def call(self, event: str, settings: Path | None = None, **fields: Any) -> dict[str, Any]:
        """Call a hook; return the one JSON object of its answer, {} when it says nothing."""
        process = self.start(event, settings, **fields)
        out, err = process.communicate(timeout=120)
        assert process.returncode == 0, err.decode()
        return json.loads(out) if out else {}

    def prompt(self, request: str = "p1", **fields: Any) -> None:
        """The user sends a request."""
        assert self.call("UserPromptSubmit", **{"prompt_id": request, **fields}) == {}

    def stop(self, request: str = "p1", **fields: Any) -> str | None:
        """The agent stops: the reason of a block, None when it is let go."""
        answer = self.call("Stop", **{"prompt_id": request, **fields})
        return str(answer["reason"]) if answer.get("decision") == "block" else None

    def write(self, name: str, text: str) -> None:
        """Put a file into the work tree."""
        path = self.work / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text))

    def runs(self) -> list[Path]:
        """The sessions' run directories, oldest first."""
        return sorted((self.home / "runs").iterdir(), key=lambda run: int(run.name.rpartition("-r")[2]))

    def records(self, run: int = -1) -> list[dict[str, Any]]:
        """The records of a session, by default the newest."""
        ledger = self.runs()[run] / "gate.jsonl"
        return [json.loads(line) for line in ledger.read_bytes().splitlines()] if ledger.exists() else []

    def last(self) -> dict[str, Any]:
        """The newest session's last record."""
        return self.records()[-1]

    def status(self) -> str:
        """What `git status` shows."""
        return git(self.work, "status", "--porcelain", "--untracked-files=all")


_AT_STOP = {
    "stop_hook_active": False,
    "last_assistant_message": "Done.",
    "background_tasks": [],
    "session_crons": [],
}


def make_repo(work: Path, files: dict[str, str] | None = None) -> None:
    """A repository with one commit."""
    for name, text in (FILES if files is None else files).items():
        path = work / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text))
    git(work, "init", "-q", "-b", "main")
    git(work, "add", "-A")
    git(work, "commit", "-q", "-m", "base")


@pytest.fixture
def daily(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Daily:
    """A repository of one function, and a user with a home and a state folder of their own."""
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    for name in ("CLAUDECODE", "CLAUDE_CONFIG_DIR", "CLAUDE_PROJECT_DIR", "PYTEST_ADDOPTS"):
        monkeypatch.delenv(name, raising=False)
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1]), "PYTHONWARNINGS": ""}
    work = tmp_path / "work"
    make_repo(work)
    return Daily(work, env)
