"""The client of a bench: the command that starts it, its environment, and how a worker is run with it."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gatecore.agents.claude import agent_env
from gatecore.harness.bench import Bench
from gatecore.harness.errors import UsageError

_GRACE_S = 3.0


def client_command(bench: Bench) -> tuple[str, ...]:
    """How the bench's client is started."""
    client = bench.settings.client
    if client.kind == "scripted":
        return (sys.executable, "-P", "-m", "gatecore.agents.scripted")
    return client.command


def client_env(bench: Bench, run: Path, task: str) -> dict[str, str]:
    """What the client needs in its environment beside what is inherited."""
    if bench.settings.client.kind != "scripted":
        return {}
    script = bench.root / "scripted"
    if not (script / "scenarios.json").is_file():
        raise UsageError(
            f"{script / 'scenarios.json'}: missing; the scripted client plays it (bench.toml: client.kind)"
        )
    return {
        "GATECORE_SCRIPTED": str(script),
        "GATECORE_SCRIPTED_RUN": run.name,
        "GATECORE_SCRIPTED_TASK": task,
        "GATECORE_SCRIPTED_LEDGER": str(run / "gate.jsonl"),
    }


@dataclass(frozen=True)
class WorkerEnd:
    """How the worker's process ended. `exit` is as a shell has it: 128 + the signal's number when killed."""

    exit: int
    seconds: float
    timed_out: bool


def run_worker(
    bench: Bench, run: Path, work: Path, prompt: str, settings: Mapping[str, Any], env: Mapping[str, str]
) -> WorkerEnd:
    """Run the worker to its end; its stream goes to `stream.jsonl`, its stderr to `stderr.txt`.

    Raises UsageError when the client cannot be started. Whatever it leaves running is killed.
    """
    client, limits = bench.settings.client, bench.settings.limits
    argv = [
        *client_command(bench),
        "-p",
        *("--model", client.worker_model),
        *("--output-format", "stream-json"),
        "--verbose",
        "--include-hook-events",
        *("--max-turns", str(limits.worker_turns)),
        *("--permission-mode", "acceptEdits"),
        *("--allowedTools", ",".join(client.allowed_tools)),
        "--strict-mcp-config",
        *("--setting-sources", ""),
        *("--settings", json.dumps(settings)),
    ]
    (run / "prompt.txt").write_text(prompt, encoding="utf-8")
    begun = time.monotonic()
    with (
        (run / "prompt.txt").open("rb") as stdin,
        (run / "stream.jsonl").open("wb") as stdout,
        (run / "stderr.txt").open("wb") as stderr,
    ):
        try:
            process = subprocess.Popen(
                argv,
                cwd=work,
                env=agent_env(os.environ, env),
                stdin=stdin,
                stdout=stdout,
                stderr=stderr,
                start_new_session=True,
            )
        except OSError as err:
            raise UsageError(f"{argv[0]}: the client could not be started: {err.strerror}") from None
        timed_out = False
        try:
            code = process.wait(limits.worker_s)
        except subprocess.TimeoutExpired:
            timed_out = True
        finally:
            _end_group(process)
        code = process.wait()
    return WorkerEnd(128 - code if code < 0 else code, time.monotonic() - begun, timed_out)


def _end_group(process: "subprocess.Popen[bytes]") -> None:
    """End what is left of the worker: with time for a hook to end its checks, which have groups of their own."""
    with suppress(ProcessLookupError, subprocess.TimeoutExpired):
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGTERM)
            process.wait(_GRACE_S)
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
