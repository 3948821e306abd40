"""The columns of the frames: name -> type, with the same identity of the run in front of each.

`run` is the run's key; `counted` is False for a tagged or invalid run, which the tables leave out. Counts are
whole numbers, money is US dollars, durations are seconds, and null is unknown or not there, never zero.
"""

from collections.abc import Mapping

TEXT, COUNT, REAL, FLAG, TEXTS = "text", "count", "real", "flag", "texts"
"""Kinds of columns: String, Int64, Float64, Boolean and List(String)."""
Schema = Mapping[str, str]

_RUN: Schema = {"run": TEXT, "task": TEXT, "cfg": TEXT, "rep": COUNT, "counted": FLAG}
_AT_STOP: Schema = {**_RUN, "n": COUNT, "stop_id": TEXT, "kind": TEXT, "oracle_red": FLAG}

RUNS: Schema = {
    **_RUN,
    "tag": TEXT,
    "invalid": TEXT,  # why an outage ended it
    "left_out": TEXT,  # why it is not in the columns per config
    "scored": FLAG,
    "harness": TEXT,
    "variant": TEXT,
    "stops": COUNT,  # those that left no record included
    "unreadable": COUNT,  # files, lines and fields
    "hidden_pass": COUNT,
    "hidden_fail": COUNT,
    "failed_reqs": TEXTS,
    "suite_pass": COUNT,
    "suite_fail": COUNT,
    "blocks_total": COUNT,
    "right_blocks": COUNT,
    "false_blocks": COUNT,
    "give_up": FLAG,
    "ended_blocked": FLAG,
    "cost_total_usd": REAL,
    "cost_worker_usd": REAL,
    "cost_testwriter_usd": REAL,
    "cost_reviewers_usd": REAL,
    "wall_s": REAL,
    "turns": COUNT,
    "testwriter_ok": FLAG,
    "gate_tests_total": COUNT,
    "gate_tests_fail_final": COUNT,
    "reviewer_findings": COUNT,
    "reviewer_errors": COUNT,
    "has_result_line": FLAG,
    "model_ok": FLAG,
    "worker_models": TEXTS,
    "is_error": FLAG,
    "subtype": TEXT,
    "exit_code": TEXT,
    "hunted": COUNT,
    "tampered": TEXTS,
    "alarms": TEXTS,
    "claude_code_version": TEXT,
}
"""A row a run directory."""
STOPS: Schema = {
    **_AT_STOP,  # kind: the class of the stop
    "recorded": FLAG,  # False: begun, and no record was left
    "ts": TEXT,  # as it stands, with offset or without
    "decision": TEXT,
    "blocked_by": TEXT,
    "repeat": FLAG,  # a block on a tree unchanged since the block before
    "hidden_pass": COUNT,
    "hidden_fail": COUNT,
    "failed_reqs": TEXTS,
    "g1": TEXT,  # the gate's own verdict against the oracle: right, false, missed, clean, ...
    "g1_verdict": TEXT,  # pass, fail, not_judged, skipped
    "g1_mode": TEXT,
    "suite": TEXT,
    "suite_verdict": TEXT,
    "acceptance": TEXT,
    "acceptance_verdict": TEXT,
    "g2": TEXT,
    "g2_verdict": TEXT,
    "g2_mode": TEXT,
    "g3": TEXT,
    "g3_verdict": TEXT,
    "g3_mode": TEXT,
    "wall_s": REAL,
    "reason": TEXT,
    "reason_chars": COUNT,
    "error": TEXT,
    "tampered": TEXTS,
    "chained": FLAG,  # whether the record names the line before it
}
"""A row a stop."""
CHECKS: Schema = {
    **_AT_STOP,
    "check": TEXT,  # suite, acceptance, oracle, review A, review B, review UI
    "verdict": TEXT,
    "why": TEXT,
    "seconds": REAL,
    "cost_usd": REAL,  # of a review
    "exit": COUNT,
    "timed_out": FLAG,
    "passed": COUNT,
    "failed": COUNT,
    "error": COUNT,
    "skipped": COUNT,
    "xfailed": COUNT,
    "xpassed": COUNT,
    "missing": COUNT,
    "collected": COUNT,
}
"""A row a check at a stop. A ledger of the original harness has counts of suite and acceptance tests only."""
FINDINGS: Schema = {
    **_AT_STOP,
    "reviewer": TEXT,
    "severity": TEXT,
    "file": TEXT,
    "line": COUNT,
    "text": TEXT,
    "challenge": TEXT,
    "blocked": FLAG,  # whether it is among those that were sent back
    "failed_reqs": TEXTS,
}
"""A row a finding of a reviewer."""
TESTS: Schema = {**_AT_STOP, "check": TEXT, "test": TEXT, "outcome": TEXT}
"""A row a test at a stop: all of them where the run has `checks-<n>.json`, else those that failed."""
TRIAGE: Schema = {
    **_AT_STOP,
    "ts": TEXT,
    "by": TEXT,
    "verdict": TEXT,  # null takes the last one back
    "cause": TEXT,
    "note": TEXT,
    "last": FLAG,  # whether it is the last word on its stop
}
"""A row a line of `triage.jsonl`; n is null where its stop is not in the ledger."""

SCHEMAS: Mapping[str, Schema] = {
    "runs": RUNS,
    "stops": STOPS,
    "checks": CHECKS,
    "findings": FINDINGS,
    "tests": TESTS,
    "triage": TRIAGE,
}
"""Every frame by its name."""
