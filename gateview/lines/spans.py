"""Lines made of spans: text that is safe to show, with a role that says what it is, never how it looks."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from rich.cells import cell_len, get_character_cell_size, set_cell_size

from gatecore.text import clean

ROLES = (
    "dim", "head", "strong", "agree", "disagree", "unknown", "fresh", "warn",
    "bar", "bar-rest", "file", "hunk", "added", "removed", "added-row", "removed-row",
    "comment", "string", "number", "keyword", "defined",
)  # fmt: skip
"""`agree` and `disagree`: whether the gate agreed with the oracle; `fresh`: changed since the last look."""

_ONE_LINE = str.maketrans("\n\t", "  ")


@dataclass(frozen=True, slots=True)
class Span:
    """Text on one line, with roles (words out of ROLES). Making one is what makes untrusted text safe."""

    text: str
    role: str = ""

    def __post_init__(self) -> None:
        if not self.text.isprintable():
            object.__setattr__(self, "text", clean(self.text).translate(_ONE_LINE))

    def also(self, role: str) -> "Span":
        """Return the span with one more role."""
        return Span(self.text, f"{self.role} {role}".strip())


Spans = tuple[Span, ...]


def say(*parts: str | Span) -> Spans:
    """Make a line; a plain string has no role."""
    return tuple(Span(part) if isinstance(part, str) else part for part in parts)


def text_of(spans: Iterable[Span]) -> str:
    """The text alone."""
    return "".join(span.text for span in spans)


def width_of(spans: Iterable[Span]) -> int:
    """Width in cells of a terminal."""
    return sum(cell_len(span.text) for span in spans)


def crop(spans: Spans, width: int) -> Spans:
    """Return `spans` in at most `width` cells, with an ellipsis in place of what was cut."""
    if width_of(spans) <= width:
        return spans
    if width < 1:
        return ()
    kept: list[Span] = []
    room = width - 1
    for span in spans:
        size = cell_len(span.text)
        if size > room:
            kept.append(Span(set_cell_size(span.text, room).rstrip() + "…", span.role))
            break
        kept.append(span)
        room -= size
    return tuple(kept)


def find_line(texts: Sequence[str], words: str, now: int, step: int) -> int | None:
    """The line with `words` in it, whatever the case: after `now`, before it (`step` -1) or from it on (0)."""
    folded = words.casefold()
    found = [i for i, text in enumerate(texts) if folded in text.casefold()]
    if step < 0:
        return next((i for i in reversed(found) if i < now), None)
    return next((i for i in found if i >= now + step), found[0] if found and not step else None)


def fit(spans: Spans, width: int, *, right: bool = False) -> Spans:
    """Return `spans` in exactly `width` cells."""
    spans = crop(spans, width)
    space = Span(" " * max(0, width - width_of(spans)))
    if not space.text:
        return spans
    return (space, *spans) if right else (*spans, space)


def between(left: Spans, right: Spans, width: int) -> Spans:
    """Return one line with `right` at its end; `left` is cropped where they meet."""
    room = width - width_of(right)
    return (*fit(left, room), *right) if room > 0 else crop(right, width)


def joined(parts: Iterable[Spans], separator: str) -> Spans:
    """Join lines; empty ones are left out."""
    line: list[Span] = []
    for part in parts:
        if part:
            line += [Span(separator, "dim"), *part] if line else part
    return tuple(line)


def flow(parts: Iterable[Spans], separator: str, width: int) -> list[Spans]:
    """Join parts in as many lines as they need; no part is broken."""
    lines: list[Spans] = []
    for part in parts:
        longer = joined([lines[-1], part], separator) if lines else part
        if lines and width_of(longer) <= width:
            lines[-1] = longer
        else:
            lines.append(part)
    return lines


def wrap(spans: Spans, width: int, indent: int = 0) -> Iterator[Spans]:
    """Break a line so that each piece fits in `width` cells, after words where there are any."""
    if width_of(spans) <= width or width <= indent + 1:
        yield spans
        return
    text = text_of(spans)
    start, room = 0, width
    while start < len(text):
        end = _break(text, start, room)
        piece = _cut(spans, start, end)
        yield (Span(" " * indent), *piece) if start and indent else piece
        start, room = end, width - indent
        while start < len(text) and text[start] == " ":
            start += 1


def _break(text: str, start: int, room: int) -> int:
    """Index at which a piece that begins at `start` ends."""
    used = 0
    for end in range(start, len(text)):
        used += get_character_cell_size(text[end])
        if used > room:
            space = text.rfind(" ", start, end + 1)
            return space if space > start + (end - start) // 2 else max(end, start + 1)
    return len(text)


def _cut(spans: Spans, start: int, end: int) -> Spans:
    cut = []
    at = 0
    for span in spans:
        piece = span.text[max(0, start - at) : max(0, end - at)]
        if piece:
            cut.append(Span(piece, span.role))
        at += len(span.text)
    return tuple(cut)


class Column(NamedTuple):
    """One column of a table. Columns with the highest `drop` go first where there is no room; 0 stays."""

    head: str
    right: bool = False
    drop: int = 0


def table(
    columns: Sequence[Column], rows: Sequence[Sequence[Spans]], width: int, gap: int = 2
) -> list[Spans]:
    """Lay a table out in at most `width` cells, its heads first; the last column left may be cropped."""
    widths = [
        max([cell_len(column.head), *(width_of(row[i]) for row in rows)]) for i, column in enumerate(columns)
    ]
    shown = list(range(len(columns)))
    while sum(widths[i] + gap for i in shown) - gap > width:
        droppable = [i for i in shown if columns[i].drop]
        if not droppable:
            break
        shown.remove(max(droppable, key=lambda i: columns[i].drop))
    lines = [[(Span(c.head, "head"),) for c in columns], *rows]
    return [
        crop(
            _row([line[i] for i in shown], [columns[i] for i in shown], [widths[i] for i in shown], gap),
            width,
        )
        for line in lines
    ]


def _row(cells: Sequence[Spans], columns: Sequence[Column], widths: Sequence[int], gap: int) -> Spans:
    line: list[Span] = []
    for i, (cell, column, width) in enumerate(zip(cells, columns, widths, strict=True)):
        if i:
            line.append(Span(" " * gap))
        last = i == len(cells) - 1 and not column.right
        line += cell if last else fit(cell, width, right=column.right)
    return tuple(line)
