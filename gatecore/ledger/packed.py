"""Small records in a compact form, for what is made from ledgers and kept beside them."""

from collections.abc import Callable
from functools import cache
from typing import Any, TypeVar

import msgspec

P = TypeVar("P", bound="Packed")

_ENCODER = msgspec.msgpack.Encoder()
pack: Callable[[Any], bytes] = _ENCODER.encode
"""Encode a packed record, or a tuple of them."""


class UnpackError(ValueError):
    """The bytes hold no such record."""


class Packed(msgspec.Struct, array_like=True, frozen=True, gc=False):
    """Base of records that are encoded by position: fields are added at the end only."""


def unpack(data: bytes | memoryview, kind: type[P]) -> P:
    """Decode what `pack` made. Raises UnpackError."""
    try:
        record: P = _decoder(kind).decode(data)
    except msgspec.DecodeError as err:
        raise UnpackError(str(err)) from None
    return record


@cache
def _decoder(kind: type[P]) -> "msgspec.msgpack.Decoder[P]":
    return msgspec.msgpack.Decoder(kind)
