"""Read files beside a ledger for showing: whatever lies there, in bounded time and memory."""

import os
import stat
from pathlib import Path
from typing import NamedTuple

LIMIT = 2_000_000  # bytes shown of one file


class SideText(NamedTuple):
    """Text of a file as it lies there, not cleaned; `note` says why it is not all, or nothing."""

    text: str
    note: str = ""


def read_side(path: Path, limit: int = LIMIT) -> SideText:
    """Read up to `limit` bytes of a text file."""
    return _read(path, 0, None, limit)


def read_record(path: Path, offset: int, size: int, limit: int = LIMIT) -> SideText:
    """Read the `size` bytes at `offset`, a record of a ledger."""
    return _read(path, offset, size, limit)


def _read(path: Path, offset: int, size: int | None, limit: int) -> SideText:
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            info = os.fstat(fd)
            if not stat.S_ISREG(info.st_mode):
                return SideText("", f"{path.name} is not a plain file")
            whole = info.st_size - offset if size is None else size
            data = os.pread(fd, min(whole, limit), offset) if whole > 0 else b""
        finally:
            os.close(fd)
    except FileNotFoundError:
        return SideText("", f"{path.name} is missing")
    except OSError as err:
        return SideText("", f"{path.name} cannot be read: {err.strerror or err}")
    if not data:
        return SideText("", f"{path.name} is empty")
    if b"\0" in data[:8000]:
        return SideText("", f"{path.name} is binary ({whole:,} bytes)")
    note = f"the first {len(data):,} of {whole:,} bytes of {path.name}" if whole > len(data) else ""
    return SideText(data.decode("utf-8", "replace"), note)
