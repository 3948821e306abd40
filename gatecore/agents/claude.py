"""Calls to the coding agent's client: how it is started for each role, and how its answer is read.

The flags are those of the Claude Code CLI; the scripted client takes the same. Writer and reviewers run
without settings, hooks, MCP servers, project instructions and memory: with them a reviewer would run the gate
again, inside the gate.
"""

import json
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any, NamedTuple

from gatecore.checks.process import run_process
from gatecore.text import line

READ_ONLY = "Read,Grep,Glob"
TOKEN = "CLAUDE_CODE_OAUTH_TOKEN"
"""A login that the client takes away from the commands it starts, its hooks among them."""
_CREDENTIALS = (
    TOKEN,
    "CLAUDE_CONFIG_DIR",
    "CLAUDE_CODE_USE_BEDROCK",
    "CLAUDE_CODE_USE_VERTEX",
    "CLAUDE_CODE_USE_FOUNDRY",
    "CLAUDE_CODE_SKIP_BEDROCK_AUTH",
    "CLAUDE_CODE_SKIP_VERTEX_AUTH",
    "CLAUDE_CODE_SKIP_FOUNDRY_AUTH",
    "CLAUDE_CODE_CLIENT_CERT",
    "CLAUDE_CODE_CLIENT_KEY",
    "CLAUDE_CODE_CLIENT_KEY_PASSPHRASE",
)
_WORDS = 200
_LENT = "oauth-token"
_SESSION_PREFIXES = ("CLAUDE", "AI_AGENT", "MCP_", "GATECORE_", "PYTEST_")
_ISOLATION = {
    "CLAUDE_CODE_DISABLE_CLAUDE_MDS": "1",
    "CLAUDE_CODE_DISABLE_AUTO_MEMORY": "1",
    "DISABLE_AUTOUPDATER": "1",
}


class Answer(NamedTuple):
    """A structured answer. `value` is None when there is none, and `error` says why. Unknown cost is None.

    `started` is False when there was no client to answer.
    """

    value: dict[str, Any] | None
    error: str | None
    cost_usd: float | None
    turns: int | None
    models: tuple[str, ...]
    subtype: str | None
    wall_s: float
    started: bool = True


def agent_env(inherited: Mapping[str, str], extra: Mapping[str, str]) -> dict[str, str]:
    """The environment of an agent: what is inherited without the variables of an outer session, and `extra`."""
    kept = {
        name: value
        for name, value in inherited.items()
        if name in _CREDENTIALS or not name.startswith(_SESSION_PREFIXES)
    }
    return {**kept, **extra}


@contextmanager
def lent_token(state: str, inherited: Mapping[str, str]) -> Iterator[None]:
    """Keep the token where the hook finds it for its reviewers, and nobody else reads it, for so long."""
    path = os.path.join(state, _LENT)
    if TOKEN in inherited:
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600), "w") as file:
            file.write(inherited[TOKEN])
    try:
        yield
    finally:
        with suppress(FileNotFoundError):
            os.unlink(path)


def borrowed_token(state: str) -> dict[str, str]:
    """The variable with the token that was lent; nothing when none was."""
    try:
        with open(os.path.join(state, _LENT)) as file:
            return {TOKEN: file.read()}
    except OSError:
        return {}


def ask(
    command: Sequence[str],
    *,
    prompt: str,
    schema: Mapping[str, Any],
    model: str,
    max_turns: int,
    seconds: float,
    cwd: str,
    env: Mapping[str, str],
    scratch: str,
    folders: Sequence[str] = (),
) -> Answer:
    """Ask once for an answer by `schema`. `scratch` is the stem of the files that the call leaves behind.

    What it may read lies in `cwd` and in `folders`.

    Never raises for what the client does: a client that is missing, dies, hangs or answers in prose gives an
    Answer with `error`.
    """
    argv = [
        *command,
        "-p",
        *("--model", model),
        *("--output-format", "json"),
        *("--max-turns", str(max_turns)),
        *("--permission-mode", "dontAsk"),
        *("--tools", READ_ONLY),
        *("--setting-sources", ""),
        *("--settings", json.dumps({"disableAllHooks": True})),
        *(flag for folder in folders for flag in ("--add-dir", folder)),
        "--strict-mcp-config",
        *("--json-schema", json.dumps(schema)),
    ]
    begun = time.monotonic()
    try:
        with open(scratch + ".prompt", "wb") as file:
            file.write(prompt.encode("utf-8", "replace"))
        ended = run_process(
            argv,
            cwd=cwd,
            env={**agent_env(os.environ, _ISOLATION), **env},
            seconds=seconds,
            stdin=scratch + ".prompt",
            output=scratch + ".json",
            errors=scratch + ".err",
        )
    except (OSError, ValueError) as err:
        error = f"the client could not be started: {err}"
        return Answer(None, error, None, None, (), None, 0.0, started=False)
    wall = round(time.monotonic() - begun, 1)
    if ended.timed_out:
        return Answer(None, f"timed out after {seconds:.0f} s", None, None, (), None, wall)
    return _answer(_result(scratch + ".json"), ended.exit, wall)


def _result(path: str) -> dict[str, Any] | None:
    """The result object that the client printed: the whole output, or its last line that is one."""
    with open(path, "rb") as file:
        text = file.read().decode("utf-8", "replace")
    for candidate in (text, *reversed(text.splitlines())):
        try:
            value = json.loads(candidate)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict) and value.get("type", "result") == "result":
            return value
    return None


def failure(result: Mapping[str, Any]) -> str:
    """Why a result line is an error: its kind, and the client's words where it gives any."""
    kind = str(result.get("terminal_reason") or result.get("subtype") or "error")
    told = result.get("result")
    words = line(told)[:_WORDS] if isinstance(told, str) else ""
    return f"{kind}: {words}" if words else kind


def _answer(result: dict[str, Any] | None, exit_code: int | None, wall: float) -> Answer:
    if result is None:
        return Answer(None, f"no JSON result (exit code {exit_code})", None, None, (), None, wall)
    subtype = result.get("subtype") if isinstance(result.get("subtype"), str) else None
    value = result.get("structured_output")
    error = None
    if result.get("is_error"):
        error = failure(result)
    elif not isinstance(value, dict):
        error = "answered without the structured output it was asked for"
    cost, turns, usage = result.get("total_cost_usd"), result.get("num_turns"), result.get("modelUsage")
    return Answer(
        value if error is None else None,
        error,
        float(cost) if isinstance(cost, int | float) and not isinstance(cost, bool) else None,
        turns if isinstance(turns, int) else None,
        tuple(sorted(usage)) if isinstance(usage, dict) else (),
        subtype,
        wall,
    )
