"""From a run directory to rows of the frames, as plain values."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from gatecore.analysis.columns import worker_cost
from gatecore.analysis.ending import why_left_out
from gatecore.ledger.alarms import alarms
from gatecore.ledger.classes import (
    GATES,
    PARTS,
    ClassedStop,
    against_oracle,
    classed_stops,
    gate_verdict,
    oracle_red,
    part_verdict,
    reviews_of,
)
from gatecore.ledger.records import Finding, Reviewer, Stop
from gatecore.ledger.run import Run
from gatecore.ledger.verdicts import stop_keys

Row = dict[str, Any]
_CHECKS_LIMIT = 64 * 1024 * 1024
_SCORED = (
    "hidden_pass", "hidden_fail", "failed_reqs", "suite_pass", "suite_fail", "blocks_total", "right_blocks",
    "false_blocks", "give_up", "ended_blocked", "cost_testwriter_usd", "cost_reviewers_usd", "wall_s", "turns",
    "testwriter_ok", "gate_tests_total", "gate_tests_fail_final", "reviewer_errors", "has_result_line",
    "worker_models", "is_error", "subtype", "exit_code", "hunted", "tampered", "claude_code_version",
)  # fmt: skip


def rows(key: str, run: Run, folder: Path) -> Iterator[tuple[str, Row]]:
    """Yield every row that `run`, which was read from `folder`, adds to a frame: the frame's name, and values."""
    task, cfg, rep = run.identity
    identity: Row = {"run": key, "task": task, "cfg": cfg, "rep": rep, "counted": run.counted}
    stops = classed_stops(run)
    yield "runs", identity | _run(run, len(stops))
    for stop in stops:
        at = identity | _at(stop)
        if stop.entry is None:
            yield "stops", at | {"recorded": False}
            continue
        record = stop.entry.stop
        yield "stops", at | _stop(record) | {"recorded": True, "chained": stop.entry.chained}
        for check in _checks(record):
            yield "checks", at | check
        for finding in _findings(record):
            yield "findings", at | finding
        for test in _tests(record, folder):
            yield "tests", at | test
    for said in _triage(run, folder, stops):
        yield "triage", identity | said


def _run(run: Run, stops: int) -> Row:
    left_out, score, meta = why_left_out(run), run.score, run.meta
    row: Row = {
        "tag": run.tag,
        "invalid": run.invalid,
        "left_out": left_out.why if left_out else None,
        "scored": score is not None,
        "harness": meta.harness if meta else None,
        "variant": meta.variant if meta else None,
        "stops": stops,
        "unreadable": len(run.losses),
        "alarms": alarms(run),
    }
    if score is None:
        return row
    known = worker_cost(score)
    return {
        **row,
        **{name: getattr(score, name) for name in _SCORED},
        "cost_worker_usd": known,
        "cost_total_usd": None if known is None else score.cost_total_usd,
        "reviewer_findings": score.reviewer_findings_total,
        "model_ok": score.model_ok if score.has_result_line else None,
    }


def _at(stop: ClassedStop) -> Row:
    record = stop.entry.stop if stop.entry else None
    return {
        "n": stop.n,
        "kind": stop.kind,
        "stop_id": record.stop_id if record else None,
        "oracle_red": oracle_red(record.hidden) if record else None,
    }


def _stop(stop: Stop) -> Row:
    red = oracle_red(stop.hidden)
    verdicts = {gate: gate_verdict(stop, gate) for gate in GATES}
    verdicts |= {part: part_verdict(stop, part) for part in PARTS}
    return {
        **{
            name: getattr(stop, name)
            for name in ("ts", "decision", "blocked_by", "repeat", "wall_s", "error")
        },
        "hidden_pass": stop.hidden.passed if stop.hidden else None,
        "hidden_fail": stop.hidden.failed if stop.hidden else None,
        "failed_reqs": stop.hidden.failed_reqs if stop.hidden else None,
        **{name: against_oracle(verdict, red) for name, verdict in verdicts.items()},
        **{f"{name}_verdict": verdict for name, verdict in verdicts.items()},
        "g1_mode": stop.gate1.mode if stop.gate1 else None,
        "g2_mode": stop.gate2.mode if stop.gate2 else None,
        "g3_mode": stop.gate3.mode if stop.gate3 else None,
        "reason": stop.reason,
        "reason_chars": stop.reason_chars,
        "tampered": stop.tampered,
    }


