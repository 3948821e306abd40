"""Draw sheets for a pipe: plain text, as wide as what is in it."""

from collections.abc import Iterable, Sequence
from typing import TextIO
from unicodedata import combining, east_asian_width

from gatecore.analysis.markdown import brief
from gateview.report.sheet import Sheet, text_of

_GAP = "   "


def print_plain(sheets: Iterable[Sheet], out: TextIO) -> None:
    """Draw `sheets` on `out`, without a control code."""
    for sheet in sheets:
        out.write(f"{sheet.title}\n")
        rows = [list(map(brief, sheet.head)), *([brief(text_of(cell)) for cell in row] for row in sheet.rows)]
        widths = [max(map(width, column)) for column in zip(*rows, strict=True)]
        rows.insert(1, ["─" * width for width in widths])
        out.writelines(f"{_line(row, widths, sheet.left)}\n" for row in rows)
        out.writelines(f"{brief(note)}\n" for note in sheet.notes)
        out.write("\n")


def width(text: str) -> int:
    """Cells that `text` takes up: wide characters two, combining ones none."""
    if text.isascii():
        return len(text)
    return sum(0 if combining(c) else 2 if east_asian_width(c) in "WF" else 1 for c in text)


def _line(row: Sequence[str], widths: Sequence[int], left: int) -> str:
    cells = (
        cell + " " * (size - width(cell)) if i < left else " " * (size - width(cell)) + cell
        for i, (cell, size) in enumerate(zip(row, widths, strict=True))
    )
    return _GAP.join(cells).rstrip()
