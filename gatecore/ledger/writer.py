"""Append to ledgers and write run files. Standard library only: the hook uses it.

An append is one write under a lock on the file itself. A line that an earlier writer left without its end
is closed first, so that it costs itself and not the next record too.
"""

import fcntl
import json
import os
import time
from typing import Any

VERSION = 1


def now() -> str:
    """The present time with its UTC offset, to the millisecond."""
    # Without `datetime`, which costs a stop milliseconds to load.
    seconds = time.time()
    local = time.localtime(seconds)
    offset = time.strftime("%z", local)
    day = time.strftime("%Y-%m-%dT%H:%M:%S", local)
    return f"{day}.{int(seconds % 1 * 1000):03d}{offset[:3]}:{offset[3:]}"


def encode(record: dict[str, Any]) -> bytes:
    """One JSON line, newline included. Lone surrogates (names that are no UTF-8) are written as escapes."""
    text = json.dumps(record, ensure_ascii=False, allow_nan=False)
    try:
        return text.encode() + b"\n"
    except UnicodeEncodeError:
        return json.dumps(record, allow_nan=False).encode() + b"\n"


def append(path: str, record: dict[str, Any]) -> None:
    """Append one record as a line. Raises OSError as `append_line` does."""
    append_line(path, encode(record))


def append_line(path: str, line: bytes, *, sync: bool = True) -> None:
    """Append a line, newline included; with `sync` it is there after a power cut too.

    Raises OSError when it cannot be written whole; what was written of it is taken back.
    """
    fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX)
        size = os.fstat(fd).st_size
        torn = size > 0 and os.pread(fd, 1, size - 1) != b"\n"
        data = b"\n" + line if torn else line
        try:
            written = os.write(fd, data)
            if written < len(data):
                raise OSError(f"{path}: wrote {written} of {len(data)} bytes")
        except OSError as err:
            os.ftruncate(fd, size)
            raise _naming(path, err) from None
        if sync:
            os.fsync(fd)
    finally:
        os.close(fd)


def append_event(run: str, event: str, **fields: Any) -> None:
    """Append one line to the run's `events.jsonl`; fields that are None are left out.

    The live view needs events, no decision does: what cannot be written is dropped.
    """
    known = {key: value for key, value in fields.items() if value is not None}
    try:
        line = encode({"v": VERSION, "ts": now(), "event": event, **known})
        append_line(os.path.join(run, "events.jsonl"), line, sync=False)
    except OSError:
        return


def write_file(path: str, data: bytes | str) -> None:
    """Write a file whole or not at all."""
    temporary = f"{path}.{os.getpid()}.tmp"
    try:
        with open(temporary, "wb") as file:
            file.write(data.encode("utf-8", "backslashreplace") if isinstance(data, str) else data)
        os.replace(temporary, path)
    except OSError as err:
        if os.path.exists(temporary):
            os.unlink(temporary)
        raise _naming(path, err) from None


def _naming(path: str, err: OSError) -> OSError:
    """An error in writing names no file by itself."""
    return err if err.filename or err.errno is None else OSError(err.errno, err.strerror, path)


def write_json(path: str, value: Any) -> None:
    """Write a JSON document whole or not at all."""
    write_file(path, json.dumps(value, indent=2, ensure_ascii=True) + "\n")
