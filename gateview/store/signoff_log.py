"""The engineer's words on a run and its stops, and for how long what they are on was open."""

import time
from collections.abc import Callable
from pathlib import Path

from gatecore.ledger.reader import LEDGER, SIGNOFF
from gatecore.ledger.records import Signoff
from gatecore.ledger.run import Entry
from gatecore.ledger.signoffs import last_words
from gatecore.ledger.verdicts import stop_keys
from gateview.store.rows import Row
from gateview.store.said import SaidLog


class SignoffLog:
    """Appends words, and reads those that had to be kept away from their runs."""

    def __init__(self, folder: Path | None = None, by: str | None = None) -> None:
        self._log = SaidLog(SIGNOFF, Signoff, folder, by)
        self.by = self._log.by

    def append(self, run: Path, said: Signoff) -> Path:
        """Append a word on `said.stop_id`, None for the end, and return the file. Raises OSError."""
        names = ("stop_id", "n", "verdict", "reason", "seconds")
        return self._log.append(run, {name: getattr(said, name) for name in names})

    def words(self, row: Row, run: Path | None) -> dict[str | None, Signoff]:
        """The words in force on the run, by the key of the stop, None for the end."""
        away = self._log.elsewhere(run) if run else ()
        return last_words((*row.run.signoffs, *away))


def key_of(entry: Entry, run: Path) -> str | None:
    """The key by which lines name a stop; None when its line cannot be read any more."""
    return next((key for _, key in stop_keys([entry], run / LEDGER)), None)


class Stopwatch:
    """Seconds for which each of some things was open."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._seconds: dict[object, float] = {}
        self._open: tuple[object, ...] = ()
        self._since = clock()

    def open(self, *things: object) -> None:
        """From now on these are open, and nothing else."""
        now = self._clock()
        for thing in self._open:
            self._seconds[thing] = self._seconds.get(thing, 0.0) + now - self._since
        self._open, self._since = things, now

    def take(self, thing: object) -> float:
        """For how long it was open since it was last asked for."""
        self.open(*self._open)
        return self._seconds.pop(thing, 0.0)
