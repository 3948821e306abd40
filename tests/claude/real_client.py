"""The real Claude Code behind a fake API: where it is, how it is started, and runs of a bench with it."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from fake_api import FakeApi, Request
from gating import make_bench

from gatecore.harness.bench import Bench
from gatecore.ledger.reader import read_run
from gatecore.ledger.run import Run

WORKER, WRITER, REVIEWER = "claude-sonnet-5-5", "claude-opus-4-8", "claude-haiku-4-5"
OLDEST = Path(__file__).parents[2] / "build" / "claude-oldest"
"""Where `.ci/run` puts the package with the oldest version that is supported."""


def reads_only(request: Request) -> bool:
    """Whether the model is offered to read and to answer by a schema, and nothing else that acts."""
    offered = {tool["name"] for tool in request.body["tools"]} - {"DeferredToolPlaceholder"}
    return offered == {"Read", "Grep", "Glob", "StructuredOutput"}


def bundled(folder: Path | None) -> Path | None:
    """The client that lies in an installed `claude_agent_sdk`, or in the one in `folder`."""
    if folder is None:
        spec = find_spec("claude_agent_sdk")
        place = Path(spec.origin).parent if spec and spec.origin else None
    else:
        place = folder / "claude_agent_sdk"
    path = place / "_bundled" / "claude" if place else None
    return path if path and path.is_file() else None


@dataclass(frozen=True)
class Ran:
    """What a run left behind, and what the API was asked for it."""

    done: "subprocess.CompletedProcess[str]"
    folder: Path
    wire: list[Request]

    @property
    def run(self) -> Run:
        """The run as gatecore reads it."""
        return read_run(self.folder)

    @property
    def score(self) -> dict[str, Any]:
        return _json(self.folder / "score.json")

    @property
    def records(self) -> list[dict[str, Any]]:
        """The records of the ledger that are the gate's."""
        return [json.loads(line) for line in (self.folder / "gate.jsonl").read_bytes().splitlines()]

    @property
    def decisions(self) -> list[str | None]:
        return [entry.stop.decision for entry in self.run.entries]

    def stream(self, subtype: str) -> list[dict[str, Any]]:
        """The client's own lines of a subtype."""
        lines = map(json.loads, (self.folder / "stream.jsonl").read_bytes().splitlines())
        return [line for line in lines if line.get("subtype") == subtype]

    def asked(self, role: str) -> list[Request]:
        """What one role was sent, request by request."""
        return [request for request in self.wire if request.role == role]


@dataclass(frozen=True)
class RealClient:
    """The client `binary`, its API, and what a command of it begins with."""

    binary: Path
    api: FakeApi
    prefix: tuple[str, ...]

    def bench(
        self, folder: Path, toml: str = "", files: Mapping[str, str] | None = None, **env: str
    ) -> Bench:
        """A bench in `folder` whose client this is; `toml` goes into its `bench.toml`, `env` is the client's."""
        home = folder / "home"
        home.mkdir()
        command = self.command(home, **env)
        client = f"command = {json.dumps(command)}\n" + "".join(
            f'{role}_model = "{model}"\n'
            for role, model in (("worker", WORKER), ("writer", WRITER), ("reviewer", REVIEWER))
        )
        checks = '[checks.env]\nPYTEST_DISABLE_PLUGIN_AUTOLOAD = "1"\n'
        return make_bench(
            folder / "bench", **{"bench.toml": f"[client]\n{client}\n{checks}\n{toml}", **(files or {})}
        )

    def command(self, home: Path, **env: str) -> list[str]:
        """What starts the client, all that it keeps lying in `home`."""
        own = {
            **dict.fromkeys(("TMPDIR", "CLAUDE_CODE_TMPDIR", "XDG_RUNTIME_DIR"), str(home)),
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "CLAUDE_CODE_MAX_RETRIES": "0",
            "DISABLE_TELEMETRY": "1",
            "DISABLE_AUTOUPDATER": "1",
            **env,
        }
        return [*self.prefix, "env", *(f"{name}={value}" for name, value in own.items()), str(self.binary)]

    def environ(self, home: Path, **more: str) -> dict[str, str]:
        """An environment from nothing, with a dummy login to the API."""
        login = {} if "CLAUDE_CODE_OAUTH_TOKEN" in more else {"ANTHROPIC_API_KEY": "sk-dummy"}
        return {
            "PATH": os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"])),
            "HOME": str(home),
            "ANTHROPIC_BASE_URL": self.api.url,
            **login,
            **more,
        }

    def call(self, bench: Bench, *args: str, **env: str) -> "subprocess.CompletedProcess[str]":
        """Call gatecore."""
        return subprocess.run(
            [sys.executable, "-m", "gatecore", *args],
            cwd=bench.root,
            env=self.environ(bench.root.parent / "home", **env),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=90,
        )

    def run(self, bench: Bench, cfg: str = "g1", *args: str, **env: str) -> Ran:
        """Run T1 under a config, by the script that plays."""
        done = self.call(bench, "run", cfg, "T1", *args, **env)
        assert done.returncode in (0, 1), done.stderr
        return Ran(done, bench.runs / done.stdout.partition(":")[0], list(self.api.wire))


def _json(path: Path) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(path.read_bytes())
    return value
