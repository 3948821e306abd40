"""What the engineer says of a run on its screen, without the screen."""

from pathlib import Path
from typing import Literal, NamedTuple

from gatecore.ledger.records import Signoff
from gatecore.ledger.run import Entry
from gatecore.ledger.signoffs import AWAITING, result
from gateview.store.rows import Row
from gateview.store.signoff_log import SignoffLog, Stopwatch, key_of


class Told(NamedTuple):
    """What came of a word: whether it was written, and what to tell of it."""

    written: bool
    words: str = ""
    severity: Literal["information", "warning", "error"] = "information"


class Signing:
    """Writes the words on one run, each with the seconds for which its thing was open; `watch` is told what is."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._log = SignoffLog()
        self.watch = Stopwatch()
        self._own: dict[
            str | None, tuple[Signoff, int]
        ] = {}  # written when so many lines of the run were read
        self._before: list[Signoff] = []  # what to say again to take words back, the last one last

    def say(self, row: Row, entry: Entry | None, thing: object, verdict: str, reason: str) -> Told:
        """Say a `verdict` on a stop, or with None on the end of the run; `thing` is what the watch calls it."""
        if self._folder is None:
            return Told(False, f"{row.key} is no longer there", "error")
        key = key_of(entry, self._folder) if entry else None
        if entry and key is None:
            return Told(False, "the record of this stop cannot be read any more", "error")
        n = entry.stop.n if entry else None
        before = self._words(row).get(key) or Signoff(stop_id=key, n=n, by=self._log.by)
        seconds = round(self.watch.take(thing), 1)
        said = Signoff(stop_id=key, n=n, verdict=verdict, reason=reason, seconds=seconds, by=self._log.by)
        told = self._append(row, said)
        if told.written:
            self._before.append(before)
        return told

    def undo(self, row: Row) -> Told:
        """Take the last word back: what was said before it is said again."""
        if not self._before:
            return Told(False, "nothing was said here that could be taken back")
        told = self._append(row, self._before[-1])
        if told.written:
            self._before.pop()
        return told if told.words or not told.written else Told(True, "taken back")

    def end(self, row: Row) -> tuple[Signoff | None, bool]:
        """The word on the end of the run, and whether the run waits for one."""
        words = self._words(row)
        return words.get(None), result(row.run, words) == AWAITING

    def of(self, row: Row, entry: Entry | None) -> Signoff | None:
        """The word on a stop."""
        words = self._words(row)
        if entry is None or self._folder is None or not words.keys() - {None}:
            return None
        return words.get(key_of(entry, self._folder))

    def _words(self, row: Row) -> dict[str | None, Signoff]:
        read = len(row.run.signoffs)
        own = {key: word for key, (word, then) in self._own.items() if then >= read}
        words = self._log.words(row, self._folder) | own
        return {key: word for key, word in words.items() if word.verdict}

    def _append(self, row: Row, said: Signoff) -> Told:
        if self._folder is None:
            return Told(False, "the run is no longer there", "error")
        try:
            file = self._log.append(self._folder, said)
        except OSError as err:
            return Told(False, f"not written: {err.strerror or err}", "error")
        self._own[said.stop_id] = said, len(row.run.signoffs)
        if file.parent != self._folder:
            return Told(True, f"the run cannot be written to; kept in {file}", "warning")
        return Told(True)
