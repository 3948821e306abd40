"""Follow a file that only grows, line by line, through torn writes, truncation and replacement."""

import os
import stat
from pathlib import Path
from typing import NamedTuple

_CHUNK_LIMIT = 64 * 1024 * 1024
"""At most this much is read at once, so that a huge file cannot exhaust the memory."""


class Cursor(NamedTuple):
    """How far a file was read."""

    inode: int = 0
    offset: int = 0  # first byte not yet taken
    line: int = 0  # lines taken so far
    tail: bytes = b""  # the last bytes taken: when they are gone, the file was rewritten
    cut: bool = False  # the last line taken had no newline: when the file grows, that line was not whole


class Lines(NamedTuple):
    """New lines without their newline. `restarted`: the file was replaced or cut, and all are given anew."""

    lines: list[bytes]
    cursor: Cursor
    restarted: bool = False
    more: bool = False  # the limit was hit: read again


class NotAFileError(OSError):
    """The path is there but is not a plain file (a FIFO would block for ever)."""


def read_lines(path: Path, cursor: Cursor, *, finished: bool = False) -> Lines:
    """Return the lines after `cursor`; an unfinished last line waits, unless the file is `finished`.

    A missing file has no lines. Raises OSError when the file cannot be read, NotAFileError when it is none.
    """
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        return Lines([], Cursor(), restarted=cursor.offset > 0)
    try:
        info = os.fstat(fd)
        if not stat.S_ISREG(info.st_mode):
            raise NotAFileError("not a plain file")
        replaced = cursor.offset > 0 and (
            cursor.inode != info.st_ino
            or info.st_size < cursor.offset
            or (cursor.cut and info.st_size > cursor.offset)
            or os.pread(fd, len(cursor.tail), cursor.offset - len(cursor.tail)) != cursor.tail
        )
        if replaced:
            cursor = Cursor()
        data = os.pread(fd, min(info.st_size - cursor.offset, _CHUNK_LIMIT), cursor.offset)
    finally:
        os.close(fd)
    more = cursor.offset + len(data) < info.st_size
    end = data.rfind(b"\n") + 1
    cut = finished and not more and end < len(data)
    if cut or (more and not end):
        end = len(data)
    lines = data[:end].removesuffix(b"\n").split(b"\n") if end else []
    tail = data[max(0, end - 256) : end] if end else cursor.tail
    after = Cursor(
        info.st_ino, cursor.offset + end, cursor.line + len(lines), tail, cut or (cursor.cut and not end)
    )
    return Lines(lines, after, replaced, more)
