"""One stop: snapshot, checks, gates, record, decision.

A stop is on record before anything of it can fail (`stop_begun`), and every way out of it but a kill writes
one record: a crash of the gate itself is the decision `error`, never a silent allow.
"""

import hashlib
import os
import signal
import time
import traceback
import uuid
from collections.abc import Sequence
from typing import Any, NamedTuple

from gatecore.checks import process
from gatecore.checks.outcome import CheckResult
from gatecore.checks.requirements import ORACLE, judge_requirements
from gatecore.checks.run import Check, run_checks
from gatecore.gates.base import FAIL, Gate, Judgement, Stop
from gatecore.gates.registry import gates_of
from gatecore.gates.tools import check
from gatecore.hook import state
from gatecore.hook.config import Config, Tests
from gatecore.hook.protocol import Payload
from gatecore.ledger import writer
from gatecore.snapshot import Snapshot, Store

_MAX_FAILED = 50
_MAX_PATHS = 50
_BROKEN = "The check that runs when you stop broke, so your work is not checked yet. Stop again."


class Decision(NamedTuple):
    """What becomes of the stop. `reason` is what the agent was told, or would have been; `sent`: it is told."""

    decision: str  # allow, block, give_up, error
    blocked_by: str | None = None
    reason: str = ""
    error: str | None = None
    sent: bool = False


class Terminated(BaseException):
    """The client ended the hook (SIGTERM): the stop is allowed, whatever is answered now."""


def run_stop(config: Config, payload: Payload, begun: float) -> Decision:
    """Judge one stop, put it on record and return the decision. `begun` is monotonic seconds."""
    record, blocks = begin(config.run, config.state, payload)
    signal.signal(signal.SIGTERM, _terminate)
    try:
        decision = _judge(config, payload, record, blocks, begun)
    except (Exception, Terminated) as err:
        process.kill_all()
        decision = _broken(config, err, blocks)
    finish(config.run, config.state, payload, record, decision, time.monotonic() - begun)
    return decision


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
    run: str, state_dir: str, payload: Payload, record: dict[str, Any], decision: Decision, seconds: float
) -> None:
    """Append the record and count the block. Raises OSError when the record cannot be written."""
    record |= {
        "blocked_by": decision.blocked_by,
        "decision": decision.decision,
        "reason": decision.reason,
        "reason_chars": len(decision.reason),
        "wall_s": round(seconds, 1),
    }
    if decision.error:
        record["error"] = decision.error
    with state.locked(state_dir, run) as memory:
        request = memory["requests"].setdefault(payload.request, {"blocks": 0, "tree": None})
        if decision.sent:
            request["blocks"] += 1
            request["tree"] = record.get("tree")
        if memory.pop("lost", False):
            record["tampered"] = [*record.get("tampered", ()), os.path.join(state_dir, state.FILE)]
        record["prev"] = memory["last"]
        memory["last"] = writer.append(os.path.join(run, "gate.jsonl"), record)
    n, stop_id = record["n"], record["stop_id"]
    writer.append_event(run, "stop_ended", n=n, stop_id=stop_id, decision=decision.decision)


def _judge(config: Config, payload: Payload, record: dict[str, Any], blocks: int, begun: float) -> Decision:
    n = record["n"]
    record["base"] = config.base.commit
    writer.write_file(os.path.join(config.run, f"hook-input-{n}.json"), payload.raw)
    record["tampered"] = tampered(config.guarded)
    if payload.problem:
        raise ValueError(payload.problem)
    deadline = begun + config.limits.budget_s

    def event(kind: str, **fields: Any) -> None:
        writer.append_event(config.run, kind, n=n, stop_id=record["stop_id"], **fields)

    with state.judging(config.state, deadline):
        with state.locked(config.state, config.run) as memory:
            blocked_tree = memory["requests"].get(payload.request, {"tree": None})["tree"]
            reviews = memory["reviews"]
        store = Store(os.path.join(config.state, "git"))
        snapshot = store.take(config.work)
        writer.write_file(os.path.join(config.run, f"snap-{n}.diff"), snapshot.diff)
        record |= _snapshot_fields(snapshot, blocked_tree)
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
    return decide(config, gates, judgements, blocks)


def _run_checks(stop: Stop, gates: Sequence[Gate], oracle: Tests | None) -> dict[str, CheckResult]:
    checks: list[Check] = [c for gate in gates for c in gate.checks(stop)]
    if oracle:
        seconds = stop.config.limits.oracle_s
        checks.append(check(stop, ORACLE, "hidden", oracle.command, oracle.env, seconds))
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
    """Ask the gates in order; after one that fails the later ones are not asked."""
    judgements: dict[str, Judgement] = {}
    for gate in gates:
        judgements[gate.key] = gate.judge(stop, results)
        if judgements[gate.key].verdict == FAIL:
            break
    return judgements


def decide(config: Config, gates: Sequence[Gate], judgements: dict[str, Judgement], blocks: int) -> Decision:
    """Block by the first gate that fails in mode `block`; give up once there were enough blocks."""
    failed = [gate for gate in gates if gate.key in judgements and judgements[gate.key].verdict == FAIL]
    blocking = [gate for gate in failed if config.gates[gate.key].mode == "block"]
    if not blocking:
        return Decision("allow")
    told = [gate for gate in failed if config.gates[gate.key].mode != "observe"]
    reason = "\n\n".join(judgements[gate.key].feedback for gate in told)
    given_up = blocks >= config.limits.give_up
    return Decision("give_up" if given_up else "block", blocking[0].name, reason, sent=not given_up)


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


def _broken(config: Config, err: BaseException, blocks: int) -> Decision:
    """The gate itself broke: let the agent go or send it back as the config says, and keep the traceback."""
    what = "the client ended the hook" if isinstance(err, Terminated) else f"{type(err).__name__}: {err}"
    path = os.path.join(config.run, "gate-errors.txt")
    with open(path, "a", encoding="utf-8", errors="backslashreplace") as file:
        file.write("".join(traceback.format_exception(err)) + "\n")
    sent = config.on_error == "block" and blocks < config.limits.give_up
    return Decision("error", reason=_BROKEN if sent else "", error=what, sent=sent)


def _terminate(*_: object) -> None:
    raise Terminated
