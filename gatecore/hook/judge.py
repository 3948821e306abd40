"""What a tree at a stop is worth: its checks are run, its gates asked, and their verdicts made a decision.

Nothing here knows of a client, of stops before or of a ledger, so that a recorded stop is judged in the same way.
"""

import os
import time
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from gatecore.checks.outcome import CheckResult
from gatecore.checks.requirements import ORACLE, judge_requirements
from gatecore.checks.run import Check, run_checks
from gatecore.gates.base import FAIL, NOT_JUDGED, Gate, Judgement, Stop
from gatecore.gates.globs import selected
from gatecore.gates.registry import gates_of
from gatecore.gates.tools import check
from gatecore.hook.config import Config, Tests
from gatecore.ledger import writer

_MAX_FAILED = 50
_UNKNOWN: dict[str, Any] = {"pass": None, "fail": None, "failed_reqs": []}


class Decision(NamedTuple):
    """What becomes of the stop. `reason` is what the agent was told, or would have been; `sent`: it is told.

    `unrecorded` says why there is no record of it.
    """

    decision: str  # allow, block, give_up, error, skipped
    blocked_by: str | None = None
    reason: str = ""
    error: str | None = None
    sent: bool = False
    unrecorded: str = ""
    skipped: str = ""  # why nothing was judged


def judge(stop: Stop, record: dict[str, Any]) -> dict[str, Judgement]:
    """Run the checks of the gates and the oracle on the stop's tree, and ask the gates.

    What is found goes into `record` as it is found, every check's whole result into `checks-<n>.json`.
    Returns what each gate said that was asked, by its key in the record.
    """
    config = stop.config
    gates = gates_of(config)
    results = _run_checks(stop, gates, config.oracle)
    record["hidden"] = _hidden(config.oracle, results.get(ORACLE))
    judgements = _ask_gates(stop, gates, results)
    for gate in gates:
        judgement = judgements.get(gate.key)
        settings = config.gates[gate.key]
        record[gate.key] = {**judgement.record, "mode": settings.mode} if judgement else {"ran": False}
    _fill(record)
    record["checks"] = {name: _check_fields(result) for name, result in results.items()}
    writer.write_json(
        os.path.join(config.run, f"checks-{stop.n}.json"), {name: r._asdict() for name, r in results.items()}
    )
    return judgements


def unjudged(config: Config, record: dict[str, Any], why: str) -> None:
    """Say in `record` that nothing could be judged, and why."""
    record["hidden"] = {**_UNKNOWN, "state": "broken" if config.oracle else "absent"}
    for key, settings in config.gates.items():
        said = {"ran": True, "pass": None, "verdict": NOT_JUDGED, "why": why}
        record[key] = {**said, "mode": settings.mode}
    _fill(record)


def skipped(record: dict[str, Any], why: str) -> Decision:
    """Nothing is judged, by rule; the record says so where it would say what was found."""
    record["hidden"] = _hidden(None, None)
    _fill(record)
    return Decision("skipped", skipped=why)


def without_idle(config: Config, changed: Sequence[str], record: dict[str, Any]) -> Config:
    """Leave out the gates that look at nothing of what was changed, and put them on record as skipped."""
    gates = {}
    for key, settings in config.gates.items():
        if settings.paths is None or selected(changed, settings.paths):
            gates[key] = settings
        else:
            why = "nothing was changed that it looks at"
            said = {"ran": False, "suite": "skipped", "verdict": "skipped", "why": why}
            record[key] = {**said, "mode": settings.mode}
    return config._replace(gates=gates)


def decide(config: Config, judgements: Mapping[str, Judgement], blocks: int) -> Decision:
    """Block by the first gate that fails in mode `block`; give up once there were enough blocks.

    The room for feedback is shared with the gates that advise.
    """
    failed = [
        gate for gate in gates_of(config) if gate.key in judgements and judgements[gate.key].verdict == FAIL
    ]
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


def _fill(record: dict[str, Any]) -> None:
    """Both gates stand in every record, as in the original's."""
    for key in ("gate1", "gate3"):
        record.setdefault(key, {"ran": False})


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
        return {**_UNKNOWN, "state": "absent"}
    judged = judge_requirements(oracle.file, result)
    if judged.state != "judged":
        return {**_UNKNOWN, "state": judged.state}
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
            own = stop._replace(memory=stop.memory.setdefault(gate.key, {}))
            judgements[gate.key] = gate.judge(own, results)
            blocked |= blocks and judgements[gate.key].verdict == FAIL
    return judgements


def _check_fields(result: CheckResult) -> dict[str, Any]:
    fields = result._asdict()
    del fields["name"], fields["tests"]
    return {**fields, "seconds": round(result.seconds, 3), "failed": list(result.failed[:_MAX_FAILED])}
