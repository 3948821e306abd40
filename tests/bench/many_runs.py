"""Make a runs folder of many runs in the original harness's format, the same ones every time."""

import json
from pathlib import Path
from random import Random
from typing import Any

_CONFIGS = ("bare", "g1", "g3", "g13", "g13adv")
_TASKS = 10
_KEYS = [
    "background_tasks", "cwd", "effort", "hook_event_name", "last_assistant_message", "permission_mode",
    "prompt_id", "session_crons", "session_id", "stop_hook_active", "transcript_path",
]  # fmt: skip
_FINDING = (
    "push raises KeyError on a note without the field, so one note without it makes the whole update fail. "
)
_SIDE_FILES = (
    "stream.jsonl",
    "stderr.txt",
    "exit_code.txt",
    "prompt.txt",
    "task.md",
    "suite.txt",
    "post.diff",
)


def make_runs(folder: Path, runs: int) -> int:
    """Write `runs` run directories into `folder`; return the number of records in their ledgers.

    10,000 runs have about 32,000 records and 80 MB, and the files that a run has besides, empty.
    """
    random = Random(5)
    cells = [(task, cfg) for task in range(1, _TASKS + 1) for cfg in _CONFIGS]
    return sum(_run(folder, *cells[i % len(cells)], 1 + i // len(cells), random) for i in range(runs))


def _run(folder: Path, number: int, cfg: str, rep: int, random: Random) -> int:
    task = f"T{number}"
    name = f"{task}-{cfg}-r{rep}"
    run = folder / name
    run.mkdir(parents=True)
    stops = list(_stops(cfg, random))
    _write(
        run / "meta.json", {"task": task, "cfg": cfg, "rep": rep, "work": f"/bench/work/{name}", "name": name}
    )
    writing = round(0.05 + random.random() / 10, 6) if "1" in cfg else 0.0
    if writing:
        _write(run / "testwriter.json", {"task": task, "ok": True, "cost_usd": writing, "wall_s": 36.0})
    if stops:
        (run / "gate.jsonl").write_text("".join(json.dumps(stop) + "\n" for stop in stops))
    identity = {"task": task, "cfg": cfg, "rep": rep, "run": name}
    _write(run / "score.json", identity | _score(stops, writing, random), indent=2)
    numbered = [f"{kind}-{i}{end}" for i in range(1, len(stops) + 1) for kind, end in _PER_STOP]
    for file in (*_SIDE_FILES, *numbered):
        (run / file).touch()
    return len(stops)


_PER_STOP = (("snap", ".diff"), ("hidden", ".txt"), ("gate1", ".txt"))


def _stops(cfg: str, random: Random) -> Any:
    failed = [f"test_req{i}" for i in range(1, 6) if random.random() < 0.4]
    count = 0 if cfg == "bare" else random.randint(2, 6)
    for n in range(1, count + 1):
        by = None
        if n < count:
            by = "g1" if "1" in cfg and ("3" not in cfg or random.random() < 0.8) else "g3"
        yield {
            "ts": "2026-10-08T17:11:07",
            "n": n,
            "stop_hook_active": n > 1,
            "hook_input_keys": _KEYS,
            "gate1": _gate1(by, random) if "1" in cfg else {"ran": False},
            "gate3": _gate3(cfg, by, random) if "3" in cfg and by != "g1" else {"ran": False},
            "hidden": {"pass": 5 - len(failed), "fail": len(failed), "failed_reqs": failed},
            "blocked_by": by,
            "decision": "block" if by else "allow",
            "reason": ("E   AssertionError: assert 1 == 2\n" * 50)[:1500] if by else "",
            "reason_chars": 1500 if by else 0,
            "wall_s": round(random.random() * 20, 1),
        }
        failed = [req for req in failed if random.random() < 0.7]


def _gate1(by: str | None, random: Random) -> dict[str, Any]:
    tests = [f"test_case_{random.randint(1, 20)}"] if by == "g1" else []
    return {
        "ran": True, "suite_pass": 238, "suite_fail": 0, "tests_touched": True, "gate_tests_present": True,
        "gate_tests_pass": 41, "gate_tests_fail": len(tests), "gate_tests_failed": tests, "pass": not tests,
    }  # fmt: skip


def _gate3(cfg: str, by: str | None, random: Random) -> dict[str, Any]:
    def finding(severity: str) -> dict[str, Any]:
        line = random.randint(1, 99)
        return {"severity": severity, "file": "notedb/ops.py", "line": line, "text": _FINDING * 2}

    def reviewer(name: str, findings: list[dict[str, Any]]) -> dict[str, Any]:
        approves = findings[0]["severity"] != "blocking"
        return {
            "id": name, "approve": approves, "findings": findings, "turns": 3, "wall_s": 0.5, "error": None,
            "cost_usd": round(random.random() / 20, 6), "models": ["claude-sonnet-5-5"], "approve_raw": approves,
        }  # fmt: skip

    blocking = [finding("blocking")] if by == "g3" else []
    return {
        "ran": True,
        "variant": "adv" if "adv" in cfg else "indep",
        "reviewers": [reviewer("A", [*blocking, finding("minor")]), reviewer("B", [finding("minor")])],
        "blocking_findings": len(blocking),
        "blocking": [{**found, "by": "A"} for found in blocking],
        "pass": not blocking,
        "cost_usd": 0.06,
        "diff_chars": 939,
    }


def _score(stops: list[dict[str, Any]], writing: float, random: Random) -> dict[str, Any]:
    blocks = {gate: [s for s in stops if s["blocked_by"] == gate] for gate in ("g1", "g3")}
    right = {gate: sum(1 for s in found if s["hidden"]["fail"]) for gate, found in blocks.items()}
    counts = {gate: len(found) for gate, found in blocks.items()}
    failed = stops[-1]["hidden"]["failed_reqs"] if stops else ["test_req2"][: random.randint(0, 1)]
    worker = round(0.05 + random.random() / 10, 6)
    reviews = [r["cost_usd"] for s in stops for r in s["gate3"].get("reviewers", ())]
    reviewing = round(sum(reviews), 6)
    return {
        "hidden_pass": 5 - len(failed), "hidden_fail": len(failed), "failed_reqs": failed, "suite_pass": 238,
        "suite_fail": 0, "hook_calls": len(stops), "blocks_total": sum(counts.values()), "blocks_by_gate": counts,
        "right_blocks": sum(right.values()), "false_blocks": sum(counts.values()) - sum(right.values()),
        "right_blocks_by_gate": right,
        "false_blocks_by_gate": {gate: n - right[gate] for gate, n in counts.items()},
        "give_up": False, "ended_blocked": False, "cost_worker_usd": worker, "cost_reviewers_usd": reviewing,
        "cost_testwriter_usd": writing, "cost_total_usd": round(worker + reviewing + writing, 6),
        "testwriter_ok": True if writing else None, "gate_tests_total": 41 if writing else None,
        "gate_tests_fail_final": 0 if writing else None, "turns": 12, "wall_s": 60,
        "reviewer_findings_total": 2 * len(reviews), "reviewer_errors": 0, "gate_crashes": 0, "model_ok": True,
        "worker_models": ["claude-sonnet-5-5"], "reviewer_models": [], "is_error": False, "subtype": "success",
        "exit_code": "0", "has_result_line": True, "claude_code_version": "2.1.332",
        "hook_events_in_stream": ["Stop:Stop"], "hidden_first_stop": stops[0]["hidden"] if stops else None,
    }  # fmt: skip


def _write(path: Path, value: Any, indent: int | None = None) -> None:
    path.write_text(json.dumps(value, indent=indent))
