"""One stop: snapshot, checks, gates, record, decision.

A stop is on record before anything of it can fail (`stop_begun`), and every way out of it but a kill writes
one record: a crash of the gate itself is the decision `error`, never a silent allow. Where not even that can
be written, the client is told so.
"""

import hashlib
import os
import signal
import time
from contextlib import ExitStack, suppress
from typing import Any, Protocol

from gatecore.checks import process
from gatecore.checks.left import end_checks
from gatecore.gates.base import Stop
from gatecore.hook import state
from gatecore.hook.config import Config
from gatecore.hook.judge import Decision, decide, judge, skipped, unjudged, without_idle
from gatecore.hook.protocol import Payload
from gatecore.ledger import writer
from gatecore.snapshot import Snapshot, Store

_MAX_PATHS = 50
_GRACE, _GRACE_S = 0.07, 40.0  # what the hook may go over its budget: a share of it, at most so many seconds
_BROKEN = "The check that runs when you stop broke, so your work is not checked yet. Stop again."


class Request(Protocol):
    """What a stop belongs to where a session has many requests; both are called with the state as a dict."""

    def plan(self, snapshot: Snapshot, memory: dict[str, Any]) -> Config | str:
        """What the stop is judged by, or why it is not judged at all."""

    def settle(self, record: dict[str, Any], memory: dict[str, Any]) -> None:
        """Keep in `memory` what the next stops are to know of this one."""


class Interrupted(BaseException):
    """The hook has to come to its end now: its time is up."""


class Terminated(Interrupted):
    """The client ended the hook: whatever is answered now, it lets the agent go."""


def run_stop(config: Config, payload: Payload, begun: float, request: Request | None = None) -> Decision:
    """Judge one stop, put it on record and return the decision. `begun` is monotonic seconds."""
    try:
        record, blocks = begin(config.run, config.state, payload)
    except OSError as err:
        return broken(err, sent=config.on_error == "block")._replace(unrecorded=str(err))
    budget = config.limits.budget_s
    _listen(begun + budget + min(_GRACE * budget, _GRACE_S) - time.monotonic())
    with ExitStack() as turn:  # until the stop is on record: the next one counts its block
        try:
            try:
                decision = _judge(config, payload, record, begun, turn, request)
            finally:
                _stop_listening()
        except (Exception, Interrupted) as err:
            process.kill_all()
            _keep_traceback(config.run, err)
            closed = config.on_error == "block" and not isinstance(err, Terminated)
            decision = broken(err, sent=closed and blocks < config.limits.give_up)
        seconds = time.monotonic() - begun
        return finish(config.run, config.state, payload, record, decision, seconds, request)


def begin(run: str, state_dir: str, payload: Payload) -> tuple[dict[str, Any], int]:
    """Give the stop its number and put its begin on record; return its head and the request's blocks so far."""
    stop_id = os.urandom(16).hex()
    with state.locked(state_dir, run) as memory:
        n = state.number(memory, run, stop_id)
        blocks = memory["requests"].get(payload.request, {"blocks": 0})["blocks"]
    head = {
        "v": writer.VERSION,
        "ts": writer.now(),
        "n": n,
        "stop_id": stop_id,
        "session_id": payload.text("session_id"),
        "prompt_id": payload.text("prompt_id"),
        "stop_hook_active": payload.stop_hook_active,
        "hook_input_keys": payload.keys,
    }
    writer.append_event(run, "stop_begun", n=n, stop_id=stop_id)
    return head, blocks


def finish(
    run: str,
    state_dir: str,
    payload: Payload,
    record: dict[str, Any],
    decision: Decision,
    seconds: float,
    request: Request | None = None,
) -> Decision:
    """Append the record and count the block. The decision stands, also when it cannot be put on record."""
    record |= {
        "blocked_by": decision.blocked_by,
        "decision": decision.decision,
        "reason": decision.reason,
        "reason_chars": len(decision.reason),
        "wall_s": round(seconds, 1),
    }
    if decision.error:
        record["error"] = decision.error
    if decision.skipped:
        record["skipped"] = decision.skipped
    try:
        with state.locked(state_dir, run) as memory:
            counts = memory["requests"].setdefault(payload.request, {"blocks": 0, "tree": None})
            if decision.sent:
                counts["blocks"] += 1
                counts["tree"] = record.get("tree")
            if request:
                request.settle(record, memory)
            if memory.pop("lost", False):
                record["tampered"] = [*record.get("tampered", ()), os.path.join(state_dir, state.FILE)]
            state.append_record(state_dir, memory, run, record)
            memory["open"].pop(record["stop_id"], None)
    except OSError as err:
        return decision._replace(unrecorded=str(err))
    n, stop_id = record["n"], record["stop_id"]
    writer.append_event(run, "stop_ended", n=n, stop_id=stop_id, decision=decision.decision)
    return decision


