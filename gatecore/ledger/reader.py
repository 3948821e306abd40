"""Read run directories: once, or again and again while they grow.

Tolerant by rule: a bad field costs that field, a bad line that line, a bad file that file, and every loss is
noted in the batch it belongs to.
"""

import hashlib
import os
import re
import stat
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from gatecore.ledger.lenient import R, UnreadableError, decode
from gatecore.ledger.records import Event, MatrixEvent, RunMeta, Score, Signoff, Stop, Triage, WriterRecord
from gatecore.ledger.run import NAME, Batch, Entry, Loss, Run, fold
from gatecore.ledger.tail import Cursor, NotAFileError, read_lines

LEDGER, EVENTS, TRIAGE, MATRIX = "gate.jsonl", "events.jsonl", "triage.jsonl", "matrix.jsonl"
SIGNOFF = "signoff.jsonl"
_LINE_FILES = (LEDGER, EVENTS, TRIAGE, SIGNOFF)
_CRASHES = "gate-errors.txt"
_FOLDER = "."
WATCHED = frozenset((*_LINE_FILES, "meta.json", "score.json", "testwriter.json", _CRASHES, "exit_code.txt"))
_RUN_MARKS = frozenset((*WATCHED, "stream.jsonl", "snap-1.diff"))
SNAPSHOT = re.compile(r"snap-(\d{1,9})\.diff")
_DOCUMENT_LIMIT = 16 * 1024 * 1024

Signature = tuple[int, int, int]  # inode, size, mtime in nanoseconds


def is_run(path: str | Path) -> bool:
    """Whether `path` holds one of the files by which a run directory is known.

    A folder that is named like a run and cannot be looked into is one: it is shown, not passed over.
    """
    try:
        return not _RUN_MARKS.isdisjoint(os.listdir(path))
    except PermissionError:
        path = Path(path)
        return any(os.path.lexists(path / mark) for mark in _RUN_MARKS) or _is_barred_run(path)
    except OSError:
        return False


def run_dirs(runs: Path) -> list[Path]:
    """The run directories of a runs folder, by name; of a run directory, itself.

    Raises FileNotFoundError or NotADirectoryError when `runs` is no folder.
    """
    folders = (f for f in runs.iterdir() if not f.name.startswith(".") and f.is_dir())
    found = sorted((f for f in folders if is_run(f)), key=lambda f: f.name)
    return found or ([runs] if is_run(runs) else [])


def _is_barred_run(path: Path) -> bool:
    return bool(NAME.fullmatch(path.name)) and path.is_dir() and not os.access(path, os.R_OK | os.X_OK)


def read_run(path: Path) -> Run:
    """Read one run directory as it stands."""
    return fold_all(Run(path.name), RunReader(path).poll)


def read_runs(runs: Path) -> list[Run]:
    """Read every run directory of a runs folder, by name."""
    return [read_run(path) for path in run_dirs(runs)]


def fold_all(run: Run, poll: Callable[[], Batch | None]) -> Run:
    """Fold what `poll` brings until it brings nothing."""
    while (batch := poll()) is not None:
        run = fold(run, batch)
    return run


class Line(NamedTuple):
    """One line of a file: number from 1, place in bytes, and its bytes without the newline."""

    number: int
    offset: int
    raw: bytes


@dataclass(slots=True)
class LineReader:
    """Reads what is new in one JSON Lines file."""

    path: Path
    cursor: Cursor = field(default_factory=Cursor)

    def poll(self, *, finished: bool = False) -> tuple[list[Line], bool]:
        """Return the new lines, blank ones passed over, and whether the file began anew. Raises OSError."""
        found: list[Line] = []
        restarted = False
        while True:
            number, offset = self.cursor.line, self.cursor.offset
            lines, self.cursor, again, more = read_lines(self.path, self.cursor, finished=finished)
            if again:
                restarted, number, offset = True, 0, 0
                found.clear()
            for raw in lines:
                number += 1
                if raw.strip():
                    found.append(Line(number, offset, raw))
                offset += len(raw) + 1
            if not more:
                return found, restarted


