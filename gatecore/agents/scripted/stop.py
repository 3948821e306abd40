"""One try of the agent to end its turn: its Stop hooks are run, shown in the stream, and ruled on."""

import json
import os
import uuid
from pathlib import Path
from typing import Any

from gatecore.agents.claude import TOKEN
from gatecore.agents.scripted import hooks
from gatecore.agents.scripted.flags import Flags
from gatecore.agents.scripted.settings import StopSettings, from_flag, stop_settings
from gatecore.agents.scripted.stream import Session

_CAP = 8


class Stops:
    """The stops of one session; settings given by flag are read once, those of the project at every stop.

    Raises FlagError when the settings given by flag cannot be read.
    """

    def __init__(self, session: Session, flags: Flags) -> None:
        self._session = session
        self._flags = flags
        self._given = from_flag(flags.settings)
        self._count = 0

    def call(self, message: str, stdin: str | None = None, kill: hooks.Kill | None = None) -> hooks.Ruling:
        """Run the hooks on the agent's last `message`. `stdin` is sent in place of the client's input."""
        self._count += 1
        settings = self._settings()
        ids = [str(uuid.uuid4()) for _ in settings.hooks]
        for hook_id in ids:
            self._show("hook_started", hook_id)
        outcomes = hooks.run(
            settings.hooks,
            json.dumps(self._input(message)) if stdin is None else stdin,
            self._session.project,
            {**self._inherited(), **settings.environ, **self._own_environ()},
            kill,
        )
        for hook_id, outcome in zip(ids, outcomes, strict=True):
            self._show(
                "hook_response",
                hook_id,
                output=outcome.stderr + outcome.stdout,
                stdout=outcome.stdout,
                stderr=outcome.stderr,
                exit_code=outcome.exit_code,
                outcome=outcome.label,
            )
        return hooks.combine([hooks.rule(outcome) for outcome in outcomes])

    def cap(self) -> int | None:
        """How many blocks in a row are honoured at this moment; None for any number."""
        value = {**os.environ, **self._settings().environ}.get("CLAUDE_CODE_STOP_HOOK_BLOCK_CAP", "")
        cap = int(value) if value.isascii() and value.isdigit() else _CAP
        return cap or None

    def _settings(self) -> StopSettings:
        return stop_settings(self._given, self._flags.sources, self._session.project)

    def _show(self, subtype: str, hook_id: str, **fields: Any) -> None:
        if self._flags.hook_events:
            self._session.system(subtype, hook_id=hook_id, hook_name="Stop", hook_event="Stop", **fields)

    def _input(self, message: str) -> dict[str, Any]:
        session, project = self._session.id, str(self._session.project)
        folder = "".join(letter if letter.isalnum() else "-" for letter in project)
        given = {
            "session_id": session,
            "transcript_path": str(Path.home() / ".claude/projects" / folder / f"{session}.jsonl"),
            "cwd": project,
            "prompt_id": self._session.prompt_id,
            "permission_mode": self._flags.permission_mode,
            "effort": {"level": "high"},
            "hook_event_name": "Stop",
            "stop_hook_active": self._count > 1,
            "last_assistant_message": message,
            "background_tasks": [],
            "session_crons": [],
        }
        if "haiku" in self._session.model:
            del given["effort"]
        return given

    def _inherited(self) -> dict[str, str]:
        """The token of a plan is for the client alone; an API key is not kept back."""
        return {name: value for name, value in os.environ.items() if name != TOKEN}

    def _own_environ(self) -> dict[str, str]:
        return {
            "AI_AGENT": "claude-code",
            "CLAUDECODE": "1",
            "CLAUDE_CODE_ENTRYPOINT": "sdk-cli",
            "CLAUDE_CODE_SESSION_ID": self._session.id,
            "CLAUDE_EFFORT": "high",
            "CLAUDE_PID": str(os.getpid()),
            "CLAUDE_PROJECT_DIR": str(self._session.project),
        }