def _judge(
    config: Config,
    payload: Payload,
    record: dict[str, Any],
    begun: float,
    turn: ExitStack,
    request: Request | None,
) -> Decision:
    """Judge the stop when its turn has come, which `turn` then holds; what is found goes into `record`."""
    n = record["n"]
    record["base"] = config.base.commit
    writer.write_file(os.path.join(config.run, f"hook-input-{n}.json"), payload.raw)
    record["tampered"] = tampered(config.guarded)
    if payload.problem:
        raise ValueError(payload.problem)
    deadline = begun + config.limits.budget_s

    def event(kind: str, **fields: Any) -> None:
        writer.append_event(config.run, kind, n=n, stop_id=record["stop_id"], **fields)

    try:
        turn.enter_context(state.judging(config.state, deadline))
    except TimeoutError as err:
        unjudged(config, record, str(err))
        return Decision("allow")
    with state.locked(config.state, config.run) as memory:
        strays = memory.pop("strays", False)
        counts = memory["requests"].get(payload.request, {"blocks": 0, "tree": None})
        reviews = memory["reviews"]
    if strays:
        end_checks(config.state)
    store = Store(os.path.join(config.state, "git"))
    snapshot = store.take(config.work)
    writer.write_file(os.path.join(config.run, f"snap-{n}.diff"), snapshot.diff)
    record |= _snapshot_fields(snapshot, counts["tree"])
    if request:
        planned = request.plan(snapshot, memory)
        if isinstance(planned, str):
            return skipped(record, planned)
        config = planned
    config = without_idle(config, snapshot.changed, record)
    if not config.gates and config.oracle is None:
        return skipped(record, "no gate looks at what was changed")
    stop = Stop(config, n, store, snapshot, deadline, event, reviews)
    judgements = judge(stop, record)
    if config.inplace and (after := store.take(config.work).tree) != snapshot.tree:
        record["tree_after"] = after
    with state.locked(config.state, config.run) as memory:
        memory["reviews"] = reviews
    return decide(config, judgements, counts["blocks"])


def tampered(guarded: dict[str, str]) -> list[str]:
    """The guarded files whose content is not what it was at the start."""
    return [path for path, sha256 in guarded.items() if _sha256(path) != sha256]


def _sha256(path: str) -> str | None:
    try:
        with open(path, "rb") as file:
            return hashlib.sha256(file.read()).hexdigest()
    except OSError:
        return None


def _snapshot_fields(snapshot: Snapshot, blocked_tree: str | None) -> dict[str, Any]:
    return {
        "tree": snapshot.tree,
        "repeat": snapshot.tree == blocked_tree,
        "unheld": [entry._asdict() for entry in snapshot.unheld[:_MAX_PATHS]],
        "newly_ignored": list(snapshot.newly_ignored[:_MAX_PATHS]),
    }


def broken(err: BaseException, *, sent: bool) -> Decision:
    """The gate itself broke. `sent`: the agent is sent back all the same."""
    what = str(err) if isinstance(err, Interrupted) else f"{type(err).__name__}: {err}"
    return Decision("error", reason=_BROKEN if sent else "", error=what, sent=sent)


def _keep_traceback(run: str, err: BaseException) -> None:
    path = os.path.join(run, "gate-errors.txt")
    with suppress(OSError, ImportError):
        import traceback  # costs milliseconds that a stop need not pay

        with open(path, "a", encoding="utf-8", errors="backslashreplace") as file:
            file.write("".join(traceback.format_exception(err)) + "\n")


def _listen(seconds: float) -> None:
    """Raise Interrupted here when the client ends the hook, or in so many seconds."""
    signal.signal(signal.SIGTERM, _interrupt)
    signal.signal(signal.SIGALRM, _interrupt)
    signal.setitimer(signal.ITIMER_REAL, max(seconds, 0.001))


def _stop_listening() -> None:
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)


def _interrupt(number: int, _: object) -> None:
    if number == signal.SIGTERM:
        raise Terminated("the client ended the hook")
    raise Interrupted("the time for a stop was up")
