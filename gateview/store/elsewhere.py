"""What a person said of runs whose directories cannot be written: it is kept in the user's state folder."""

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

from platformdirs import user_state_path

from gatecore.ledger.lenient import UnreadableError, decode
from gatecore.ledger.reader import LineReader
from gatecore.ledger.records import Signoff, Triage

S = TypeVar("S", Triage, Signoff)
_FOLDERS = {Triage: "triage", Signoff: "signoff"}


def folder(kind: type[S]) -> Path:
    """Where lines of a kind are kept."""
    return user_state_path("gateview") / _FOLDERS[kind]


def file_of(run: Path, kept: Path) -> Path:
    """The file in the folder `kept` for what is said of `run`; it need not be there."""
    whole = os.path.realpath(run)
    return kept / f"{hashlib.sha256(os.fsencode(whole)).hexdigest()[:24]}.jsonl"


def lines_of(run: Path, kind: type[S], kept: Path | None = None) -> Iterator[S]:
    """The lines of a kind on `run` in the folder `kept` (default: the user's) that can be read."""
    file = file_of(run, kept or folder(kind))
    if not file.exists():
        return
    lines, _ = LineReader(file).poll()
    for line in lines:
        try:
            yield decode(line.raw, kind)[0]
        except UnreadableError:
            continue
