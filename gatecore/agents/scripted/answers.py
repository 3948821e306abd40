"""The writer and the reviewers: one answer by schema, taken from the scenario."""

import json
import signal
from typing import Any, NoReturn

from gatecore.agents.scripted.scenario import ScenarioError, Script
from gatecore.agents.scripted.stop import Stops
from gatecore.agents.scripted.stream import Session

_PROSE = "It looks fine to me."
# Holds a `def test_`, and yet nothing that pytest collects.
_EMPTY = "def cases():\n    def test_inner():\n        assert True\n\n    return [test_inner]\n"

_TYPES: dict[str, type | tuple[type, ...]] = {
    "object": dict,
    "array": list,
    "string": str,
    "boolean": bool,
    "integer": int,
    "number": (int, float),
    "null": type(None),
}


def answer(session: Session, stops: Stops, script: Script, schema: dict[str, Any]) -> int:
    """Give the answer that the schema asks for; returns the exit code. Raises ScenarioError, LimitError.

    Stop hooks run here too, since the client runs them in every call that is not told otherwise; once the
    answer by schema is given, a block has no effect.
    """
    chosen = _writer(script) if is_writer(schema) else _review(script, schema)
    error = chosen.get("error")
    if error == "hang":
        _hang()
    session.init()
    if error == "nojson":
        return session.api_error()
    session.look_around()
    if error is not None:
        session.say(_PROSE)
        stops.call(_PROSE)
        return session.succeed(_PROSE)
    problems = _mismatches(schema, chosen)
    if problems:
        return session.insist(chosen, problems)
    session.use_tool("StructuredOutput", chosen, "Structured output provided successfully")
    stops.call("")
    text = json.dumps(chosen, separators=(",", ":"))
    return session.succeed(text, stop_reason="tool_use", structured_output=chosen)


def is_writer(schema: dict[str, Any]) -> bool:
    """Whether this schema asks for the writer's file of tests rather than for a review."""
    return "file" in schema.get("properties", {})


def _writer(script: Script) -> dict[str, Any]:
    kind = script.scenario.writer
    if kind == "fail":
        return {"error": "prose"}
    if kind == "empty":
        return {"file": _EMPTY}
    path = script.folder / "gate" / script.task / f"{kind}.py"
    try:
        return {"file": path.read_text(encoding="utf-8")}
    except OSError as error:
        raise ScenarioError(f"run {script.run!r}: writer {kind!r}: {path}: {error.strerror}") from None


def _review(script: Script, schema: dict[str, Any]) -> dict[str, Any]:
    given = script.scenario.reviews.get(script.stop, {})
    if script.reviewer in given:
        return given[script.reviewer]
    if "verdicts" in schema.get("properties", {}):
        return {"verdicts": [], "added_findings": [], "approve": True}
    return {"approve": True, "findings": []}


def _mismatches(schema: dict[str, Any], given: dict[str, Any]) -> list[str]:
    """Where an answer breaks the top level of its schema, in the client's words; empty when it does not."""
    properties = schema.get("properties", {})
    missing = [name for name in schema.get("required", []) if name not in given]
    wrong = [
        (name, rule["type"])
        for name, rule in properties.items()
        if name in given and "type" in rule and not _has_type(given[name], rule["type"])
    ]
    extra = schema.get("additionalProperties") is False and bool(set(given) - set(properties))
    return (
        [f"root: must have required property '{name}'" for name in missing]
        + [f"/{name}: must be {kind}" for name, kind in wrong]
        + (["root: must NOT have additional properties"] if extra else [])
    )


def _has_type(value: Any, kinds: str | list[str]) -> bool:
    for kind in [kinds] if isinstance(kinds, str) else kinds:
        is_number = kind in ("integer", "number")
        if isinstance(value, _TYPES[kind]) and not (is_number and isinstance(value, bool)):
            return True
    return False


def _hang() -> NoReturn:
    while True:
        signal.pause()
