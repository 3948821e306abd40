"""What the client hands a Stop hook on stdin, and the one form of answer that surely blocks.

Measured on Claude Code: exit code 2 is ignored when stderr happens to hold "no such file", and any word
before the JSON on stdout makes it no block. So a block is exactly one JSON object on stdout, exit code 0.
"""

import json
from typing import Any, NamedTuple

MAX_INPUT = 4 * 1024 * 1024


class Payload(NamedTuple):
    """The hook's input. `raw` is what was read; `data` is empty when that was no JSON object."""

    raw: str
    data: dict[str, Any]
    problem: str = ""  # why `raw` is not a Stop payload

    def text(self, key: str) -> str | None:
        """The value of `key` when it is a text."""
        value = self.data.get(key)
        return value if isinstance(value, str) else None

    @property
    def keys(self) -> list[str]:
        """The keys of the payload, sorted; ``["_unparsed"]`` when it was no JSON object."""
        return ["_unparsed"] if self.problem else sorted(self.data)

    @property
    def stop_hook_active(self) -> bool | None:
        """Whether an earlier block of this turn sent the agent on; None when the client did not say."""
        value = self.data.get("stop_hook_active")
        return value if isinstance(value, bool) else None

    @property
    def request(self) -> str:
        """The id of the request (the user's prompt) that this stop belongs to."""
        return self.text("prompt_id") or self.text("session_id") or ""


def parse(raw: bytes) -> Payload:
    """Read a payload; never raises."""
    text = raw[:MAX_INPUT].decode("utf-8", "replace")
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as err:
        return Payload(text, {}, f"the hook's input is no JSON ({err})")
    if not isinstance(data, dict):
        return Payload(text, {}, f"the hook's input is a JSON {type(data).__name__}, not an object")
    return Payload(text, data)


def block(reason: str) -> str:
    """The answer that sends the agent back with `reason`."""
    return json.dumps({"decision": "block", "reason": reason})
