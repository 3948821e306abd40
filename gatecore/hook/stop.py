"""One stop: snapshot, checks, gates, record, decision.

A stop is on record before anything of it can fail (`stop_begun`), and every way out of it but a kill writes
one record: a crash of the gate itself is the decision `error`, never a silent allow. Where not even that can
be written, the client is told so.
"""

import hashlib
import os
import signal
import time
import traceback
import uuid
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from typing import Any, NamedTuple, Protocol

from gatecore.checks import process
from gatecore.checks.env import owner
from gatecore.checks.outcome import CheckResult
from gatecore.checks.requirements import ORACLE, judge_requirements
from gatecore.checks.run import Check, run_checks
from gatecore.gates.base import FAIL, Gate, Judgement, Stop
from gatecore.gates.globs import selected
from gatecore.gates.registry import gates_of
from gatecore.gates.tools import check
from gatecore.hook import state
from gatecore.hook.config import Config, Tests
from gatecore.hook.protocol import Payload
from gatecore.ledger import writer
from gatecore.snapshot import Snapshot, Store

_MAX_FAILED = 50
_MAX_PATHS = 50
_GRACE, _GRACE_S = 0.07, 40.0  # what the hook may go over its budget: a share of it, at most so many seconds
_BROKEN = "The check that runs when you stop broke, so your work is not checked yet. Stop again."


class Decision(NamedTuple):
    """What becomes of the stop. `reason` is what the agent was told, or would have been; `sent`: it is told.

    `unrecorded` says why there is no record of it.
    """

    decision: str  # allow, block, give_up, error
    blocked_by: str | None = None
    reason: str = ""
    error: str | None = None
    sent: bool = False
    unrecorded: str = ""
    skipped: str = ""  # why nothing was judged


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
    with state.locked(state_dir, run) as memory:
        memory["n"] += 1
        n = memory["n"]
        blocks = memory["requests"].get(payload.request, {"blocks": 0})["blocks"]
    head = {
        "v": writer.VERSION,
        "ts": writer.now(),
        "n": n,
        "stop_id": uuid.uuid4().hex,
        "session_id": payload.text("session_id"),
        "prompt_id": payload.text("prompt_id"),
        "stop_hook_active": payload.stop_hook_active,
        "hook_input_keys": payload.keys,
    }
    writer.append_event(run, "stop_begun", n=n, stop_id=head["stop_id"])
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

    turn.enter_context(state.judging(config.state, deadline))
    process.kill_left(f"{owner(config.state)}.")  # of a stop before that was killed
    with state.locked(config.state, config.run) as memory:
        counts = memory["requests"].get(payload.request, {"blocks": 0, "tree": None})
        reviews = memory["reviews"]
    store = Store(os.path.join(config.state, "git"))
    snapshot = store.take(config.work)
    writer.write_file(os.path.join(config.run, f"snap-{n}.diff"), snapshot.diff)
    record |= _snapshot_fields(snapshot, counts["tree"])
    if request:
        planned = request.plan(snapshot, memory)
        if isinstance(planned, str):
            return skipped(record, planned)
        config = planned
    config = _without_idle(config, snapshot.changed, record)
    if not config.gates and config.oracle is None:
        return skipped(record, "no gate looks at what was changed")
    stop = Stop(config, n, store, snapshot, deadline, event, reviews)
    gates = gates_of(config)
    results = _run_checks(stop, gates, config.oracle)
    record["hidden"] = _hidden(config.oracle, results.get(ORACLE))
    judgements = _ask_gates(stop, gates, results)
    with state.locked(config.state, config.run) as memory:
        memory["reviews"] = reviews
    for gate in gates:
        judgement = judgements.get(gate.key)
        settings = config.gates[gate.key]
        record[gate.key] = {**judgement.record, "mode": settings.mode} if judgement else {"ran": False}
    for key in ("gate1", "gate3"):
        record.setdefault(key, {"ran": False})
    record["checks"] = {name: _check_fields(result) for name, result in results.items()}
    writer.write_json(
        os.path.join(config.run, f"checks-{n}.json"), {name: r._asdict() for name, r in results.items()}
    )
    return decide(config, gates, judgements, counts["blocks"])


