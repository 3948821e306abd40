"""Small PNG files, made by hand."""

import struct
import zlib


def chunk(kind: bytes, body: bytes) -> bytes:
    """One chunk of a PNG."""
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def png(width: int = 4, height: int = 3, *more: bytes, shade: int = 0) -> bytes:
    """A grey picture; of one that is too large to be made, only the beginning of its pixels is there."""
    head = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0))
    rows = (b"\0" + bytes([shade]) * min(width, 4000)) * min(height, 4000)
    return (
        b"\x89PNG\r\n\x1a\n"
        + head
        + b"".join(more)
        + chunk(b"IDAT", zlib.compress(rows))
        + chunk(b"IEND", b"")
    )
