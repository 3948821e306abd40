"""PNG files as a command of the user's left them: what they claim is checked, and no pixel is unpacked."""

import struct
from binascii import crc32
from typing import NamedTuple

MAX_SIDE = 16_384
MAX_PIXELS = 50_000_000
_SIGNATURE = b"\x89PNG\r\n\x1a\n"


class Size(NamedTuple):
    """Of a picture, in pixels."""

    width: int
    height: int


class NotAPngError(ValueError):
    """The bytes are no PNG, or one that nobody should unpack; the message says why."""


def png_size(data: bytes) -> Size:
    """The size of the picture in `data`, every chunk of which is there and unharmed. Raises NotAPngError."""
    if not data.startswith(_SIGNATURE):
        raise NotAPngError("is no PNG")
    kinds: list[bytes] = []
    place, size = len(_SIGNATURE), Size(0, 0)
    while place < len(data) and kinds[-1:] != [b"IEND"]:
        kind, body, place = _chunk(data, place)
        if kind == b"IHDR" and len(body) == 13:
            size = Size(*struct.unpack(">II", body[:8]))
        kinds.append(kind)
    if kinds[:1] != [b"IHDR"] or kinds[-1:] != [b"IEND"] or kinds.count(b"IHDR") != 1 or b"IDAT" not in kinds:
        raise NotAPngError("is a PNG of which a part is missing")
    if not size.width or not size.height:
        raise NotAPngError("is a PNG without a pixel")
    if max(size) > MAX_SIDE or size.width * size.height > MAX_PIXELS:
        raise NotAPngError(f"claims to have {size.width} x {size.height} pixels")
    return size


def _chunk(data: bytes, place: int) -> tuple[bytes, bytes, int]:
    """The kind and content of the chunk at `place`, and where the next one begins."""
    head = data[place : place + 8]
    length = int.from_bytes(head[:4], "big")
    end = place + 8 + length
    kind, body, checksum = head[4:], data[place + 8 : end], data[end : end + 4]
    if len(kind) < 4 or len(checksum) < 4:
        raise NotAPngError("is a PNG that was cut")
    if int.from_bytes(checksum, "big") != crc32(kind + body):
        raise NotAPngError("is a PNG that was damaged")
    return kind, body, end + 4
