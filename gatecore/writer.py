"""Acceptance tests by an independent agent that sees the request and the repo before the change, no more."""

import ast
import re
import secrets
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from gatecore.agents.claude import Answer, ask
from gatecore.checks.outcome import CheckResult
from gatecore.ledger.writer import write_file, write_json

SCHEMA = {
    "type": "object",
    "properties": {"file": {"type": "string"}},
    "required": ["file"],
    "additionalProperties": False,
}
_SLOT = re.compile(r"\{(request|fence)\}")
_CONFTEST = '"""Acceptance tests run against the tree that is the working directory."""\n'
_INI = "[pytest]\naddopts =\n"


@dataclass(frozen=True)
class Assignment:
    """What the writer is asked, and where its tests go."""

    task: str
    request: str
    template: str
    command: tuple[str, ...]
    env: dict[str, str]
    model: str
    turns: int
    seconds: float
    attempts: int
    tree: Path  # pristine copy of the repo before the change
    folder: Path  # gate_tests/
    scratch: Path  # existing folder for what the calls leave behind


@dataclass(frozen=True)
class Attempt:
    """One call of the writer. Unknown cost is None."""

    error: str | None
    cost_usd: float | None
    turns: int | None
    models: tuple[str, ...]
    subtype: str | None
    wall_s: float


def test_file(folder: Path, task: str) -> Path:
    """Where the tests for a task are written."""
    return folder / f"test_{task}.py"


def prepare(folder: Path) -> None:
    """Make the folder that acceptance tests run in, with the settings that keep the repo's own away."""
    folder.mkdir(parents=True, exist_ok=True)
    write_file(str(folder / "conftest.py"), _CONFTEST)
    write_file(str(folder / "pytest.ini"), _INI)


def write_tests(assignment: Assignment) -> list[Attempt]:
    """Ask until a module comes back that compiles and holds a test; then, and only then, its file is there."""
    prepare(assignment.folder)
    attempts: list[Attempt] = []
    while len(attempts) < assignment.attempts:
        answer = _ask(assignment, len(attempts) + 1)
        source = answer.value.get("file") if answer.value else None
        error = answer.error or _fault(source)
        attempts.append(
            Attempt(error, answer.cost_usd, answer.turns, answer.models, answer.subtype, answer.wall_s)
        )
        if error is None:
            write_file(str(test_file(assignment.folder, assignment.task)), str(source))
            break
    return attempts


def base_fault(on_base: CheckResult) -> str | None:
    """Why tests that were run on the base tree may not judge: none is collected, or the module fails."""
    if on_base.verdict == "not_judged":
        return f"could not be run on the base tree: {on_base.why}"
    if on_base.counts.get("collected", 0) == 0:
        return "no test of it is collected on the base tree"
    return None


def record(
    task: str, attempts: list[Attempt], file: Path | None, on_base: CheckResult | None, begun: float
) -> dict[str, Any]:
    """What stands in `testwriter.json`."""
    costs = [attempt.cost_usd for attempt in attempts]
    fault = base_fault(on_base) if on_base else None
    ok = file is not None and fault is None
    return {
        "task": task,
        "attempts": [asdict(attempt) for attempt in attempts],
        "cost_usd": None if None in costs else round(sum(c for c in costs if c is not None), 6),
        "ok": ok,
        "error": fault or (attempts[-1].error if attempts else None),
        "file": str(file) if ok else None,
        "wall_s": round(time.monotonic() - begun, 1),
        "models": sorted({model for attempt in attempts for model in attempt.models}),
        "on_base": dict(on_base.tests) if on_base else None,
    }


def save(run: Path, result: dict[str, Any]) -> None:
    """Write `testwriter.json` and the one line of `testwriter.out`."""
    write_json(str(run / "testwriter.json"), result)
    summary = {key: result[key] for key in ("task", "ok", "cost_usd", "wall_s", "file")}
    write_json(str(run / "testwriter.out"), summary)


def _ask(assignment: Assignment, number: int) -> Answer:
    slots = {"request": assignment.request, "fence": f"data-{secrets.token_hex(8)}"}
    return ask(
        assignment.command,
        prompt=_SLOT.sub(lambda slot: slots[slot[1]], assignment.template),
        schema=SCHEMA,
        model=assignment.model,
        max_turns=assignment.turns,
        seconds=assignment.seconds,
        cwd=str(assignment.tree),
        env=assignment.env,
        scratch=str(assignment.scratch / f"writer-{number}"),
    )


def _fault(source: object) -> str | None:
    """Why `source` is no test module; None when it is one."""
    if not isinstance(source, str):
        return "the answer holds no file"
    try:
        module = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError) as err:
        return f"the file does not compile: {err}"
    names = (
        node.name for node in ast.walk(module) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    )
    return None if any(name.startswith("test") for name in names) else "the file holds no test"
