"""Verdicts on runs whose directories cannot be written: they are kept in the user's state folder."""

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path

from platformdirs import user_state_path

from gatecore.ledger.lenient import UnreadableError, decode
from gatecore.ledger.reader import LineReader
from gatecore.ledger.records import Triage


def folder() -> Path:
    """Where they are kept."""
    return user_state_path("gateview") / "triage"


def file_of(run: Path, kept: Path) -> Path:
    """The file in the folder `kept` for verdicts on `run`; it need not be there."""
    whole = os.path.realpath(run)
    return kept / f"{hashlib.sha256(os.fsencode(whole)).hexdigest()[:24]}.jsonl"


def lines_of(file: Path) -> Iterator[Triage]:
    """The lines of such a file that can be read."""
    if not file.exists():
        return
    lines, _ = LineReader(file).poll()
    for line in lines:
        try:
            yield decode(line.raw, Triage)[0]
        except UnreadableError:
            continue
