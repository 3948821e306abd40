"""What a worker's stream-json tells after the fact: its result, its models, and what it looked for."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_LINE_LIMIT = 32 * 1024 * 1024


@dataclass(frozen=True)
class Stream:
    """The facts of one stream. `result` is the last result line, None when there is none."""

    result: dict[str, Any] | None = None
    version: str | None = None
    hook_events: tuple[str, ...] = ()
    hunted: int = 0

    @property
    def models(self) -> tuple[str, ...]:
        """The models that the result line bills."""
        usage = (self.result or {}).get("modelUsage")
        return tuple(sorted(usage)) if isinstance(usage, dict) else ()


def read_stream(path: Path, wanted: Sequence[str]) -> Stream:
    """Read `stream.jsonl`; broken lines are passed over, a missing file is an empty stream.

    `hunted` counts the tool calls whose input names one of `wanted` (folders and files of the harness).
    """
    result, version, hunted = None, None, 0
    events: dict[str, None] = {}
    for message in _messages(path):
        kind, subtype = message.get("type"), message.get("subtype")
        if kind == "result":
            result = message
        elif kind == "system" and subtype == "init" and isinstance(message.get("claude_code_version"), str):
            version = message["claude_code_version"]
        elif kind == "system" and subtype == "hook_response":
            events[f"{message.get('hook_event')}:{message.get('hook_name')}"] = None
        elif kind == "assistant":
            hunted += sum(1 for call in _tool_inputs(message) if any(name in call for name in wanted))
    return Stream(result, version, tuple(sorted(events)), hunted)


def _messages(path: Path) -> Iterator[dict[str, Any]]:
    try:
        file = path.open("rb")
    except FileNotFoundError:
        return
    with file:
        while raw := file.readline(_LINE_LIMIT):
            try:
                message = json.loads(raw)
            except (ValueError, RecursionError):
                continue
            if isinstance(message, dict):
                yield message


def _tool_inputs(message: dict[str, Any]) -> Iterator[str]:
    inner = message.get("message")
    content = inner.get("content") if isinstance(inner, dict) else None
    for part in content if isinstance(content, list) else ():
        if isinstance(part, dict) and part.get("type") == "tool_use":
            yield json.dumps(part.get("input"), ensure_ascii=False)
