"""The list of runs: one line a run, its stops as a strip of signs."""

from dataclasses import dataclass

from gateview.lines.glyphs import Glyphs
from gateview.lines.numbers import share
from gateview.lines.spans import Span, Spans, crop, fit, say, width_of
from gateview.report.figures import money
from gateview.store.order import Sort
from gateview.store.rows import Row

_NAME_AT_MOST, _STRIP_AT_MOST = 44, 24
_ORACLE, _COST, _SECONDS, _STATE, _GAP = 6, 8, 7, 11, 2
_NO_GATE = "no gate"


@dataclass(frozen=True, slots=True)
class RunColumns:
    """Widths of the columns; 0 for one that has no room. Cost falls away first, then seconds, then state."""

    name: int
    strip: int
    oracle: int
    cost: int
    seconds: int
    state: int

    @classmethod
    def within(cls, width: int, name: int, strip: int) -> "RunColumns":
        """Share `width` out, given the widest name and the longest strip."""
        name, strip = max(4, min(name, _NAME_AT_MOST)), max(len(_NO_GATE), min(strip, _STRIP_AT_MOST))
        optional = {"cost": _COST, "seconds": _SECONDS, "state": _STATE, "oracle": _ORACLE}
        for column in list(optional):
            if name + strip + _GAP + sum(_GAP + w for w in optional.values() if w) <= width:
                break
            optional[column] = 0
        room = width - sum(_GAP + w for w in optional.values() if w) - _GAP
        strip = min(strip, max(len(_NO_GATE), room // 2))
        return cls(max(4, min(name, room - strip)), strip, **optional)

    def head(self, sort: Sort) -> Spans:
        """The heads; the sorted column is marked, and the last one says how."""
        return _line(
            [
                self._cell("run", self.name, sort),
                self._cell("stops", self.strip, sort),
                self._cell("oracle", self.oracle, sort, right=True),
                self._cell("$", self.cost, sort, right=True),
                self._cell("s", self.seconds, sort, right=True),
                fit(say(Span(sort.words, "head")), self.state),
            ]
        )

    def row(self, row: Row, glyphs: Glyphs, *, running: bool) -> Spans:
        """One run."""
        faint = "" if row.counted else "dim"
        return _line(
            [
                fit(say(Span(row.key, faint)), self.name),
                fit(_strip(row, glyphs, self.strip, running), self.strip),
                fit(_oracle(row), self.oracle, right=True),
                fit(_known(money(row.cost)), self.cost, right=True),
                fit(
                    _known("…" if running else "?" if row.seconds is None else f"{row.seconds:,.0f}"),
                    self.seconds,
                    right=True,
                ),
                fit(_state(row, glyphs, running), self.state),
            ]
        )

    def _cell(self, head: str, width: int, sort: Sort, *, right: bool = False) -> Spans:
        marked = sort.column == head
        return fit(
            say(Span(f"{head}▾" if marked else head, "head strong" if marked else "head")), width, right=right
        )


def _line(cells: list[Spans]) -> Spans:
    line: list[Span] = []
    for cell in cells:
        if width_of(cell):
            line += [Span(" " * _GAP), *cell] if line else cell
    return tuple(line)


def _strip(row: Row, glyphs: Glyphs, width: int, running: bool) -> Spans:
    if running and row.run.activity.begun:
        return (*glyphs.strip(row.kinds, width - 1), Span(glyphs.going_on, "dim"))
    if not row.stops:
        words = glyphs.going_on if running else "no stop" if row.run.gated else _NO_GATE
        return say(Span(words, "dim"))
    return glyphs.strip(row.kinds, width)


def _oracle(row: Row) -> Spans:
    text = share(*row.requirements)
    return say(Span(text, "" if row.run.score else "dim"))


def _known(text: str) -> Spans:
    return say(Span(text, "dim" if text in "?…" else ""))


def _state(row: Row, glyphs: Glyphs, running: bool) -> Spans:
    if running:
        return say(f"{glyphs.running} {row.run.activity.phase}")
    if row.run.losses:
        return say(Span(f"{len(row.run.losses)} lost", "warn"))
    tag = "tagged" if row.run.tag == row.run.name else (row.run.tag or "").lstrip("-")
    words = tag or (row.status if row.status != "scored" else "")
    return crop(say(Span(words, "dim")), _STATE)
