"""Run Stop hooks side by side, and rule on what each one said, as the client does."""

import contextlib
import json
import os
import re
import signal
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any, NamedTuple

from gatecore.agents.scripted.settings import Hook

_POLL = 0.005
_GRACE = 2.0
_SILENCED = re.compile(r"no such file|can't open", re.IGNORECASE)


class Outcome(NamedTuple):
    """What came of one hook. `exit_code` is None after a signal, `cancelled` true when it was cut short."""

    hook: Hook
    stdout: str
    stderr: str
    exit_code: int | None
    cancelled: bool

    @property
    def label(self) -> str:
        """The word for it in the stream."""
        if self.cancelled:
            return "cancelled"
        return "success" if self.exit_code == 0 else "error"


class Ruling(NamedTuple):
    """What a stop comes to: the turn goes on with some feedback, or it ends, maybe because a hook said so."""

    goes_on: bool = False
    feedback: str = ""
    ends: bool = False


class Kill(NamedTuple):
    """The hooks are killed `seconds` after the file `trace` has grown; after their start when it is None.

    A slow machine must not have a hook killed before it did what the scenario is about.
    """

    seconds: float
    trace: Path | None


def run(
    hooks: Sequence[Hook], stdin: str, project: Path, environ: Mapping[str, str], kill: Kill | None
) -> list[Outcome]:
    """Run the hooks in parallel, each to its end or its deadline.

    With `kill` each gets a process group of its own, which is killed when the time has come.
    """
    with contextlib.ExitStack() as files:

        def new_file() -> IO[bytes]:
            return files.enter_context(tempfile.TemporaryFile())

        running = []
        for hook in hooks:
            given = new_file()
            given.write(stdin.encode("utf-8", "surrogatepass"))
            given.seek(0)
            streams = _Streams(given, new_file(), new_file())
            running.append(_Running(hook, streams, project, environ, kill))
        while [one for one in running if not one.poll()]:
            time.sleep(_POLL)
        return [one.outcome() for one in running]


class _Streams(NamedTuple):
    """A hook's standard streams. Files, not pipes: a child that outlives the hook holds nobody up."""

    stdin: IO[bytes]
    stdout: IO[bytes]
    stderr: IO[bytes]


class _Running:
    """One hook under way."""

    def __init__(
        self,
        hook: Hook,
        streams: _Streams,
        project: Path,
        environ: Mapping[str, str],
        kill: Kill | None,
    ) -> None:
        self._hook = hook
        self._streams = streams
        self._kill = kill
        self._traced = _size(kill)
        self._process = subprocess.Popen(
            hook.command,
            shell=True,
            cwd=project,
            env=dict(environ),
            stdin=streams.stdin,
            stdout=streams.stdout,
            stderr=streams.stderr,
            process_group=None if kill is None else 0,
        )
        begun = time.monotonic()
        self._kill_at = begun + kill.seconds if kill and not kill.trace else None
        self._deadline = begun + hook.timeout
        self._timed_out = False

    def poll(self) -> bool:
        """Whether it is over; ends it when its time has come."""
        if self._process.poll() is not None:
            return True
        now = time.monotonic()
        if self._kill and self._kill_at is None and _size(self._kill) > self._traced:
            self._kill_at = now + self._kill.seconds
        if self._kill_at is not None and now >= self._kill_at:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
        elif self._timed_out and now >= self._deadline + _GRACE:
            self._process.kill()
        elif now >= self._deadline and not self._timed_out:
            self._timed_out = True
            self._process.terminate()
        return False

    def outcome(self) -> Outcome:
        """Its outcome, once it is over."""
        code = self._process.returncode
        killed = code < 0
        return Outcome(
            hook=self._hook,
            stdout=_text(self._streams.stdout),
            stderr=_text(self._streams.stderr),
            exit_code=1 if self._timed_out else None if killed else code,
            cancelled=self._timed_out or killed,
        )


def _size(kill: Kill | None) -> int:
    return kill.trace.stat().st_size if kill and kill.trace and kill.trace.exists() else 0


def _text(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode("utf-8", "replace")


def rule(outcome: Outcome) -> Ruling:
    """The client's contract for one hook: a block, more context, an end of the turn, or nothing."""
    if outcome.cancelled:
        return Ruling()
    if outcome.exit_code in (0, 1, 2):
        said = _json_object(outcome.stdout)
        if said.get("continue") is False:
            return Ruling(ends=True)
        if said.get("decision") == "block":
            return Ruling(goes_on=True, feedback=str(said.get("reason") or "Blocked by hook"))
        context = _additional_context(said)
        if context:
            return Ruling(goes_on=True, feedback=context)
    if outcome.exit_code == 2 and not (not outcome.stdout.strip() and _SILENCED.search(outcome.stderr)):
        return Ruling(
            goes_on=True, feedback=f"[{outcome.hook.command}]: {outcome.stderr or 'No stderr output'}"
        )
    return Ruling()


def combine(rulings: Sequence[Ruling]) -> Ruling:
    """One ruling of several hooks: an end outweighs a block, feedback adds up."""
    if any(ruling.ends for ruling in rulings):
        return Ruling(ends=True)
    feedback = [ruling.feedback for ruling in rulings if ruling.goes_on]
    return Ruling(goes_on=bool(feedback), feedback="\n".join(feedback))


def _json_object(stdout: str) -> dict[str, Any]:
    """The one object on stdout; anything before or after it makes it plain text."""
    try:
        said = json.loads(stdout)
    except ValueError:
        return {}
    return said if isinstance(said, dict) else {}


def _additional_context(said: dict[str, Any]) -> str:
    specific = said.get("hookSpecificOutput")
    context = (
        specific.get("additionalContext") if isinstance(specific, dict) else said.get("additionalContext")
    )
    return context if isinstance(context, str) else ""
