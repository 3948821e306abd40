"""The client of a bench: the command that starts it, its environment, and how a worker is run with it.

Both a plan login and an API key work, since nothing here takes either away: HOME (where a login lies) and
`ANTHROPIC_*` are inherited, `CLAUDE_CODE_OAUTH_TOKEN` is let through (and lent to the hook, from which the
client keeps it), and `--bare`, which reads API keys only, is not used. What a key helper or `env` of
somebody's own settings would add is not there: settings are not read, see `project_flags`.
"""

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

from gatecore.agents.claude import agent_env
from gatecore.agents.version import client_version
from gatecore.checks.left import end_all
from gatecore.harness.bench import Bench
from gatecore.harness.errors import UsageError
from gatecore.ledger.writer import write_file

PROJECT_ENV = {"CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD": "1"}
"""Makes the client read the project's instructions in a folder given by `--add-dir`."""

_GRACE_S = 3.0
_POLL_S = 0.02
_INSTRUCTIONS_LIMIT = 100_000  # characters; one argument of a command holds 128 KiB on Linux


def client_command(bench: Bench) -> tuple[str, ...]:
    """How the bench's client is started."""
    client = bench.settings.client
    if client.kind == "scripted":
        return (sys.executable, "-X", "utf8", "-P", "-m", "gatecore.agents.scripted")
    return client.command


def require_client(bench: Bench) -> str | None:
    """Raise UsageError when the bench's client is not there or too old; return what else is wrong with it."""
    if bench.settings.client.kind == "scripted":
        return None
    command = client_command(bench)
    try:
        version = client_version(command, agent_env(os.environ, {}))
    except OSError as err:
        raise _not_started(command[0], err) from None
    if version.supported is False:
        raise UsageError(f"{command[0]}: {version.problem}")
    return version.problem and f"{command[0]}: {version.problem}"


def _not_started(command: str, err: OSError) -> UsageError:
    return UsageError(f"{command}: the client could not be started: {err.strerror}")


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


def worker_flags(bench: Bench, work: Path) -> list[str]:
    """The flags of every session that works on a task, by hand too, without those of print mode."""
    client = bench.settings.client
    return [
        *("--model", client.worker_model),
        *("--permission-mode", "acceptEdits"),
        *("--allowedTools", ",".join(client.allowed_tools)),
        "--strict-mcp-config",
        *("--setting-sources", ""),
        *project_flags(work),
    ]


def project_flags(work: Path) -> list[str]:
    """Give back what ``--setting-sources ""`` takes from the worker beside the settings.

    Without it the agent could switch the hook off by editing the project's settings, which are read again
    while it works. Found out on Claude Code 2.1.332 by looking at what it sends:

    - back as usual (with `PROJECT_ENV`): CLAUDE.md and .claude/CLAUDE.md with their imports, .claude/rules;
    - back under other names: skills, commands and agents of .claude, as those of a plugin (`.claude:name`);
    - back in the system prompt: AGENTS.md where there is no CLAUDE.md, which is when the client reads it;
    - not back, as it is not the project's: instructions, skills and settings of whoever runs the bench;
    - not back: settings, hooks, permissions and MCP servers of the project, CLAUDE.local.md (no part of a
      clone), and the CLAUDE.md of a subfolder, which the client otherwise adds when it reads a file there.
    """
    flags = ["--add-dir", str(work)]
    own = work / ".claude"
    if any((own / name).is_dir() for name in ("skills", "commands", "agents")):
        flags += ["--plugin-dir", str(own)]
    agents = work / "AGENTS.md"
    if agents.is_file() and not any((folder / "CLAUDE.md").is_file() for folder in (work, own)):
        text = agents.read_text(encoding="utf-8", errors="replace")[:_INSTRUCTIONS_LIMIT]
        flags += ["--append-system-prompt", f"The project's instructions (AGENTS.md):\n\n{text}"]
    return flags


@dataclass(frozen=True)
class WorkerEnd:
    """How the worker's process ended. `exit` is as a shell has it: 128 + the signal's number when killed."""

    exit: int
    seconds: float
    timed_out: bool


def run_worker(
    bench: Bench,
    run: Path,
    work: Path,
    prompt: str,
    settings: Mapping[str, object],
    env: Mapping[str, str],
    lock: int,
) -> WorkerEnd:
    """Run the worker to its end; its stream goes to `stream.jsonl`, its stderr to `stderr.txt`.

    The worker holds `lock` too, so that the run stays locked should only we be killed. Raises UsageError when
    the client cannot be started. Whatever it leaves running is killed, and what a hook of it left that was
    killed itself.
    """
    limits = bench.settings.limits
    argv = [
        *client_command(bench),
        "-p",
        *("--output-format", "stream-json"),
        "--verbose",
        "--include-hook-events",
        *("--max-turns", str(limits.worker_turns)),
        *worker_flags(bench, work),
        *("--settings", json.dumps(settings)),
    ]
    write_file(str(run / "prompt.txt"), prompt)
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
                env=agent_env(os.environ, {**PROJECT_ENV, **env}),
                stdin=stdin,
                stdout=stdout,
                stderr=stderr,
                start_new_session=True,
                pass_fds=(lock,),
            )
        except OSError as err:
            raise _not_started(argv[0], err) from None
        timed_out = False
        try:
            process.wait(limits.worker_s)
        except subprocess.TimeoutExpired:
            timed_out = True
        finally:
            _end_group(process)
            end_all(str(bench.state(run.name)))
        code = process.wait()
    return WorkerEnd(128 - code if code < 0 else code, time.monotonic() - begun, timed_out)


def _end_group(process: "subprocess.Popen[bytes]") -> None:
    """End what is left of the worker's group, with time for a hook in it to end its checks.

    Checks have groups of their own and would go on without their hook.
    """
    with suppress(ProcessLookupError, PermissionError):  # macOS denies to signal what is only to be reaped
        os.killpg(process.pid, signal.SIGTERM)
        deadline = time.monotonic() + _GRACE_S
        try:
            while time.monotonic() < deadline:
                process.poll()
                os.killpg(process.pid, 0)
                time.sleep(_POLL_S)
        finally:
            os.killpg(process.pid, signal.SIGKILL)
