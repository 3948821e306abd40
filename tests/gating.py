"""A small repository behind the gate, for tests that call the hook as the client does."""

import atexit
import json
import shutil
import subprocess
import tempfile
import textwrap
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from gatecore.harness.bench import Bench
from gatecore.harness.gate_config import HOOK
from gatecore.harness.prep import Cell, Prepared, prepare

PAYLOAD = {
    "session_id": "s1",
    "prompt_id": "p1",
    "hook_event_name": "Stop",
    "stop_hook_active": False,
    "last_assistant_message": "Done.",
}
ACCEPTANCE = """
def test_doubles():
    from calc import double
    assert double(4) == 8
"""
_FILES = {
    "upstream/calc.py": "def add(a, b):\n    return a + b\n",
    "upstream/tests/test_calc.py": "from calc import add\n\n\ndef test_add():\n    assert add(1, 2) == 3\n",
    "upstream/.gitignore": "*.log\n",
    "tasks/T1.md": "add double(n) to calc\n",
    "hidden/conftest.py": "",
    "hidden/pytest.ini": "[pytest]\n",
    "hidden/test_T1.py": """
        def test_req1():
            from calc import double
            assert double(2) == 4


        def test_req2():
            from calc import double
            assert double(0) == 0
        """,
    "scripted/scenarios.json": '{"T1-g1-r1": {"attempts": [null]}}',
    "bench.toml": """
        [client]
        kind = "scripted"

        [checks.env]
        PYTEST_DISABLE_PLUGIN_AUTOLOAD = "1"
        """,
}
DOUBLE = "\n\ndef double(n):\n    return n * 2\n"
_CLIENT = """
#!/bin/sh
cat >"$PWD/../../told-${GATECORE_SCRIPTED_REVIEWER:-writer}"
exec cat "$(dirname "$0")/answers/${GATECORE_SCRIPTED_REVIEWER:-writer}"
"""


def make_bench(root: Path, **files: str) -> Bench:
    """A bench for a package of one function; `files` adds or replaces files by path."""
    for name, text in {**_FILES, "scripted/gate/T1/hedged.py": ACCEPTANCE, **files}.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text).lstrip("\n"))
    (root / ".gatecore").mkdir()
    (root / ".gatecore" / "pycache").symlink_to(_bytecode())
    git(root / "upstream", "init", "-q", "-b", "main")
    git(root / "upstream", "add", "-A")
    git(root / "upstream", "commit", "-q", "-m", "base")
    return Bench(root)


