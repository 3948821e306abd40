"""What a worker's stream-json tells after the fact: its result, its models, and what it looked for."""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gatecore.agents.claude import failure

USAGE_LIMIT = "usage limit"

_LINE_LIMIT = 32 * 1024 * 1024
_TOO_MANY = 429
_LIMIT = re.compile(r"\bhit your\b.*\blimit\b|\busage limit\b|\bcredit balance is too low\b", re.IGNORECASE)
_FEEDBACK = "Stop hook feedback"


@dataclass(frozen=True)
class Stream:
    """The facts of one stream. `result` is the last result line, None when there is none."""

    result: dict[str, Any] | None = None
    version: str | None = None
    hook_events: tuple[str, ...] = ()
    hunted: int = 0
    feedbacks: int = 0
    went_on: int = 0

    @property
    def models(self) -> tuple[str, ...]:
        """The models that the result line bills."""
        usage = (self.result or {}).get("modelUsage")
        return tuple(sorted(usage)) if isinstance(usage, dict) else ()

    @property
    def outage(self) -> str | None:
        """Why an outage ended the session, beginning with `USAGE_LIMIT` when that was it; None when none did.

        A cap on turns or dollars that the harness set is none.
        """
        line = self.result
        if line is None or not line.get("is_error") or str(line.get("subtype")).startswith("error_max"):
            return None
        why = failure(line)
        if line.get("api_error_status") != _TOO_MANY and not _LIMIT.search(why):
            return why
        _, colon, words = why.partition(": ")
        return USAGE_LIMIT + colon + words


def read_stream(path: Path, wanted: Sequence[str], own: Sequence[str] = ()) -> Stream:
    """Read `stream.jsonl`; broken lines are passed over, a missing file is an empty stream.

    `hunted` counts the tool calls whose input names one of `wanted` (folders and files of the harness) other
    than as part of `own` (folders in it that are the agent's as well), `feedbacks` what a Stop hook sent back,
    and `went_on` how often the agent said something after that.
    """
    result, version, hunted = None, None, 0
    feedbacks = went_on = 0
    told = False
    events: dict[str, None] = {}
    for message in _messages(path):
        kind, subtype = message.get("type"), message.get("subtype")
        if kind == "result":
            result = message
        elif kind == "system" and subtype == "init" and isinstance(message.get("claude_code_version"), str):
            version = message["claude_code_version"]
        elif kind == "system" and subtype == "hook_response":
            events[f"{message.get('hook_event')}:{message.get('hook_name')}"] = None
        elif kind == "user" and _is_feedback(message):
            feedbacks += 1
            told = True
        elif kind == "assistant":
            hunted += sum(1 for call in _tool_inputs(message, own) if any(name in call for name in wanted))
            went_on += told
            told = False
    return Stream(result, version, tuple(sorted(events)), hunted, feedbacks, went_on)


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


def _parts(message: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The parts of a message's content; a plain text is one part."""
    inner = message.get("message")
    content = inner.get("content") if isinstance(inner, dict) else None
    if isinstance(content, str):
        yield {"type": "text", "text": content}
    for part in content if isinstance(content, list) else ():
        if isinstance(part, dict):
            yield part


def _tool_inputs(message: dict[str, Any], own: Sequence[str]) -> Iterator[str]:
    """The inputs of the tool calls as text, without the names of `own`."""
    for part in _parts(message):
        if part.get("type") == "tool_use":
            text = json.dumps(part.get("input"), ensure_ascii=False)
            for name in own:
                text = text.replace(name, "")
            yield text


def _is_feedback(message: dict[str, Any]) -> bool:
    return any(str(part.get("text")).startswith(_FEEDBACK) for part in _parts(message))