def _checks(stop: Stop) -> Iterator[Row]:
    for name, check in stop.checks.items():
        counts = {key: n for key, n in check.counts.items() if key in _COUNTS}
        yield {
            "check": name,
            **{key: getattr(check, key) for key in ("verdict", "why", "seconds", "exit", "timed_out")},
            **counts,
        }
    gate = stop.gate1
    passed = (gate.suite_pass, gate.gate_tests_pass) if gate else (None, None)
    failed = (gate.suite_fail, gate.gate_tests_fail) if gate else (None, None)
    for name, passes, fails in zip(PARTS, passed, failed, strict=True):
        if name not in stop.checks and (verdict := part_verdict(stop, name)):
            yield {"check": name, "verdict": verdict, "passed": passes, "failed": fails}
    red = oracle_red(stop.hidden)
    if "oracle" not in stop.checks and red is not None:
        yield {"check": "oracle", "verdict": "fail" if red else "pass"}
    for gate_with_reviewers in reviews_of(stop):
        yield from map(_review, gate_with_reviewers.reviewers)


_COUNTS = frozenset(("passed", "failed", "error", "skipped", "xfailed", "xpassed", "missing", "collected"))


def _review(reviewer: Reviewer) -> Row:
    verdict = {True: "pass", False: "fail", None: "not_judged"}[None if reviewer.error else reviewer.approve]
    return {
        "check": f"review {reviewer.id or '?'}",
        "verdict": verdict,
        "why": reviewer.error,
        "seconds": reviewer.wall_s,
        "cost_usd": None if reviewer.error and not reviewer.cost_usd else reviewer.cost_usd,
    }


def _findings(stop: Stop) -> Iterator[Row]:
    sent_back = {_same(finding) for gate in reviews_of(stop) for finding in gate.blocking}
    for reviewer in [reviewer for gate in reviews_of(stop) for reviewer in gate.reviewers]:
        for finding in reviewer.findings:
            yield {
                "reviewer": reviewer.id,
                **{key: getattr(finding, key) for key in ("severity", "file", "line", "text", "challenge")},
                "blocked": _same(finding) in sent_back,
                "failed_reqs": stop.hidden.failed_reqs if stop.hidden else None,
            }


def _same(finding: Finding) -> tuple[Any, ...]:
    return finding.severity, finding.file, finding.line, finding.text


def _tests(stop: Stop, folder: Path) -> Iterator[Row]:
    kept = _kept_tests(folder / f"checks-{stop.n}.json")
    for name, outcomes in kept.items():
        for test, outcome in outcomes.items():
            yield {"check": name, "test": test, "outcome": outcome}
    for name, check in stop.checks.items():
        if name not in kept:
            for test in check.failed:
                yield {"check": name, "test": test, "outcome": "failed"}
    if stop.gate1 and not {"acceptance"} & (kept.keys() | stop.checks.keys()):
        for test in stop.gate1.gate_tests_failed:
            yield {"check": "acceptance", "test": test, "outcome": "failed"}


def _kept_tests(path: Path) -> dict[str, dict[str, str]]:
    """Outcomes by check and test; what cannot be read is not there."""
    try:
        if not path.is_file() or path.stat().st_size > _CHECKS_LIMIT:
            return {}
        found = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    checks = found.items() if isinstance(found, Mapping) else ()
    tests = {
        name: check["tests"] for name, check in checks if isinstance(check, Mapping) and "tests" in check
    }
    return {
        name: {test: outcome for test, outcome in outcomes.items() if isinstance(outcome, str)}
        for name, outcomes in tests.items()
        if isinstance(outcomes, Mapping)
    }


def _triage(run: Run, folder: Path, stops: tuple[ClassedStop, ...]) -> Iterator[Row]:
    if not run.triage:
        return
    at = {stop.entry.line: _at(stop) for stop in stops if stop.entry}
    by_key = {key: at[entry.line] for entry, key in stop_keys(run.entries, folder / "gate.jsonl")}
    last = {said.stop_id: i for i, said in enumerate(run.triage)}
    for i, said in enumerate(run.triage):
        fields = {name: getattr(said, name) for name in ("ts", "by", "verdict", "cause", "note")}
        yield (
            by_key.get(said.stop_id or "", {})
            | fields
            | {
                "stop_id": said.stop_id,
                "last": last[said.stop_id] == i,
            }
        )
