"""Write verdicts of a person, at once: beside the run's ledger, or where that cannot be, in the user's folder."""

import getpass
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from gatecore.ledger.once import read_once
from gatecore.ledger.reader import LEDGER, TRIAGE
from gatecore.ledger.records import Triage
from gatecore.ledger.verdicts import stop_keys
from gatecore.ledger.writer import VERSION, append, now
from gateview.store.elsewhere import file_of, lines_of
from gateview.store.elsewhere import folder as elsewhere_folder
from gateview.store.rows import Row
from gateview.store.triage import Block, blocks_of

AUTHOR = "GATEVIEW_AUTHOR"
"""Environment variable with the name under which verdicts are written; default: the login name."""


def author() -> str:
    """Who judges."""
    if name := os.environ.get(AUTHOR, "").strip():
        return name
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return "?"


class TriageLog:
    """Appends verdicts, and reads those that had to be kept away from their runs."""

    def __init__(self, folder: Path | None = None, by: str | None = None) -> None:
        self._folder = folder or elsewhere_folder()
        self._by = by or author()
        self._stamp: object = None
        self._known: dict[str, tuple[Row, tuple[Triage, ...], tuple[Block, ...]]] = {}

    def append(self, run: Path, block: Block, said: Triage) -> Path:
        """Append what is said of a block and return the file. Raises OSError when it can be written nowhere."""
        record = {
            "v": VERSION,
            "ts": now(),
            "by": self._by,
            "stop_id": block.id,
            "n": block.n,
            "verdict": said.verdict,
            "cause": said.cause,
            "note": said.note,
        }
        file = run / TRIAGE
        try:
            _refuse_all_but_plain_files(file)
            append(str(file), record)
        except OSError:
            file = file_of(run, self._folder)
            file.parent.mkdir(parents=True, exist_ok=True)
            append(str(file), record)
        return file

    def blocks(self, row: Row, run: Path) -> tuple[Block, ...]:
        """The blocks of a run with the verdicts in force; read anew only when something changed."""
        elsewhere = tuple(self._elsewhere(run))
        known = self._known.get(row.key)
        if known and known[0] is row and known[1] == elsewhere:
            return known[2]
        read = read_once(str(run))
        if read is None:
            return ()
        entries = [entry for entry in read.run.entries if entry.stop.decision == "block"]
        ids = {entry.line: name for entry, name in stop_keys(entries, run / LEDGER)}
        found = blocks_of(row, entries, ids, (*read.run.triage, *elsewhere))
        self._known[row.key] = row, elsewhere, found
        return found

    def has_news(self) -> bool:
        """Whether verdicts that are kept away from their runs changed since this was last asked."""
        before, self._stamp = self._stamp, self._stamps()
        return self._stamp != before

    def _stamps(self) -> object:
        try:
            with os.scandir(self._folder) as files:
                return sorted((file.name, file.stat().st_size) for file in files)
        except OSError:
            return []

    def _elsewhere(self, run: Path) -> Iterator[Triage]:
        return lines_of(file_of(run, self._folder))


def _refuse_all_but_plain_files(file: Path) -> None:
    """A link or a pipe in a run directory must not lead a verdict elsewhere."""
    try:
        if not stat.S_ISREG(file.lstat().st_mode):
            raise OSError(f"{file} is not a plain file")
    except FileNotFoundError:
        return
