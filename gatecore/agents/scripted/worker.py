"""The worker: makes the scenario's attempts one after the other, as long as its Stop hooks send it back.

An attempt with a patch edits files and runs the tests; a null, or an exhausted list, is an answer in text.
An agent that refuses (`refuse`) looks at its change before every other such answer, unless it is `text_only`.
"""

import os
import signal
from pathlib import Path

from gatecore.agents.scripted.hooks import Kill
from gatecore.agents.scripted.patches import Change, switch
from gatecore.agents.scripted.scenario import ScenarioError, Script
from gatecore.agents.scripted.stop import Stops
from gatecore.agents.scripted.stream import Session

_DONE = "Done. I changed what the request asks for and added tests; the suite passes."
_FIXED = "I fixed what the check found and ran the tests again."
_STANDS = (
    "I looked again and still think the change is complete."
    " The check expects something the request does not say."
)
_REFUSES = (
    "The failing check is outside what was asked for, so I leave it as it is: it is not part of my change."
)
_OVERRIDDEN = (
    "A hook blocked the turn from ending {} consecutive times—overriding and ending turn."
    " For Stop/SubagentStop hooks, check stop_hook_active in the input and return success while it's true."
    " Set CLAUDE_CODE_STOP_HOOK_BLOCK_CAP to raise this limit."
)


def work(session: Session, stops: Stops, script: Script) -> int:
    """Play the scenario; returns the exit code.

    Raises LimitError, and ScenarioError for a patch that does not apply or a ledger that is not there.
    """
    scenario = script.scenario
    session.init()
    if scenario.api_error:
        return session.api_error()
    text, terminal_reason = _until_allowed(session, stops, script)
    if scenario.end == "no_result":
        os.kill(os.getpid(), signal.SIGKILL)
    return session.succeed(text, terminal_reason=terminal_reason)


def _until_allowed(session: Session, stops: Stops, script: Script) -> tuple[str, str]:
    """The text of the result and why the turn ended."""
    scenario = script.scenario
    agent = _Agent(session, script)
    n = blocks = 0
    while True:
        n += 1
        calls = session.tool_calls
        text = agent.attempt(n - 1)
        session.say(text)
        if session.tool_calls > calls:
            blocks = 0
        ruling = stops.call(text, scenario.hook_input.get(str(n)), _kill(script, n))
        if script.ledger and str(n) in scenario.cut_after:
            _cut_last_line(Path(script.ledger), scenario.cut_after[str(n)])
        if not ruling.goes_on:
            return text, "stop_hook_prevented" if ruling.ends else "completed"
        blocks += 1
        session.hear(ruling.feedback)
        cap = stops.cap()
        if cap is not None and blocks > cap:
            _warn(session, _OVERRIDDEN.format(blocks))
            return "", "completed"


def _kill(script: Script, n: int) -> Kill | None:
    seconds = script.scenario.hook_kill.get(str(n))
    if seconds is None:
        return None
    return Kill(seconds, Path(script.ledger).with_name("events.jsonl") if script.ledger else None)


def _warn(session: Session, text: str) -> None:
    session.system("informational", content=text, level="warning")
    session.system("notification", key="stop-hook-block-cap", text=text, priority="high", color="warning")


class _Agent:
    """Makes the attempts, and knows which one lies in the work tree."""

    def __init__(self, session: Session, script: Script) -> None:
        self._session = session
        self._script = script
        self._applied: Path | None = None

    def attempt(self, index: int) -> str:
        """Make the attempt; returns what the agent says at its end."""
        scenario = self._script.scenario
        if index == 0:
            self._session.look_around()
        name = scenario.attempts[index] if index < len(scenario.attempts) else None
        if name is not None:
            self._edit(self._script.patch(name))
        if index and scenario.end == "max_turns_after_block":
            raise self._session.turn_limit()
        if name is not None:
            command = {"command": "python -m pytest -q", "description": "Run the tests"}
            self._session.use_tool("Bash", command, "(a scripted agent runs nothing)")
            return _FIXED if index else _DONE
        looks = scenario.refuse and not scenario.text_only and index % 2 == 1
        if looks and index < len(scenario.attempts):
            command = {"command": "git diff --stat", "description": "Look at the change"}
            self._session.use_tool("Bash", command, "(a scripted agent runs nothing)")
        return _REFUSES if scenario.refuse else _STANDS

    def _edit(self, patch: Path) -> None:
        changes = switch(self._session.project, self._applied, patch)
        self._applied = patch
        for change in changes:
            self._show(change)

    def _show(self, change: Change) -> None:
        path = str(self._session.project / change.path)
        if change.after is None:
            self._session.use_tool("Bash", {"command": f"rm '{path}'", "description": "Remove a file"}, "")
        elif change.before is None:
            given = {"file_path": path, "content": change.after.decode("utf-8", "replace")}
            self._session.use_tool("Write", given, f"File created successfully at: {path}")
        else:
            old, new = _differing(change.before, change.after)
            given = {"file_path": path, "old_string": old, "new_string": new}
            self._session.use_tool("Edit", given, f"The file {path} has been updated successfully.")


def _differing(before: bytes, after: bytes) -> tuple[str, str]:
    """The lines in which two texts differ, with one line before them to hold on to."""
    old, new = (text.decode("utf-8", "replace").splitlines(keepends=True) for text in (before, after))
    shorter = min(len(old), len(new))
    head = next((i for i in range(shorter) if old[i] != new[i]), shorter)
    tail = next((i for i in range(shorter - head) if old[-1 - i] != new[-1 - i]), shorter - head)
    start = max(head - 1, 0)
    return "".join(old[start : len(old) - tail]), "".join(new[start : len(new) - tail])


def _cut_last_line(file: Path, characters: int) -> None:
    """Leave the last line as a writer that died would: its last characters and the newline are missing."""
    try:
        content = file.read_bytes()
    except OSError as error:
        raise ScenarioError(f"cut_after: {file}: {error.strerror}") from None
    os.truncate(file, max(0, len(content.rstrip(b"\n")) - characters))
