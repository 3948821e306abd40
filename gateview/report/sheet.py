"""A table before it is drawn."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Sheet:
    """`rows` hold one text a column of `head`; the first `left` columns are words, the rest are figures.

    Texts come from run directories as they are: who draws them makes them safe.
    """

    name: str
    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    left: int = 1
    notes: tuple[str, ...] = ()