@cache
def _bytecode() -> Path:
    """One place for the bytecode of the runner, which every bench would compile anew."""
    folder = tempfile.mkdtemp(prefix="gating-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder)


def answering(root: Path) -> dict[str, str]:
    """Files for `make_bench`: a client that gives the `answer`s, and keeps what it was told on stdin."""
    toml = _FILES["bench.toml"].replace('"scripted"', f'"claude"\ncommand = ["/bin/sh", "{root}/client.sh"]')
    return {"bench.toml": textwrap.dedent(toml), "client.sh": _CLIENT}


def answer(bench: Bench, who: str, **value: Any) -> None:
    """Have the client answer `value` to the writer, A or B."""
    result = {"type": "result", "is_error": False, "subtype": "success", "structured_output": value}
    raw_answer(
        bench, who, json.dumps({**result, "total_cost_usd": 0.01, "num_turns": 2, "modelUsage": {who: {}}})
    )


def raw_answer(bench: Bench, who: str, text: str) -> None:
    """Have the client print `text` when the writer, A or B is asked."""
    (bench.root / "answers").mkdir(exist_ok=True)
    (bench.root / "answers" / who).write_text(text)


def until(done: Callable[[], bool], seconds: float = 30.0) -> None:
    """Wait for something to become true."""
    deadline = time.monotonic() + seconds
    while not done():
        assert time.monotonic() < deadline
        time.sleep(0.005)


def git(cwd: Path, *args: str) -> str:
    """Run git as somebody."""
    who = ("-c", "user.name=t", "-c", "user.email=t@example.invalid")
    return subprocess.run(["git", *who, *args], cwd=cwd, check=True, capture_output=True, text=True).stdout


@dataclass
class Gated:
    """A prepared run: change `work`, then `stop()` as often as the agent tries to."""

    prepared: Prepared

    @property
    def work(self) -> Path:
        """The agent's work copy."""
        return self.prepared.work

    @property
    def run(self) -> Path:
        """The run directory."""
        return self.prepared.run

    def append(self, name: str, text: str) -> None:
        """Add text to a file of the work copy."""
        with (self.work / name).open("a") as file:
            file.write(text)

    @property
    def command(self) -> str:
        """The hook's command line."""
        return str(self.prepared.settings["env"][HOOK])

    def events(self, kind: str) -> list[dict[str, Any]]:
        """What has happened of a kind."""
        path = self.run / "events.jsonl"
        lines = [
            json.loads(line) for line in path.read_bytes().splitlines(keepends=True) if line.endswith(b"\n")
        ]
        return [line for line in lines if line["event"] == kind]

    def told(self, who: str) -> str:
        """What the `answering` client was told when A, B or the writer was asked last."""
        return (self.prepared.state / f"told-{who}").read_text()

    def start(self, payload: Any = PAYLOAD, **options: Any) -> "subprocess.Popen[bytes]":
        """Start the hook's process on `payload` (bytes are sent as they are) with these options of Popen."""
        raw = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
        process = subprocess.Popen(
            ["/bin/sh", "-c", f"exec {self.command}"],
            cwd=self.work,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            **options,
        )
        assert process.stdin is not None
        process.stdin.write(raw)
        process.stdin.close()
        process.stdin = None
        return process

    def stop(self, payload: Any = PAYLOAD) -> str | None:
        """Call the hook; return the reason it blocks with, None when it lets the agent go."""
        process = self.start(payload)
        out, err = process.communicate(timeout=60)
        assert process.returncode == 0, err.decode()
        if not out:
            return None
        answer = json.loads(out)
        assert answer["decision"] == "block"
        return str(answer["reason"])

    def records(self) -> list[dict[str, Any]]:
        """The ledger's records."""
        path = self.run / "gate.jsonl"
        return [json.loads(line) for line in path.read_bytes().splitlines()] if path.exists() else []

    def last(self) -> dict[str, Any]:
        """The newest record."""
        return self.records()[-1]


def gated(bench: Bench, cfg: str = "g1", task: str = "T1", rep: int = 1) -> Gated:
    """Prepare a run of a bench."""
    return Gated(prepare(bench, Cell(task, cfg, rep)))


def processes_of(folder: Path) -> list[str]:
    """The processes (on Linux, else none) in whose environment `folder` is named: checks, clients, tests."""
    named, found = str(folder).encode(), []
    for environ in Path("/proc").glob("[0-9]*/environ"):
        with suppress(OSError):
            if named in environ.read_bytes():
                found.append(environ.parent.name)
    return found


NewGate = Callable[..., Gated]
"""`new(cfg, task, tests)` prepares a run; `tests` is what the writer answers."""
_repetition = count(1)


@pytest.fixture(scope="session")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    """A bench with an `answering` client. Task T1 has an oracle, T2 has none; colour is forced where it can be."""
    root = tmp_path_factory.mktemp("bench")
    files = answering(root)
    files["bench.toml"] += 'FORCE_COLOR = "1"\nPY_COLORS = "1"\n'
    files["upstream/pytest.ini"] = files["hidden/pytest.ini"] = "[pytest]\naddopts = --color=yes\n"
    return make_bench(root, **files, **{"tasks/T2.md": "tidy up\n"})


@pytest.fixture
def new(bench: Bench) -> NewGate:
    """Make runs in that bench. Reviewers approve, and the writer's test is right, until told otherwise."""
    for reviewer in "AB":
        answer(bench, reviewer, approve=True, findings=[])

    def make(cfg: str = "g3", task: str = "T2", tests: str = ACCEPTANCE) -> Gated:
        answer(bench, "writer", file=tests)
        return gated(bench, cfg, task, next(_repetition))

    return make
