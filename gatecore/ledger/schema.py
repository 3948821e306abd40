"""The JSON Schema of every line and file that a run directory holds, made from the records themselves.

``python -m gatecore.ledger.schema`` prints it; `schema.json` beside this module is that text. Fields are added
over time, never renamed or dropped.
"""

import json
from typing import Any

import msgspec

from gatecore.ledger.records import Event, MatrixEvent, RunMeta, Score, Signoff, Stop, Triage, WriterRecord
from gatecore.ledger.replays import Replayed, ReplayMeta

KINDS = {
    "gate.jsonl": Stop,
    "events.jsonl": Event,
    "triage.jsonl": Triage,
    "signoff.jsonl": Signoff,
    "matrix.jsonl": MatrixEvent,
    "replays.jsonl": MatrixEvent,
    "meta.json": RunMeta,
    "score.json": Score,
    "testwriter.json": WriterRecord,
    "replay.jsonl": Replayed,
    "replay.json": ReplayMeta,
}


def schema() -> dict[str, Any]:
    """One schema: under ``properties``, by file name, what a line of it (or the file itself) holds."""
    references, definitions = msgspec.json.schema_components(KINDS.values(), ref_template="#/$defs/{name}")
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "The files of a run directory, and of a runs folder",
        "type": "object",
        "properties": dict(zip(KINDS, references, strict=True)),
        "$defs": definitions,
    }


if __name__ == "__main__":
    print(json.dumps(schema(), indent=2))
