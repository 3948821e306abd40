"""What the gate itself remembers between the stops of a run, under a lock.

Numbers, the count of blocks and the end of the ledger's chain come from here and not from the ledger, so that
lines which the agent adds to the ledger change none of them.
"""

import fcntl
import hashlib
import json
import os
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from gatecore.ledger import writer

FILE = "state.json"
LEDGER = "gate.jsonl"
_NUMBERED = r"(?:snap|hook-input)-(\d{1,9})\.(?:diff|json)"


@contextmanager
def locked(state: str, run: str) -> Iterator[dict[str, Any]]:
    """Yield the run's state as a dict to change in place; it is saved when the block ends without an error.

    A state that is missing although the run has had stops, or that is damaged, is begun anew past the
    highest number in the run directory, and says so under ``"lost"``.
    """
    fd = os.open(os.path.join(state, "state.lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX)
        memory = _load(state, run)
        yield memory
        _save(state, memory)
    finally:
        os.close(fd)


def number(memory: dict[str, Any], run: str, stop_id: str) -> int:
    """Give a stop its number, and remember that it is open until its record is there.

    Where stops are open already, one of them may have been killed: ``"strays"`` says so.
    """
    if memory["open"]:
        memory["strays"] = True
    tell_open(memory, run)
    memory["n"] += 1
    memory["open"] = {stop_id: memory["n"]}
    return int(memory["n"])


def tell_open(memory: dict[str, Any], run: str) -> None:
    """Put on record that stops began which were killed before they could do so themselves."""
    if not memory["open"]:
        return
    try:
        with open(os.path.join(run, "events.jsonl"), encoding="utf-8", errors="replace") as file:
            told = file.read()
    except FileNotFoundError:
        told = ""
    for stop_id, n in memory["open"].items():
        if stop_id not in told:
            writer.append_event(run, "stop_begun", n=n, stop_id=stop_id)
    memory["open"] = {}


def append_record(state: str, memory: dict[str, Any], run: str, record: dict[str, Any]) -> None:
    """Append a stop's record, chained to the one before. `memory` is the locked state, and is saved first.

    So a kill at any moment leaves the two in step: what was to be appended, and to what length of the ledger,
    is known to the next stop. A ledger that somebody else wrote to is named as tampered with in the record.
    Raises OSError when state or record cannot be written.
    """
    path = os.path.join(run, LEDGER)
    size = _size(path)
    if _changed(memory, size):
        record["tampered"] = [*record.get("tampered", ()), path]
    pending = memory.pop("pending", None)
    if pending and size == pending["size"]:
        memory["last"] = pending["last"]  # that append never happened
    record["prev"] = memory["last"]
    line = writer.encode(record)
    memory["pending"] = {"size": size, "last": memory["last"]}
    memory["last"] = hashlib.sha256(line[:-1]).hexdigest()
    _save(state, memory)
    writer.append_line(path, line)
    del memory["pending"]
    memory["size"] = _size(path)


def ledger_changed(state: str, run: str) -> bool:
    """Whether the ledger is not as long as the last stop left it: somebody else wrote to it."""
    return _changed(_load(state, run), _size(os.path.join(run, LEDGER)))


def _changed(memory: dict[str, Any], size: int) -> bool:
    # A stop that was killed while it wrote leaves either length.
    return "pending" not in memory and size != memory.get("size", size)


@contextmanager
def judging(state: str, deadline: float) -> Iterator[None]:
    """Let one stop of a run be judged at a time: they share the index and the copies.

    Raises TimeoutError when the stop before has not ended by `deadline` (monotonic seconds).
    """
    fd = os.open(os.path.join(state, "judging.lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        while True:
            try:
                fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > deadline:
                    raise TimeoutError("another stop of this run was still being judged") from None
                time.sleep(0.02)
        yield
    finally:
        os.close(fd)


def _load(state: str, run: str) -> dict[str, Any]:
    with suppress(OSError, ValueError, KeyError, TypeError), open(os.path.join(state, FILE), "rb") as file:
        memory = json.load(file)
        if isinstance(memory["n"], int) and isinstance(memory["requests"], dict):
            return {"open": {}, **memory}
    highest = max((int(m[1]) for name in os.listdir(run) if (m := re.fullmatch(_NUMBERED, name))), default=0)
    memory = {"n": highest, "last": "", "open": {}, "requests": {}, "reviews": {}}
    if highest or os.path.exists(os.path.join(run, LEDGER)):
        return {**memory, "lost": True, "strays": True}
    return {**memory, "size": 0}


def _save(state: str, memory: dict[str, Any]) -> None:
    writer.write_file(os.path.join(state, FILE), json.dumps(memory))


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size
    except FileNotFoundError:
        return 0
