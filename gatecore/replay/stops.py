"""Judge one recorded stop again, as the hook judges one."""

import json
import time
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from gatecore.checks.process import kills
from gatecore.gates.base import Judgement, Stop
from gatecore.gates.registry import gates_of
from gatecore.hook.config import Config
from gatecore.hook.judge import decide, judge
from gatecore.ledger.writer import append_event, now
from gatecore.replay.trees import Tree


class Again(NamedTuple):
    """How often a stop is judged, and until when."""

    memories: list[dict[str, Any]]  # for each repetition, what gates keep from stop to stop
    check: Callable[[], None]  # raises when the replay is to come to its end


def judged(config: Config, tree: Tree, n: int, stop_id: str | None, again: Again) -> dict[str, Any]:
    """What stands in the record of a stop that is judged again; every gate is asked, whatever another says.

    The first repetition counts; the others tell whether it can be relied on. Raises what judging raises.
    """
    record: dict[str, Any] = {}
    outcomes: dict[str, Counter[str]] = {}
    ended: dict[str, dict[str, set[str]]] = {}
    for number, memory in enumerate(again.memories):
        begun = time.monotonic()
        own = _config(config, number)
        found: dict[str, Any] = {}

        def event(kind: str, **fields: Any) -> None:
            again.check()
            append_event(config.run, kind, n=n, stop_id=stop_id, **fields)

        stop = Stop(own, n, tree.store, tree.snapshot, begun + config.limits.budget_s, event, memory)
        before = kills()
        judgements = judge(stop, found)
        again.check()
        if kills() != before:
            raise RuntimeError("its checks were broken off with those of another stop")
        _count(config, found, judgements, outcomes)
        _collect(own.run, n, ended)
        if number == 0:
            record = {**_asked(config, found), **_decision(config, judgements)}
            record["wall_s"] = round(time.monotonic() - begun, 1)
    if len(again.memories) > 1:
        record["outcomes"] = {name: dict(times) for name, times in outcomes.items()}
        record["flaky_tests"] = _flaky(ended)
    return record


def _config(config: Config, number: int) -> Config:
    """Gates that only observe are all asked. The files of a later repetition lie in a folder of their own."""
    run = Path(config.run, f"repetition-{number + 1}" if number else "")
    run.mkdir(exist_ok=True)
    return config._replace(
        run=str(run), gates={key: settings._replace(mode="observe") for key, settings in config.gates.items()}
    )


def _asked(config: Config, found: Mapping[str, Any]) -> dict[str, Any]:
    """What was found, without what nobody asked for, and with each gate's own mode."""
    record = {key: value for key, value in found.items() if key in config.gates or key == "checks"}
    for key, settings in config.gates.items():
        record[key] = {**record[key], "mode": settings.mode}
    return {"hidden": found["hidden"], **record} if config.oracle else record


def _decision(config: Config, judgements: Mapping[str, Judgement]) -> dict[str, Any]:
    """What these gates would have decided at a first stop; nothing where none was asked."""
    if not config.gates:
        return {}
    decision = decide(config, judgements, 0)
    return {
        "decision": decision.decision,
        "blocked_by": decision.blocked_by,
        "reason": decision.reason,
        "reason_chars": len(decision.reason),
    }


def _count(
    config: Config,
    found: Mapping[str, Any],
    judgements: Mapping[str, Judgement],
    outcomes: dict[str, Counter[str]],
) -> None:
    """Count what the oracle, each check and each gate said this time."""
    said = {name: check["verdict"] for name, check in found["checks"].items()}
    if config.oracle:
        failed = found["hidden"]["fail"]
        said["oracle"] = "not_judged" if failed is None else "fail" if failed else "pass"
    said |= {gate.name: judgements[gate.key].verdict for gate in gates_of(config)}
    for name, verdict in said.items():
        outcomes.setdefault(name, Counter())[verdict] += 1


def _collect(run: str, n: int, ended: dict[str, dict[str, set[str]]]) -> None:
    """Note how each test ended."""
    for name, check in json.loads(Path(run, f"checks-{n}.json").read_bytes()).items():
        for test, kind in check["tests"].items():
            ended.setdefault(name, {}).setdefault(test, set()).add(kind)


def _flaky(ended: Mapping[str, Mapping[str, set[str]]]) -> dict[str, list[str]]:
    """The tests that ended in more than one way, by check."""
    found = {name: [test for test, kinds in tests.items() if len(kinds) > 1] for name, tests in ended.items()}
    return {name: tests for name, tests in found.items() if tests}


def head(n: int | None, line: int | None, stop_id: str | None) -> dict[str, Any]:
    """The beginning of every record: which stop it is of."""
    return {"v": 1, "ts": now(), "n": n, "line": line, "stop_id": stop_id}
