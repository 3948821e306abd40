"""Sheets as Markdown."""

from collections.abc import Iterable

from gatecore.analysis.markdown import escaped, row
from gateview.report.sheet import Sheet, text_of


def markdown(sheets: Iterable[Sheet]) -> str:
    """`sheets` as sections of Markdown, in which nothing that comes from a run is markup."""
    return "\n".join(map(_section, sheets))


def _section(sheet: Sheet) -> str:
    rule = ["---" if i < sheet.left else "---:" for i in range(len(sheet.head))]
    table = row(map(escaped, sheet.head)) + f"|{'|'.join(rule)}|\n"
    table += "".join(row(escaped(text_of(cell)) for cell in cells) for cells in sheet.rows)
    notes = "".join(f"\n{escaped(note)}\n" for note in sheet.notes)
    return f"## {sheet.title}\n\n{table}{notes}"
