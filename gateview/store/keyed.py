"""Values by key, never changed: a copy with changes shares with its origin whatever did not change."""

from collections.abc import Iterator, Mapping
from typing import TypeVar

V = TypeVar("V")

_BUCKETS = 512
_NONE: tuple[dict[str, "object"], ...] = ({},) * _BUCKETS


class Keyed(Mapping[str, V]):
    """A mapping of which a changed copy costs about the same whatever its length; in no order."""

    __slots__ = ("_buckets", "_length")

    def __init__(self) -> None:
        self._buckets: tuple[dict[str, V], ...] = _NONE  # type: ignore[assignment]
        self._length = 0

    def __getitem__(self, key: str) -> V:
        return self._buckets[hash(key) % _BUCKETS][key]

    def __iter__(self) -> Iterator[str]:
        for bucket in self._buckets:
            yield from bucket

    def __len__(self) -> int:
        return self._length

    def with_changes(self, changes: Mapping[str, V | None]) -> "Keyed[V]":
        """Return a copy in which each key of `changes` has its new value, or is gone where that is None."""
        touched: dict[int, dict[str, V]] = {}
        for key, value in changes.items():
            place = hash(key) % _BUCKETS
            bucket = touched.get(place)
            if bucket is None:
                bucket = touched[place] = self._buckets[place].copy()
            if value is None:
                bucket.pop(key, None)
            else:
                bucket[key] = value
        copy: Keyed[V] = Keyed()
        buckets = list(self._buckets)
        for place, bucket in touched.items():
            copy._length += len(bucket) - len(buckets[place])
            buckets[place] = bucket
        copy._buckets, copy._length = tuple(buckets), self._length + copy._length
        return copy

    def changed_since(self, before: "Keyed[V]") -> list[str]:
        """Return the keys whose value is another object than in `before`, or is in one of both only."""
        changed: list[str] = []
        for old, new in zip(before._buckets, self._buckets, strict=True):
            if old is not new:
                changed += [key for key, value in new.items() if old.get(key) is not value]
                changed += [key for key in old if key not in new]
        return changed
