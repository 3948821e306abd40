"""A small repository behind the gate, for tests that call the hook as the client does."""

import json
import subprocess
import textwrap
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gatecore.harness.bench import Bench
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


def make_bench(root: Path, **files: str) -> Bench:
    """A bench for a package of one function; `files` adds or replaces files by path."""
    for name, text in {**_FILES, "scripted/gate/T1/hedged.py": ACCEPTANCE, **files}.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text).lstrip("\n"))
    git(root / "upstream", "init", "-q", "-b", "main")
    git(root / "upstream", "add", "-A")
    git(root / "upstream", "commit", "-q", "-m", "base")
    return Bench(root)


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
        hook = self.prepared.settings["hooks"]["Stop"][0]["hooks"][0]
        return str(hook["command"])

    def start(self, payload: Any = PAYLOAD) -> "subprocess.Popen[bytes]":
        """Start the hook's process on `payload` (bytes are sent as they are)."""
        raw = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
        process = subprocess.Popen(
            ["/bin/sh", "-c", f"exec {self.command}"],
            cwd=self.work,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
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


def gated(bench: Bench, cfg: str = "g1") -> Gated:
    """Prepare run T1-<cfg>-r1 of a bench."""
    return Gated(prepare(bench, Cell("T1", cfg)))
