"""Verdicts of a person on blocks, and the blocks with those that are in force."""

from pathlib import Path

from gatecore.ledger.classes import sent_back_by
from gatecore.ledger.once import read_once
from gatecore.ledger.reader import LEDGER, TRIAGE
from gatecore.ledger.records import Triage
from gatecore.ledger.verdicts import stop_keys
from gateview.store.rows import Row
from gateview.store.said import SaidLog
from gateview.store.triage import Block, blocks_of


class TriageLog:
    """Appends verdicts, and reads those that had to be kept away from their runs."""

    def __init__(self, folder: Path | None = None, by: str | None = None) -> None:
        self._log = SaidLog(TRIAGE, Triage, folder, by)
        self._known: dict[str, tuple[Row, tuple[Triage, ...], tuple[Block, ...]]] = {}

    def append(self, run: Path, block: Block, said: Triage) -> Path:
        """Append what is said of a block and return the file. Raises OSError when it can be written nowhere."""
        words = {"verdict": said.verdict, "cause": said.cause, "note": said.note}
        return self._log.append(run, {"stop_id": block.id, "n": block.n, **words})

    def blocks(self, row: Row, run: Path) -> tuple[Block, ...]:
        """The blocks of a run with the verdicts in force; read anew only when something changed."""
        elsewhere = tuple(self._log.elsewhere(run))
        known = self._known.get(row.key)
        if known and known[0] is row and known[1] == elsewhere:
            return known[2]
        read = read_once(str(run))
        if read is None:
            return ()
        entries = [entry for entry in read.run.entries if sent_back_by(entry.stop)]
        ids = {entry.line: name for entry, name in stop_keys(entries, run / LEDGER)}
        found = blocks_of(row, entries, ids, (*read.run.triage, *elsewhere))
        self._known[row.key] = row, elsewhere, found
        return found

    def has_news(self) -> bool:
        """Whether verdicts that are kept away from their runs changed since this was last asked."""
        return self._log.has_news()
