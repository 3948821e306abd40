"""What the client says: a line of stream-json for each thing that happens, and one result at the end."""

import json
import time
import uuid
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from gatecore.agents.scripted.flags import Flags
from gatecore.agents.scripted.meter import Meter

VERSION = "2.1.332 (scripted)"
_TOOLS = ("Bash", "Edit", "Glob", "Grep", "Read", "Skill", "TodoWrite", "Write")
_TRIES = 5


class LimitError(Exception):
    """The turn limit or the budget was reached while the agent was at work."""

    def __init__(self, subtype: str, terminal_reason: str, message: str) -> None:
        super().__init__(message)
        self.subtype = subtype
        self.terminal_reason = terminal_reason


class Session:
    """One call of the client: counts turns and money, and prints what its output format asks for.

    `turns` are counted as the client does: one for the prompt, one for each tool result and each feedback.
    """

    def __init__(self, flags: Flags, project: Path, model: str, seed: str, context: int) -> None:
        self.project = project
        self.model = model
        self.turns = 1
        self.tool_calls = 0
        self.meter = Meter(seed, context)
        self.id = flags.session_id or str(uuid.uuid5(uuid.NAMESPACE_URL, seed))
        self.prompt_id = str(uuid.uuid5(uuid.NAMESPACE_URL, f"{self.id} prompt"))
        self._flags = flags
        self._ids = 0
        self._begun = time.monotonic()

    def init(self) -> None:
        """The first line."""
        tools = _TOOLS if self._flags.tools is None else self._flags.tools
        self.system(
            "init",
            cwd=str(self.project),
            tools=[*tools, "StructuredOutput"] if self._flags.schema else list(tools),
            mcp_servers=[],
            model=self.model,
            permissionMode=self._flags.permission_mode,
            slash_commands=[],
            apiKeySource="none",
            claude_code_version=VERSION,
            output_style="default",
            agents=["general-purpose"],
            skills=[],
            plugins=[],
        )

    def system(self, subtype: str, **fields: Any) -> None:
        """A line of the client's own."""
        self._line({"type": "system", "subtype": subtype, **fields})

    def say(self, text: str) -> None:
        """The agent's words; a call of the model without a tool."""
        self._assistant({"type": "text", "text": text}, text)

    def use_tool(self, name: str, given: dict[str, Any], result: str, *, is_error: bool = False) -> None:
        """A tool call and its result. Raises LimitError when that was one too many."""
        tool_id = f"toolu_{self._next_id().hex[:24]}"
        content = {"type": "tool_use", "id": tool_id, "name": name, "input": given}
        self._assistant(content, json.dumps(given).replace(str(self.project), ""))
        answer = {"tool_use_id": tool_id, "type": "tool_result", "content": result, "is_error": is_error}
        self._user([answer])
        self.tool_calls += 1
        self._count_turn()

    def look_around(self) -> None:
        """The agent lists the top of the project."""
        names = sorted(path.name for path in self.project.iterdir() if not path.name.startswith("."))
        self.use_tool("Glob", {"pattern": "*"}, "\n".join(names))

    def hear(self, feedback: str) -> None:
        """What a Stop hook sent back. Raises LimitError when that was one turn too many."""
        self._user([{"type": "text", "text": f"Stop hook feedback:\n{feedback}"}], isSynthetic=True)
        self._count_turn()

    def insist(self, answer: dict[str, Any], problems: list[str]) -> int:
        """The agent gives the same invalid answer by schema until the client loses patience.

        Returns the exit code.
        """
        mismatch = f"Output does not match required schema: {', '.join(problems)}"
        for _ in range(_TRIES):
            self.use_tool("StructuredOutput", answer, mismatch, is_error=True)
        return self._fail(
            "error_max_structured_output_retries",
            "structured_output_retry_exhausted",
            f"Failed to provide valid structured output after {_TRIES} attempts"
            f" — last StructuredOutput error: {mismatch}",
        )

    def succeed(
        self, text: str, *, stop_reason: str = "end_turn", terminal_reason: str = "completed", **fields: Any
    ) -> int:
        """End well; returns the exit code."""
        return self._result(
            subtype="success",
            is_error=False,
            api_error_status=None,
            stop_reason=stop_reason,
            terminal_reason=terminal_reason,
            result=text,
            **fields,
        )

    def api_error(self) -> int:
        """End because the API did not answer; returns the exit code."""
        return self._result(
            subtype="success",
            is_error=True,
            api_error_status=529,
            stop_reason=None,
            terminal_reason="api_error",
            result="API Error: 529 overloaded_error",
        )

    def stopped(self, limit: LimitError) -> int:
        """End because a limit was reached; returns the exit code."""
        return self._fail(limit.subtype, limit.terminal_reason, str(limit))

    def turn_limit(self) -> LimitError:
        """The error of the turn limit, wherever it lies."""
        allowed = self._flags.max_turns or self.turns
        return LimitError("error_max_turns", "max_turns", f"Reached maximum number of turns ({allowed})")

    def _count_turn(self) -> None:
        self.turns += 1
        if self._flags.max_turns is not None and self.turns > self._flags.max_turns:
            raise self.turn_limit()
        budget = self._flags.max_budget_usd
        if budget is not None and self.meter.usd > budget:
            raise LimitError("error_max_budget_usd", "max_budget_usd", f"Reached maximum budget (${budget})")

    def _assistant(self, content: dict[str, Any], text: str) -> None:
        message = {
            "id": f"msg_{self._next_id().hex[:24]}",
            "type": "message",
            "role": "assistant",
            "model": self.model,
            "content": [content],
            "stop_reason": None,
            "stop_sequence": None,
            "usage": self.meter.call(text),
        }
        self._line(
            {"type": "assistant", "message": message, "parent_tool_use_id": None, "timestamp": _timestamp()}
        )

    def _user(self, content: list[dict[str, Any]], **fields: Any) -> None:
        message = {"role": "user", "content": content}
        self._line(
            {
                "type": "user",
                "message": message,
                "parent_tool_use_id": None,
                "timestamp": _timestamp(),
                **fields,
            }
        )

    def _fail(self, subtype: str, terminal_reason: str, message: str) -> int:
        return self._result(
            subtype=subtype,
            is_error=True,
            stop_reason="tool_use",
            terminal_reason=terminal_reason,
            errors=[message],
        )

    def _result(self, *, is_error: bool, **fields: Any) -> int:
        milliseconds = round((time.monotonic() - self._begun) * 1000)
        record = {
            "type": "result",
            "is_error": is_error,
            "duration_ms": milliseconds,
            "duration_api_ms": milliseconds,
            "num_turns": self.turns,
            "total_cost_usd": self.meter.usd,
            "usage": self.meter.usage(),
            "modelUsage": self.meter.model_usage(self.model),
            "permission_denials": [],
            "queued_turn_count": 0,
            "result_index": 0,
            **fields,
        }
        if self._flags.output_format == "text":
            print(fields.get("result") or "\n".join(fields.get("errors", [])), flush=True)
        elif self._flags.output_format == "json":
            print(json.dumps(self._signed(record)), flush=True)
        else:
            self._line(record)
        return 1 if is_error else 0

    def _line(self, record: dict[str, Any]) -> None:
        if self._flags.output_format == "stream-json":
            print(json.dumps(self._signed(record)), flush=True)

    def _signed(self, record: dict[str, Any]) -> dict[str, Any]:
        return {**record, "session_id": self.id, "uuid": str(self._next_id())}

    def _next_id(self) -> uuid.UUID:
        """A repeatable id: the n-th of this session."""
        self._ids += 1
        return uuid.uuid5(uuid.NAMESPACE_URL, f"{self.id} {self._ids}")


def _timestamp() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
