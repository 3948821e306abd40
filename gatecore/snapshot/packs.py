"""Many new objects in one file: 1,000 of them cost one git process, and not 1,000 new files on the disk."""

import zlib
from collections.abc import Callable, Collection
from typing import Any

_KINDS = {"tree": 2, "blob": 3}


def pack(objects: Collection[tuple[str, bytes]], digest: Callable[[bytes], Any]) -> bytes:
    """A pack (see gitformat-pack) of objects, given as kind and body, for `git index-pack --stdin`."""
    head = b"PACK" + (2).to_bytes(4, "big") + len(objects).to_bytes(4, "big")
    body = b"".join([head, *(_head(kind, len(body)) + zlib.compress(body, 1) for kind, body in objects)])
    return body + digest(body).digest()  # type: ignore[no-any-return]


def _head(kind: str, size: int) -> bytes:
    """Kind and size: four bits of the size beside the kind, then seven a byte; a high bit says that more come."""
    head = [_KINDS[kind] << 4 | size & 0b1111]
    size >>= 4
    while size:
        head[-1] |= 0x80
        head.append(size & 0x7F)
        size >>= 7
    return bytes(head)
