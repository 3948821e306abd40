"""The JSON Schema that ships with the package, and the files that it describes."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from gatecore.ledger import schema as schemas

ROOT = Path(__file__).parents[2]
SCHEMA = json.loads((ROOT / "gatecore" / "ledger" / "schema.json").read_bytes())

LATER = ("triage.jsonl", "signoff.jsonl", "replays.jsonl", "replay.jsonl", "replay.json")
"""Written when a person or a replay judges the runs."""


def _values(name: str) -> Iterator[Any]:
    for path in sorted((ROOT / "sample_runs").rglob(name)):
        text = path.read_text(encoding="utf-8")
        yield from (
            (json.loads(line) for line in text.splitlines()) if name.endswith("l") else [json.loads(text)]
        )


def test_the_file_is_what_the_records_say() -> None:
    assert json.loads(json.dumps(schemas.schema())) == SCHEMA


@pytest.mark.parametrize("name", [name for name in schemas.KINDS if name not in LATER])
def test_every_line_that_the_harness_writes_is_valid(name: str) -> None:
    validator = jsonschema.Draft202012Validator({**SCHEMA["properties"][name], "$defs": SCHEMA["$defs"]})
    values = list(_values(name))
    assert values
    for value in values:
        validator.validate(value)


@pytest.mark.parametrize("bad", [{"n": -1}, {"n": "1"}, {"decision": 3}, {"hidden": []}])
def test_a_line_that_breaks_it_is_refused(bad: dict[str, Any]) -> None:
    validator = jsonschema.Draft202012Validator(
        {**SCHEMA["properties"]["gate.jsonl"], "$defs": SCHEMA["$defs"]}
    )
    assert not validator.is_valid(bad)
