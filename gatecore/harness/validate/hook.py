"""The hook: through the client on a red start, and by hand on a green copy and on a red one."""

import json
import subprocess
from collections.abc import Iterator
from datetime import UTC, datetime

from gatecore.agents.stream import read_stream
from gatecore.harness import acceptance
from gatecore.harness.bench import Bench
from gatecore.harness.prep import prepare
from gatecore.harness.run import run_cell
from gatecore.harness.site import Cell
from gatecore.harness.validate.step import Step
from gatecore.ledger.reader import read_run
from gatecore.ledger.run import Run
from gatecore.ledger.writer import write_json
from gatecore.text import line

_RED_START, _RED, _GREEN = "val2", "val3red", "val3green"
_SUMMARY = "The repository's own test suite fails"
_SHOWN = 200


def try_hook(bench: Bench) -> Iterator[Step]:
    """Six steps on the first task, under the first config whose gate 1 blocks; its runs are tagged."""
    task, patch = bench.tasks[0], bench.root / "inject" / "break.patch"
    cfg = _config(bench)
    if cfg is None:
        yield Step("hook", False, "no config has gate 1 in mode block")
        return
    if not patch.is_file():
        yield Step("hook", False, f"{patch} is missing: a patch that breaks one of the repo's tests")
        return
    red = Cell(task, cfg, tag=_RED_START, inject=patch)
    run_cell(bench, red, acceptance.none)
    yield from _through_client(bench, read_run(bench.runs / red.name))
    yield _by_hand_red(bench, Cell(task, cfg, tag=_RED, inject=patch))
    yield _by_hand_green(bench, Cell(task, cfg, tag=_GREEN))


def _config(bench: Bench) -> str | None:
    gates = {name: config.gates().get("gate1", {}) for name, config in bench.configs.items()}
    return next((name for name, gate in gates.items() if gate.get("mode") == "block"), None)


def _through_client(bench: Bench, run: Run) -> Iterator[Step]:
    stops = [entry.stop for entry in run.entries]
    decisions = " ".join(str(stop.decision) for stop in stops) or "no stop on record"
    blocked = any(stop.decision == "block" for stop in stops)
    said = decisions if run.invalid is None else f"{decisions}; the run is invalid: {run.invalid}"
    yield Step(f"hook: a red start is blocked ({run.name})", blocked, said)
    stream = read_stream(bench.runs / run.name / "stream.jsonl", ())
    said = f"feedbacks in the stream: {stream.feedbacks}, after which the agent went on: {stream.went_on}"
    yield Step("hook: the agent goes on after the feedback", stream.went_on > 0, said)
    keys = stops[0].hook_input_keys if stops else ()
    record = {
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "client_version": stream.version,
        "settings": str(bench.runs / run.name / "settings.json"),
        "hook_input_keys": list(keys),
    }
    path = bench.validation(bench.tasks[0]).parent / "hook.json"
    path.parent.mkdir(exist_ok=True)
    write_json(str(path), record)
    known = bool(stream.version and keys)
    said = f"client {stream.version or '?'}, hook input: {' '.join(keys) or '?'} (settings and all: {path})"
    yield Step("hook: client, settings and hook input on record", known, said)


def _by_hand_red(bench: Bench, cell: Cell) -> Step:
    answer = _call(bench, cell)
    try:
        decision = json.loads(answer)
        told = decision["decision"] == "block" and _SUMMARY in decision["reason"]
        said = line(decision["reason"])[:_SHOWN]
    except (ValueError, KeyError, TypeError):
        told, said = False, f"answered {line(answer)[:_SHOWN]!r}"
    return Step("hook by hand: a red copy is blocked with the suite's summary", told, said)


def _by_hand_green(bench: Bench, cell: Cell) -> Step:
    answer = _call(bench, cell)
    run = read_run(bench.runs / cell.name)
    decisions = [entry.stop.decision for entry in run.entries]
    said = (
        f"answered {line(answer)[:_SHOWN]!r}"
        if answer
        else f"decision on record: {' '.join(map(str, decisions))}"
    )
    return Step(
        "hook by hand: a green copy is let go in silence", not answer and decisions == ["allow"], said
    )


def _call(bench: Bench, cell: Cell) -> str:
    """What the hook of a run without acceptance tests answers to a made-up stop."""
    prepared = prepare(bench, cell, acceptance.none)
    made_up = {
        "session_id": "by-hand",
        "prompt_id": "by-hand",
        "cwd": str(prepared.work),
        "hook_event_name": "Stop",
        "stop_hook_active": False,
        "last_assistant_message": "Done.",
    }
    done = subprocess.run(
        ["/bin/sh", str(prepared.run / "stop.sh")],
        cwd=prepared.work,
        input=json.dumps(made_up).encode(),
        capture_output=True,
        check=False,
    )
    return (done.stdout or (done.stderr if done.returncode else b"")).decode("utf-8", "replace")
