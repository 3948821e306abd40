"""Draw sheets on a terminal, in its width and with its colours."""

from collections.abc import Iterable, Iterator
from typing import Literal, TextIO

from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from gatecore.analysis.markdown import brief
from gateview.report.sheet import Sheet, text_of

_GAP = 3


def print_on_terminal(sheets: Iterable[Sheet], out: TextIO) -> None:
    """Draw `sheets` on the terminal `out`. Everything drawn is untrusted text, and no markup."""
    console = Console(file=out, force_terminal=True, markup=False, highlight=False)
    for sheet in sheets:
        console.print(Text(sheet.title, style="bold"))
        for columns in _portions(sheet, console.width):
            console.print(_table(sheet, columns))
        for note in sheet.notes:
            console.print(Text(brief(note), style="dim"))
        console.print()


def _portions(sheet: Sheet, width: int) -> Iterator[list[int]]:
    """Columns that fit side by side; where all do not, the first one begins each portion."""
    texts = ([brief(text_of(cell)) for cell in cells] for cells in zip(sheet.head, *sheet.rows, strict=True))
    widths = [max(map(cell_len, column)) for column in texts]
    portion, used = [0, 1], widths[0] + _GAP + widths[1]
    for i in range(2, len(widths)):
        if used + _GAP + widths[i] > width:
            yield portion
            portion, used = [0], widths[0]
        portion.append(i)
        used += _GAP + widths[i]
    yield portion


def _table(sheet: Sheet, columns: list[int]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for i in columns:
        side: Literal["left", "right"] = "left" if i < sheet.left else "right"
        table.add_column(Text(brief(sheet.head[i])), justify=side, overflow="fold", header_style="dim")
    for cells in sheet.rows:
        texts = [Text(brief(text_of(cells[i]))) for i in columns]
        for text in texts:
            text.highlight_regex(r"\[\d+\N{EN DASH}\d+\]$", "dim")
        table.add_row(*texts)
    return table
