"""Read a run directory that nobody watches: at once, and with few calls.

What is well formed is decoded straight away; at anything else the tolerant reader takes over, so that both
give the same run.
"""

import hashlib
import os
import stat
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import msgspec

from gatecore.ledger.reader import (
    EVENTS,
    LEDGER,
    SIGNOFF,
    SNAPSHOT,
    TRIAGE,
    WATCHED,
    Signature,
    is_run,
    read_run,
)
from gatecore.ledger.records import Event, RunMeta, Score, Signoff, Stop, Triage, WriterRecord
from gatecore.ledger.run import OVER, Activity, Entry, Run, advance

_LIMIT = 64 * 1024 * 1024


class Read(NamedTuple):
    """A run, and what its directory and the files it was read from were: name -> inode, size, mtime.

    The directory itself is ``.``. Without signatures the run cannot be told from a later one.
    """

    run: Run
    signatures: dict[str, Signature]


_IDLE = Activity()


class _OddError(Exception):
    """Something that the plain way cannot read."""


_META = msgspec.json.Decoder(RunMeta)
_SCORE = msgspec.json.Decoder(Score)
_WRITER = msgspec.json.Decoder(WriterRecord)
_STOP = msgspec.json.Decoder(Stop)
_EVENT = msgspec.json.Decoder(Event)
_TRIAGE = msgspec.json.Decoder(Triage)
_SIGNOFF = msgspec.json.Decoder(Signoff)


def read_once(folder: str) -> Read | None:
    """Read the run directory `folder` as it stands, as `read_run` would; None when it is none."""
    try:
        fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            signatures = {".": _signature(os.fstat(fd))}
            return Read(_read(folder.rpartition("/")[2], fd, signatures), signatures)
        finally:
            os.close(fd)
    except (OSError, UnicodeDecodeError, msgspec.DecodeError, RecursionError, _OddError):
        path = Path(folder)
        return Read(read_run(path), {}) if is_run(path) else None


def _read(name: str, folder: int, signatures: dict[str, Signature]) -> Run:
    names = frozenset(os.listdir(folder))
    if names.isdisjoint(WATCHED) or "gate-errors.txt" in names:
        raise _OddError
    over = "score.json" in names or "exit_code.txt" in names

    def content(name: str) -> bytes | None:
        return _content(name, folder, signatures) if name in names else None

    def lines(name: str) -> list[bytes]:
        data = content(name)
        if not data:
            return []
        if not over:
            data = data[: data.rfind(b"\n") + 1]
        return data.split(b"\n")

    meta, score, writer = content("meta.json"), content("score.json"), content("testwriter.json")
    events = [_EVENT.decode(line) for line in lines(EVENTS) if line.strip()]
    return Run(
        name,
        meta=None if meta is None else _META.decode(meta),
        score=None if score is None else _SCORE.decode(score),
        writer=None if writer is None else _WRITER.decode(writer),
        entries=tuple(_entries(lines(LEDGER))),
        triage=tuple(_TRIAGE.decode(line) for line in lines(TRIAGE) if line.strip()),
        signoffs=tuple(_SIGNOFF.decode(line) for line in lines(SIGNOFF) if line.strip()),
        activity=advance(_IDLE, _telling(events)) if events else _IDLE,
        snapshots=frozenset(
            [n for file in names if file[:5] == "snap-" and (n := _snapshot(file)) is not None]
        ),
        over=over or any(event.event in OVER for event in events),
    )


@lru_cache(256)
def _snapshot(file: str) -> int | None:
    """The number of a snapshot, None when it is none; all runs name theirs alike."""
    match = SNAPSHOT.fullmatch(file)
    return int(match[1]) if match else None


def _content(name: str, folder: int, signatures: dict[str, Signature]) -> bytes:
    fd = os.open(name, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder)
    try:
        info = os.fstat(fd)
        if not stat.S_ISREG(info.st_mode) or info.st_size > _LIMIT:
            raise _OddError
        signatures[name] = _signature(info)
        return os.read(fd, info.st_size)
    finally:
        os.close(fd)


def _signature(info: os.stat_result) -> Signature:
    return info.st_ino, info.st_size, info.st_mtime_ns


def _entries(lines: list[bytes]) -> Iterator[Entry]:
    offset, last = 0, b""
    for number, raw in enumerate(lines, 1):
        if raw.strip():
            stop = _STOP.decode(raw)
            chained = None
            if stop.prev is not None:
                chained = stop.prev == (hashlib.sha256(last).hexdigest() if last else "")
            yield Entry(stop, number, offset, len(raw), chained)
            last = raw
        offset += len(raw) + 1


def _telling(events: list[Event]) -> list[Event]:
    """What `events` tell once all are there: checks are of interest only within a stop that has not ended."""
    begun = {(e.n, e.stop_id) for e in events if e.event == "stop_begun"}
    ended = {(e.n, e.stop_id) for e in events if e.event == "stop_ended"}
    if begun <= ended:
        return [e for e in events if e.event not in ("check_started", "check_ended")]
    return events
