"""What people said of the stops of a run: the last line on a stop wins, and a null verdict takes it back."""

import hashlib
from collections.abc import Iterable, Iterator
from pathlib import Path

from gatecore.ledger.records import Triage
from gatecore.ledger.run import Entry, Run


def stop_keys(entries: Iterable[Entry], ledger: Path) -> Iterator[tuple[Entry, str]]:
    """Each entry with the key by which triage names its stop: its `stop_id`, else the SHA-256 of its line.

    A line that cannot be read any more has no key and is passed over.
    """
    for entry in entries:
        if entry.stop.stop_id:
            yield entry, entry.stop.stop_id
        elif line := _line(ledger, entry):
            yield entry, hashlib.sha256(line).hexdigest()


def verdicts(run: Run, folder: Path, more: Iterable[Triage] = ()) -> dict[int, Triage]:
    """Return the verdicts on `run` by line of its ledger; `more` are lines kept elsewhere, later than its own."""
    last = {said.stop_id: said for said in (*run.triage, *more) if said.stop_id}
    if not last:
        return {}
    keys = stop_keys(run.entries, folder / "gate.jsonl")
    return {entry.line: said for entry, key in keys if (said := last.get(key)) and said.verdict}


def _line(ledger: Path, entry: Entry) -> bytes:
    try:
        with ledger.open("rb") as file:
            file.seek(entry.offset)
            return file.read(entry.size)
    except OSError:
        return b""