@dataclass(slots=True)
class RunReader:
    """Reads what is new in one run directory. With `fresh`, what is read first replaces what was known."""

    path: Path
    fresh: bool = False
    _listing: dict[str, Signature] = field(default_factory=dict)
    _snapshots: frozenset[int] = frozenset()
    _lines: dict[str, LineReader] = field(default_factory=dict)
    _last_line: bytes = b""
    _lost: set[str] = field(default_factory=set)  # files that could not be read
    _over: bool = False
    _found: bool = False
    _barred: bool = False

    def poll(self, touched: Collection[str] | None = None) -> Batch | None:
        """Return what is new since the last poll, None when nothing is.

        With `touched`, names of files, what is new in others may wait. That a directory is there is news, even
        if nothing in it can be read yet; that it vanished is none.
        """
        if touched is not None and self._found and self._lines.keys() >= set(touched):
            return self._read(touched, self._snapshots)
        try:
            listing, snapshots = _list(self.path)
        except FileNotFoundError:
            return None
        except OSError as err:
            barred, self._barred = self._barred, True
            return None if barred else Batch(losses=(Loss(_FOLDER, None, _why(err)),))
        self._barred = False
        if self._found and listing == self._listing and snapshots == self._snapshots:
            return None
        changed = {name for name in WATCHED if listing.get(name) != self._listing.get(name)}
        self._listing, before = listing, self._snapshots
        self._snapshots = snapshots
        return self._read(changed, before)

    @property
    def mark(self) -> int:
        """What the directory was when it was listed last, to be compared with `mark_of`."""
        return hash((frozenset(self._listing.items()), self._snapshots))

    def _read(self, changed: Collection[str], snapshots: frozenset[int]) -> Batch | None:
        """Read what changed; `snapshots` are those known before."""
        over = not self._listing.keys().isdisjoint(("score.json", "exit_code.txt"))
        losses: list[Loss] = []
        lines: dict[str, list[Line]] = {}
        for name in _LINE_FILES:
            lines[name], restarted = self._new_lines(name, over, changed, losses)
            if restarted:
                self._lines, self._last_line, self.fresh = {}, b"", True
                return self._read(WATCHED, snapshots)
        batch = Batch(
            fresh=self.fresh,
            meta=self._document("meta.json", RunMeta, changed, losses),
            score=self._document("score.json", Score, changed, losses),
            writer=self._document("testwriter.json", WriterRecord, changed, losses),
            entries=tuple(self._entries(lines[LEDGER], losses)),
            events=tuple(_records(EVENTS, lines[EVENTS], Event, losses)),
            triage=tuple(_records(TRIAGE, lines[TRIAGE], Triage, losses)),
            signoffs=tuple(_records(SIGNOFF, lines[SIGNOFF], Signoff, losses)),
            losses=tuple(losses),
            reread=frozenset((*changed, _FOLDER)),
            snapshots=self._snapshots,
            crashes=self._crashes(changed, losses),
            over=over,
        )
        readable_again = not self._lost.isdisjoint(changed)
        self._lost = self._lost.difference(changed) | {loss.file for loss in losses if loss.line is None}
        is_news = (
            not self._found
            or self._over != over
            or self._snapshots != snapshots
            or readable_again
            or any(_brought(batch))
        )
        self._found, self._over, self.fresh = True, over, False
        return batch if is_news else None

    def _new_lines(
        self, name: str, over: bool, changed: Collection[str], losses: list[Loss]
    ) -> tuple[list[Line], bool]:
        known = name in self._lines
        if not known and (name not in changed or name not in self._listing):
            return [], False
        if name not in changed and over == self._over:
            return [], False
        if not known:
            self._lines[name] = LineReader(self.path / name)
        try:
            return self._lines[name].poll(finished=over)
        except OSError as err:
            if name in changed:
                losses.append(Loss(name, None, _why(err)))
            return [], False

    def _entries(self, lines: list[Line], losses: list[Loss]) -> Iterator[Entry]:
        for line in lines:
            for stop in _decoded(LEDGER, line, Stop, losses):
                chained = None
                if stop.prev is not None:
                    chained = stop.prev == (
                        hashlib.sha256(self._last_line).hexdigest() if self._last_line else ""
                    )
                yield Entry(stop, line.number, line.offset, len(line.raw), chained)
            self._last_line = line.raw

    def _document(self, name: str, kind: type[R], changed: Collection[str], losses: list[Loss]) -> R | None:
        if name not in changed or name not in self._listing:
            return None
        try:
            raw = _read_file(self.path / name)
            record, lost = decode(raw, kind)
        except (OSError, UnreadableError) as err:
            losses.append(Loss(name, None, _why(err)))
            return None
        losses.extend(Loss(name, None, where, fields_only=True) for where in lost)
        return record

    def _crashes(self, changed: Collection[str], losses: list[Loss]) -> int:
        """Tracebacks of a crashed hook of the original harness, which leaves no record of such a stop."""
        if _CRASHES not in changed or _CRASHES not in self._listing:
            return 0
        try:
            return _read_file(self.path / _CRASHES).count(b"Traceback (most recent call last)")
        except OSError as err:
            losses.append(Loss(_CRASHES, None, _why(err)))
            return 0


