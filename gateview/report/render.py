"""Draw sheets: as tables for a terminal or a pipe, and as Markdown. Everything drawn is untrusted text."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Literal, TextIO

from gatecore.analysis.markdown import brief, escaped, row
from gateview.report.sheet import Sheet

if TYPE_CHECKING:
    from rich.table import Table

_GAP = 3
_NATURAL = 100_000
"""Columns of a pipe: tables are as wide as what is in them."""


def print_tables(sheets: Iterable[Sheet], out: TextIO) -> None:
    """Draw `sheets` on `out`: in its width and with its colours on a terminal, plain and whole elsewhere."""
    from rich.console import Console
    from rich.text import Text

    terminal = out.isatty()
    width = None if terminal else _NATURAL
    console = Console(file=out, force_terminal=terminal, width=width, markup=False, highlight=False)
    for sheet in sheets:
        console.print(Text(sheet.title, style="bold"))
        for columns in _portions(sheet, console.width):
            console.print(_table(sheet, columns))
        for note in sheet.notes:
            console.print(Text(brief(note), style="dim"))
        console.print()


def _portions(sheet: Sheet, width: int) -> Iterator[list[int]]:
    """Columns that fit side by side; where all do not, the first one begins each portion."""
    from rich.cells import cell_len

    widths = [max(map(cell_len, map(brief, cells))) for cells in zip(sheet.head, *sheet.rows, strict=True)]
    portion, used = [0, 1], widths[0] + _GAP + widths[1]
    for i in range(2, len(widths)):
        if used + _GAP + widths[i] > width:
            yield portion
            portion, used = [0], widths[0]
        portion.append(i)
        used += _GAP + widths[i]
    yield portion


def _table(sheet: Sheet, columns: list[int]) -> "Table":
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for i in columns:
        side: Literal["left", "right"] = "left" if i < sheet.left else "right"
        table.add_column(Text(brief(sheet.head[i])), justify=side, overflow="fold", header_style="dim")
    for cells in sheet.rows:
        texts = [Text(brief(cells[i])) for i in columns]
        for text in texts:
            text.highlight_regex(r"\[\d+\N{EN DASH}\d+\]$", "dim")
        table.add_row(*texts)
    return table


def markdown(sheets: Iterable[Sheet]) -> str:
    """`sheets` as sections of Markdown."""
    return "\n".join(map(_section, sheets))


def _section(sheet: Sheet) -> str:
    rule = ["---" if i < sheet.left else "---:" for i in range(len(sheet.head))]
    table = row(map(escaped, sheet.head)) + f"|{'|'.join(rule)}|\n"
    table += "".join(row(map(escaped, cells)) for cells in sheet.rows)
    notes = "".join(f"\n{escaped(note)}\n" for note in sheet.notes)
    return f"## {sheet.title}\n\n{table}{notes}"
