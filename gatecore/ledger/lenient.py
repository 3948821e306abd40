"""Decode JSON that may be damaged: a bad field costs that field, never the line.

The fast path is a typed msgspec decode. Only when that fails is the value rebuilt field by field, so that
well-formed ledgers pay nothing for the tolerance.
"""

import json
import types
from collections.abc import Iterator
from functools import cache
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

import msgspec

from gatecore.ledger.records import Record

R = TypeVar("R", bound=Record)
_NO_NUMBER = object()
"""Stands for NaN and Infinity, which no field can hold."""


class UnreadableError(ValueError):
    """Nothing of the line or file could be read as a JSON object; the message says why."""


def decode(raw: bytes, kind: type[R]) -> tuple[R, tuple[str, ...]]:
    """Return the record in `raw` and the dotted names of the fields that could not be read.

    Raises UnreadableError when `raw` is no JSON object.
    """
    try:
        return _decoder(kind).decode(raw), ()
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        pass
    value = _loads(raw)
    if not isinstance(value, dict):
        raise UnreadableError(f"holds a JSON {type(value).__name__}, not an object")
    lost: list[str] = []
    return _build(value, kind, "", lost), tuple(lost)


@cache
def _decoder(kind: type[R]) -> "msgspec.json.Decoder[R]":
    return msgspec.json.Decoder(kind)


@cache
def _hints(kind: type[Record]) -> dict[str, Any]:
    return get_type_hints(kind, include_extras=True)


def _loads(raw: bytes) -> Any:
    text = raw.decode("utf-8", "replace").strip("\ufeff\x00 \t\r\n")
    if not text:
        raise UnreadableError("is empty")
    try:
        return json.loads(text, parse_int=_integer, parse_constant=lambda _: _NO_NUMBER)
    except (ValueError, RecursionError) as err:
        raise UnreadableError(f"is no JSON ({err})") from None


def _integer(digits: str) -> int | float:
    """Beyond 64 bits as a float: no field needs it, and Python refuses to read thousands of digits."""
    return int(digits) if len(digits) < 20 else float(digits)


def _build(value: dict[str, Any], kind: type[R], path: str, lost: list[str]) -> R:
    known: dict[str, Any] = {}
    hints = _hints(kind)
    for field in msgspec.structs.fields(kind):
        if value.get(field.encode_name) is None:
            continue  # missing and null are the same: unknown
        where = f"{path}{field.encode_name}"
        for part in _convert(value[field.encode_name], hints[field.name], where, lost):
            known[field.name] = part
    return kind(**known)


def _convert(value: Any, hint: Any, where: str, lost: list[str]) -> Iterator[Any]:
    """Yield the value as `hint` has it, or nothing (and note the loss) where it cannot be read."""
    try:
        yield msgspec.convert(value, hint, strict=False)
        return
    except (msgspec.ValidationError, RecursionError):
        pass
    struct = _record_in(hint)
    if struct and isinstance(value, dict) and get_origin(hint) is not dict:
        yield _build(value, struct, f"{where}.", lost)
    elif isinstance(value, list) and (item := _item_of(hint)) is not None:
        yield tuple(part for i, v in enumerate(value) for part in _convert(v, item, f"{where}.{i}", lost))
    elif isinstance(value, dict) and get_origin(hint) is dict:
        item = get_args(hint)[1]
        yield {k: p for k, v in value.items() for p in _convert(v, item, f"{where}.{k}", lost)}
    elif isinstance(value, int | float) and not isinstance(value, bool) and str in _options(hint):
        yield str(value)
    else:
        lost.append(where)


def _options(hint: Any) -> tuple[Any, ...]:
    return get_args(hint) if get_origin(hint) in (Union, types.UnionType) else (hint,)


def _record_in(hint: Any) -> type[Record] | None:
    return next((o for o in _options(hint) if isinstance(o, type) and issubclass(o, Record)), None)


def _item_of(hint: Any) -> Any:
    return get_args(hint)[0] if get_origin(hint) is tuple else None
