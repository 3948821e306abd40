"""A bench in a temporary folder, and the scripted client started on it as a process of its own."""

import functools
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

STREAM = ("--output-format", "stream-json", "--verbose", "--include-hook-events")
INDEP = {
    "type": "object",
    "properties": {"approve": {"type": "boolean"}, "findings": {"type": "array"}},
    "required": ["approve", "findings"],
    "additionalProperties": False,
}
CHALLENGER = {
    "type": "object",
    "properties": {
        "verdicts": {"type": "array"},
        "added_findings": {"type": "array"},
        "approve": {"type": "boolean"},
    },
    "required": ["verdicts", "added_findings", "approve"],
}
WRITER = {"type": "object", "properties": {"file": {"type": "string"}}, "required": ["file"]}


class Played(NamedTuple):
    """What the client left behind."""

    code: int
    lines: list[dict[str, Any]]
    stderr: str

    @property
    def result(self) -> dict[str, Any]:
        assert self.lines[-1]["type"] == "result", self
        return self.lines[-1]

    def of(self, kind: str) -> list[dict[str, Any]]:
        """Lines of a type or, for the client's own, of a subtype."""
        return [line for line in self.lines if kind in (line["type"], line.get("subtype"))]

    def feedback(self) -> list[str]:
        """What the hooks sent back, in order."""
        return [
            line["message"]["content"][0]["text"]
            for line in self.of("user")
            if line.get("isSynthetic") is True
        ]

    def tools(self) -> list[tuple[str, dict[str, Any]]]:
        """Tool calls in order: name and input."""
        calls = [line["message"]["content"][0] for line in self.of("assistant")]
        return [(call["name"], call["input"]) for call in calls if call["type"] == "tool_use"]


class Bench:
    """`scripted/` with the scenarios and attempts of a test, and a project for the worker."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.scripted = folder / "scripted"
        self.project = folder / "project"
        self.project.mkdir()
        self.reset()
        self.attempt("half", "calc.py", "def add(a, b):\n    return a - b\n\n\nX = 1\n")
        self.attempt("whole", "calc.py", "def add(a, b):\n    return a + b\n\n\nX = 1\n")
        (self.scripted / "gate/T1").mkdir(parents=True)
        (self.scripted / "gate/T1/firm.py").write_text("def test_add():\n    assert 1 + 1 == 2\n")

    def reset(self) -> None:
        """The project as it is before any attempt."""
        (self.project / "calc.py").write_text("def add(a, b):\n    return a\n\n\nX = 1\n")

    def attempt(self, name: str, path: str, content: str) -> None:
        """Add an attempt that leaves one file with this content."""
        file = self.project / path
        patch = self.scripted / "attempts/T1" / f"{name}.patch"
        patch.parent.mkdir(parents=True, exist_ok=True)
        patch.write_bytes(make_patch(path, file.read_text() if file.exists() else None, content))

    def play(
        self,
        scenario: dict[str, Any] | None,
        *flags: str,
        hooks: Iterable[str | tuple[str, float]] = (),
        schema: dict[str, Any] | None = None,
        **environ: str,
    ) -> Played:
        """Run the client to its end. `hooks` are commands, with a timeout or not, given by flag."""
        (self.scripted / "scenarios.json").write_text(
            json.dumps({} if scenario is None else {"r1": scenario})
        )
        done = subprocess.run(
            [*COMMAND, *self.flags(hooks, schema), *flags],
            input=b"Do it.",
            cwd=self.project,
            env=self.environ() | environ,
            capture_output=True,
            check=False,
            timeout=30,
        )
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        return Played(done.returncode, lines, done.stderr.decode())

    def flags(self, hooks: Iterable[str | tuple[str, float]], schema: dict[str, Any] | None) -> list[str]:
        settings = json.dumps({"hooks": {"Stop": [{"hooks": [_hook(hook) for hook in hooks]}]}})
        asked = ["--json-schema", json.dumps(schema)] if schema else []
        return ["-p", *STREAM, "--setting-sources", "", "--settings", settings, *asked]

    def environ(self) -> dict[str, str]:
        return {
            "PATH": os.environ["PATH"],
            "HOME": str(self.folder),
            "GATECORE_SCRIPTED": str(self.scripted),
            "GATECORE_SCRIPTED_RUN": "r1",
            "GATECORE_SCRIPTED_TASK": "T1",
        }


COMMAND = (sys.executable, "-P", "-m", "gatecore.agents.scripted")


def git(folder: Path, *args: str) -> bytes:
    """Real git, without anybody's configuration."""
    environ = {"PATH": os.environ["PATH"], "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    return subprocess.run(["git", *args], cwd=folder, env=environ, capture_output=True, check=True).stdout


@functools.cache
def make_patch(path: str, before: str | None, after: str) -> bytes:
    """The patch that real git makes of one changed or new file."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / path
        git(Path(folder), "init", "-q")
        if before is not None:
            file.write_text(before)
            git(Path(folder), "add", "-A")
        file.write_text(after)
        git(Path(folder), "add", "-A", "-N")
        return git(Path(folder), "diff", "--binary")


def block_times(folder: Path, times: int, say: str) -> str:
    """A hook command that runs `say` at its first `times` calls and is silent afterwards."""
    count = folder / "calls"
    return f"echo . >> '{count}'; if [ $(wc -l < '{count}') -le {times} ]; then {say}; fi"


def _hook(hook: str | tuple[str, float]) -> dict[str, Any]:
    if isinstance(hook, str):
        return {"type": "command", "command": hook}
    return {"type": "command", "command": hook[0], "timeout": hook[1]}
