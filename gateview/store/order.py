"""In which order runs are listed, and which of them a filter lets through."""

from collections.abc import Callable
from typing import Any, NamedTuple

from gateview.store.rows import Row


class Sort(NamedTuple):
    """One order of the runs: `column` is the head of the column it sorts by, `words` say which way."""

    name: str
    column: str
    words: str
    key: Callable[[Row], Any]


def _largest(value: float | None) -> float:
    return -value if value is not None else 1.0


SORTS = (
    Sort("name", "run", "by name", lambda r: r.order),
    Sort("newest", "run", "newest", lambda r: (-r.latest, r.order)),
    Sort(
        "false",
        "stops",
        "most false",
        lambda r: (-r.count("false"), -r.count("missed"), r.order),
    ),
    Sort("oracle", "oracle", "least met", lambda r: (r.met_share, r.order)),
    Sort("cost", "$", "dearest", lambda r: (-r.cost.units, r.order)),
    Sort("time", "s", "longest", lambda r: (_largest(r.seconds), r.order)),
)


def matches(row: Row, words: str) -> bool:
    """Whether each word of a filter is part of the row's name, state, config or classes of stops."""
    if not words:
        return True
    name = row.key.casefold()
    return all(word in name or word in row.about for word in words.casefold().split())