@dataclass(slots=True)
class MatrixReader:
    """Reads what is new in a runs folder's `matrix.jsonl`, or in another `file` of such lines."""

    runs: Path
    file: str = MATRIX
    _reader: LineReader = field(init=False)

    def __post_init__(self) -> None:
        self._reader = LineReader(self.runs / self.file)

    def poll(self) -> tuple[tuple[MatrixEvent, ...], bool]:
        """Return the new events and whether the file began anew; unreadable lines are passed over."""
        try:
            lines, restarted = self._reader.poll()
        except OSError:
            return (), False
        return tuple(_records(self.file, lines, MatrixEvent, [])), restarted


def mark_of(path: str | Path) -> int | None:
    """What the run directory is now, None when it cannot be listed; other once something in it is."""
    try:
        listing, snapshots = _list(path)
    except OSError:
        return None
    return hash((frozenset(listing.items()), snapshots))


def tells(name: str) -> bool:
    """Whether a run directory's file of this name is one that is read or counted."""
    return name in WATCHED or SNAPSHOT.fullmatch(name) is not None


def _brought(batch: Batch) -> Iterator[object]:
    """What of a batch is news to who knows the run."""
    yield from (batch.fresh, batch.meta, batch.score, batch.writer, batch.crashes)
    yield from (batch.entries, batch.events, batch.triage, batch.signoffs, batch.losses)


def _list(path: str | Path) -> tuple[dict[str, Signature], frozenset[int]]:
    listing: dict[str, Signature] = {}
    snapshots: set[int] = set()
    with os.scandir(path) as entries:
        for entry in entries:
            if entry.name in WATCHED:
                listing[entry.name] = _signature(entry)
            elif match := SNAPSHOT.fullmatch(entry.name):
                snapshots.add(int(match[1]))
    return listing, frozenset(snapshots)


def _signature(entry: "os.DirEntry[str]") -> Signature:
    try:
        info = entry.stat()
    except OSError:  # a link to nothing, or to itself
        info = entry.stat(follow_symlinks=False)
    return info.st_ino, info.st_size, info.st_mtime_ns


def _records(name: str, lines: list[Line], kind: type[R], losses: list[Loss]) -> Iterator[R]:
    for line in lines:
        yield from _decoded(name, line, kind, losses)


def _decoded(name: str, line: Line, kind: type[R], losses: list[Loss]) -> Iterator[R]:
    try:
        record, lost = decode(line.raw, kind)
    except UnreadableError as err:
        losses.append(Loss(name, line.number, _why(err)))
        return
    losses.extend(Loss(name, line.number, where, fields_only=True) for where in lost)
    yield record


def _read_file(path: Path) -> bytes:
    fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        info = os.fstat(fd)
        if not stat.S_ISREG(info.st_mode):
            raise NotAFileError("not a plain file")
        return os.read(fd, min(info.st_size, _DOCUMENT_LIMIT))
    finally:
        os.close(fd)


def _why(err: Exception) -> str:
    return (err.strerror or str(err)) if isinstance(err, OSError) else str(err)