def _run_checks(stop: Stop, gates: Sequence[Gate], oracle: Tests | None) -> dict[str, CheckResult]:
    checks: list[Check] = [c for gate in gates for c in gate.checks(stop)]
    if oracle:
        seconds = stop.config.limits.oracle_s
        checks.append(check(stop, ORACLE, "hidden", oracle.command, oracle.env, seconds))
    left = round(stop.deadline - time.monotonic(), 1)
    checks = [one._replace(seconds=min(one.seconds, left)) for one in checks]
    for one in checks:
        stop.event("check_started", check=one.name)

    def ended(result: CheckResult) -> None:
        seconds = round(result.seconds, 3)
        stop.event("check_ended", check=result.name, verdict=result.verdict, seconds=seconds)

    return {result.name: result for result in run_checks(checks, ended)}


def _hidden(oracle: Tests | None, result: CheckResult | None) -> dict[str, Any]:
    if oracle is None or result is None:
        return {"pass": None, "fail": None, "failed_reqs": [], "state": "absent"}
    judged = judge_requirements(oracle.file, result)
    if judged.state != "judged":
        return {"pass": None, "fail": None, "failed_reqs": [], "state": judged.state}
    return {
        "pass": len(judged.passed),
        "fail": len(judged.failed),
        "failed_reqs": list(judged.failed),
        "state": "judged",
    }


def _ask_gates(stop: Stop, gates: Sequence[Gate], results: dict[str, CheckResult]) -> dict[str, Judgement]:
    """Ask the gates in order; after one that blocks, no other is asked that could only block as well."""
    judgements: dict[str, Judgement] = {}
    blocked = False
    for gate in gates:
        blocks = stop.config.gates[gate.key].mode == "block"
        if not (blocks and blocked):
            judgements[gate.key] = gate.judge(stop, results)
            blocked |= blocks and judgements[gate.key].verdict == FAIL
    return judgements


def decide(
    config: Config, gates: Sequence[Gate], judgements: Mapping[str, Judgement], blocks: int
) -> Decision:
    """Block by the first gate that fails in mode `block`; give up once there were enough blocks.

    The room for feedback is shared with the gates that advise.
    """
    failed = [gate for gate in gates if gate.key in judgements and judgements[gate.key].verdict == FAIL]
    blocking = [gate for gate in failed if config.gates[gate.key].mode == "block"]
    if not blocking:
        observed = [gate for gate in failed if config.gates[gate.key].mode == "observe"]
        unsaid = judgements[observed[0].key].feedback(config.limits.feedback_chars) if observed else ""
        return Decision("allow", reason=unsaid)
    told = [gate for gate in failed if config.gates[gate.key].mode != "observe"]
    room = (config.limits.feedback_chars + 2) // len(told) - 2
    reason = "\n\n".join(judgements[gate.key].feedback(room) for gate in told)
    given_up = blocks >= config.limits.give_up
    return Decision("give_up" if given_up else "block", blocking[0].name, reason, sent=not given_up)


def skipped(record: dict[str, Any], why: str) -> Decision:
    """Nothing is judged, by rule; the record says so where it would say what was found."""
    record["hidden"] = _hidden(None, None)
    for key in ("gate1", "gate3"):
        record.setdefault(key, {"ran": False})
    return Decision("skipped", skipped=why)


def _without_idle(config: Config, changed: Sequence[str], record: dict[str, Any]) -> Config:
    """Leave out the gates that look at nothing of what was changed, and put them on record as skipped."""
    gates = {}
    for key, settings in config.gates.items():
        if settings.paths is None or selected(changed, settings.paths):
            gates[key] = settings
        else:
            why = "nothing was changed that it looks at"
            record[key] = {
                "ran": False, "suite": "skipped", "verdict": "skipped", "why": why, "mode": settings.mode
            }  # fmt: skip
    return config._replace(gates=gates)


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


def _check_fields(result: CheckResult) -> dict[str, Any]:
    fields = result._asdict()
    del fields["name"], fields["tests"]
    return {**fields, "seconds": round(result.seconds, 3), "failed": list(result.failed[:_MAX_FAILED])}


def broken(err: BaseException, *, sent: bool) -> Decision:
    """The gate itself broke. `sent`: the agent is sent back all the same."""
    what = str(err) if isinstance(err, Interrupted) else f"{type(err).__name__}: {err}"
    return Decision("error", reason=_BROKEN if sent else "", error=what, sent=sent)


def _keep_traceback(run: str, err: BaseException) -> None:
    with (
        suppress(OSError),
        open(os.path.join(run, "gate-errors.txt"), "a", encoding="utf-8", errors="backslashreplace") as file,
    ):
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
