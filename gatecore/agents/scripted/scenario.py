"""What is to be played: a bench's `scripted/` folder and the entry of one run in its `scenarios.json`.

The environment names them: `GATECORE_SCRIPTED` the folder, `GATECORE_SCRIPTED_RUN` the run,
`GATECORE_SCRIPTED_TASK` the task; for a reviewer also `GATECORE_SCRIPTED_STOP` (the number of the stop) and
`GATECORE_SCRIPTED_REVIEWER` (A or B). `GATECORE_SCRIPTED_LEDGER`, where set, is the run's `gate.jsonl`.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple


class ScenarioError(Exception):
    """A scenario that cannot be played, and what to mend."""


class Scenario(NamedTuple):
    """One run's entry. Stops are numbered from 1; `None` among the attempts is an answer in text alone."""

    attempts: tuple[str | None, ...] = ()
    writer: str = "hedged"
    reviews: Mapping[str, Mapping[str, dict[str, Any]]] = {}
    model: str | None = None
    refuse: bool = False
    text_only: bool = False
    end: str | None = None
    api_error: bool = False
    hook_kill: Mapping[str, float] = {}
    hook_input: Mapping[str, str] = {}
    cut_after: Mapping[str, int] = {}


class Script(NamedTuple):
    """A scenario and where it is played; stop, reviewer and ledger are empty where they do not apply."""

    folder: Path
    run: str
    task: str
    stop: str
    reviewer: str
    ledger: str
    scenario: Scenario

    def patch(self, attempt: str) -> Path:
        """The file of an attempt."""
        return self.folder / "attempts" / self.task / f"{attempt}.patch"


def load(environ: Mapping[str, str], *, worker: bool) -> Script:
    """Find and check the scenario. A worker needs one of its own; without one a writer or a reviewer
    answers by the defaults. Raises ScenarioError."""
    folder = Path(_needed(environ, "GATECORE_SCRIPTED"))
    task = _needed(environ, "GATECORE_SCRIPTED_TASK")
    run = environ.get("GATECORE_SCRIPTED_RUN", "")
    file = folder / "scenarios.json"
    entries = _read(file)
    if run not in entries and worker:
        raise ScenarioError(f"{file}: no run {run!r}; known are {', '.join(sorted(entries)) or 'none'}")
    script = Script(
        folder=folder,
        run=run,
        task=task,
        stop=environ.get("GATECORE_SCRIPTED_STOP", ""),
        reviewer=environ.get("GATECORE_SCRIPTED_REVIEWER", ""),
        ledger=environ.get("GATECORE_SCRIPTED_LEDGER", ""),
        scenario=_scenario(entries[run], f"{file}: run {run!r}") if run in entries else Scenario(),
    )
    if worker:
        _check_patches(script)
    return script


def _needed(environ: Mapping[str, str], name: str) -> str:
    value = environ.get(name)
    if not value:
        raise ScenarioError(f"{name} is not set")
    return value


def _read(file: Path) -> dict[str, Any]:
    try:
        entries = json.loads(file.read_bytes())
    except OSError as error:
        raise ScenarioError(f"{file}: {error.strerror}") from None
    except ValueError as error:
        raise ScenarioError(f"{file}: no JSON: {error}") from None
    if not isinstance(entries, dict):
        raise ScenarioError(f"{file}: must be an object, run name -> scenario")
    return entries


def _scenario(entry: Any, where: str) -> Scenario:
    if not isinstance(entry, dict):
        raise ScenarioError(f"{where}: must be an object")
    for key, value in entry.items():
        if key not in _CHECKS:
            raise ScenarioError(f"{where}: unknown key {key!r}; known are {', '.join(_CHECKS)}")
        ok, wanted = _CHECKS[key]
        if not ok(value):
            raise ScenarioError(f"{where}: {key} must be {wanted}, not {json.dumps(value)[:80]}")
    fields = dict(entry)
    fields["attempts"] = tuple(entry.get("attempts", ()))
    fields["api_error"] = fields.pop("outage", False) or entry.get("api_error", False)
    return Scenario(**fields)


def _is_object_of(kind: type | tuple[type, ...]) -> Any:
    return lambda value: isinstance(value, dict) and all(isinstance(item, kind) for item in value.values())


def _is_reviews(value: Any) -> bool:
    return isinstance(value, dict) and all(map(_is_object_of(dict), value.values()))


def _is(kind: type) -> Any:
    return lambda value: isinstance(value, kind)


def _is_attempts(value: Any) -> bool:
    return isinstance(value, list) and all(item is None or isinstance(item, str) for item in value)


_CHECKS = {
    "attempts": (_is_attempts, "a list of patch names and nulls"),
    "writer": (_is(str), "the name of a file in gate/<task>/, 'fail' or 'empty'"),
    "reviews": (_is_reviews, "an object, stop -> reviewer -> object"),
    "model": (_is(str), "a model's name"),
    "refuse": (_is(bool), "true or false"),
    "text_only": (_is(bool), "true or false"),
    "end": (
        lambda value: value in ("max_turns_after_block", "no_result"),
        "max_turns_after_block or no_result",
    ),
    "api_error": (_is(bool), "true or false"),
    "outage": (_is(bool), "true or false"),
    "hook_kill": (_is_object_of((int, float)), "an object, stop -> seconds"),
    "hook_input": (_is_object_of(str), "an object, stop -> text"),
    "cut_after": (_is_object_of(int), "an object, stop -> number of characters"),
}


def _check_patches(script: Script) -> None:
    for attempt in script.scenario.attempts:
        if attempt is not None and not script.patch(attempt).is_file():
            raise ScenarioError(
                f"{script.folder / 'scenarios.json'}: run {script.run!r}: no file {script.patch(attempt)}"
            )
