"""A table before it is drawn: cells know their figure and how it reads."""

from dataclasses import dataclass
from typing import NamedTuple

from gatecore.stats import wilson
from gateview.report.figures import AT_LEAST, NONE, UNKNOWN, rate


class Rate(NamedTuple):
    """k of n; None is unknown."""

    k: int | None
    n: int | None

    @property
    def text(self) -> str:
        """As ``28/33 85% [69-93]``, ``n/a`` for 0/0, ``?`` when unknown."""
        return rate(self.k, self.n)

    @property
    def figures(self) -> tuple[int | None, int | None, float | None, float | None, float | None]:
        """k, n, rate, and the bounds of the 95 % interval; rates as fractions of 1."""
        interval = None if self.k is None or self.n is None else wilson(self.k, self.n)
        if interval is None or self.k is None or self.n is None:
            return self.k, self.n, None, None, None
        return self.k, self.n, self.k / self.n, *interval


class Span(NamedTuple):
    """The bounds of a 95 % interval, as fractions of 1; None where there is none."""

    low: float | None
    high: float | None

    @property
    def text(self) -> str:
        """As ``[69-93]`` or ``[-4 to 12]``, ``n/a`` where there is none."""
        if self.low is None or self.high is None:
            return NONE
        if self.low < 0:
            return f"[{100 * self.low:.0f} to {100 * self.high:.0f}]"
        return f"[{100 * self.low:.0f}\N{EN DASH}{100 * self.high:.0f}]"


class Number(NamedTuple):
    """A figure that may be unknown or a lower bound, and how it reads: ``0.085``, ``≥0.92``, ``?``, ``n/a``."""

    value: float | None
    text: str
    at_least: bool = False


Cell = str | int | Rate | Span | Number


def text_of(cell: Cell) -> str:
    """How a cell reads."""
    return str(cell) if isinstance(cell, str | int) else cell.text


def number(
    value: float | None, digits: int, *, at_least: bool = False, none: str = UNKNOWN, unit: str = ""
) -> Number:
    """`value` with `digits` decimals; `none` is what stands for None."""
    if value is None:
        return Number(None, none)
    return Number(value, f"{AT_LEAST if at_least else ''}{value:.{digits}f}{unit}", at_least)


def summed(known: float | None, unknown: int, digits: int = 0, *, per: int = 1, unit: str = "") -> Number:
    """A sum (divided by `per`) of which `unknown` parts are not known: then a lower bound, ``?`` of nothing."""
    if per == 0:
        return Number(None, NONE)
    if known is None or (unknown and not known):
        return Number(None, UNKNOWN)
    return number(known / per, digits, at_least=bool(unknown), unit=unit)


@dataclass(frozen=True, slots=True)
class Sheet:
    """`rows` hold one cell a column of `head`; the first `left` columns are words, the rest are figures.

    Texts come from run directories as they are: who draws them makes them safe. `more` rows were left out;
    a `detail` is drawn only when it is asked for by name.
    """

    name: str
    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    left: int = 1
    notes: tuple[str, ...] = ()
    more: int = 0
    detail: bool = False
