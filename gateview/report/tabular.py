"""Sheets as columns of values: CSV, JSON objects, and what Parquet is made of."""

import csv
import io
from collections.abc import Iterator, Sequence
from typing import Any, TextIO

from gatecore.text import clean
from gateview.report.sheet import Cell, Number, Rate, Sheet, Span

Column = tuple[str, list[Any]]
"""A name and its values; None is unknown or not there."""


def columns(sheet: Sheet) -> list[Column]:
    """A column of figures for each column of `sheet`; of a rate, five: k, n, rate, low, high.

    Rates and their bounds are fractions of 1. A sum that is only a lower bound has that said in a column of
    its own.
    """
    return [
        column
        for i, name in enumerate(sheet.head)
        for column in _columns(name, [row[i] for row in sheet.rows])
    ]


def records(sheet: Sheet) -> list[dict[str, Any]]:
    """The rows of `sheet` as objects."""
    names, values = zip(*columns(sheet), strict=True)
    return [dict(zip(names, row, strict=True)) for row in zip(*values, strict=True)]


def write_csv(found: Sequence[Column], out: TextIO) -> None:
    """Write columns as CSV. Control codes in texts are made visible; newlines stay, quoted."""
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([clean(name) for name, _ in found])
    writer.writerows(
        [clean(value) if isinstance(value, str) else value for value in row]
        for row in zip(*(values for _, values in found), strict=True)
    )


def csv_text(found: Sequence[Column]) -> str:
    """The same as text."""
    out = io.StringIO()
    write_csv(found, out)
    return out.getvalue()


def _columns(name: str, cells: Sequence[Cell]) -> Iterator[Column]:
    if any(isinstance(cell, Rate) for cell in cells):
        figures = [cell.figures if isinstance(cell, Rate) else (_value(cell), *_FOUR_NONE) for cell in cells]
        yield from _named(name, ("k", "n", "rate", "low", "high"), figures)
    elif any(isinstance(cell, Span) for cell in cells):
        yield from _named(name, ("low", "high"), [cell for cell in cells if isinstance(cell, Span)])
    else:
        yield name, [_value(cell) for cell in cells]
        if any(isinstance(cell, Number) and cell.at_least for cell in cells):
            yield f"{name} at least", [isinstance(cell, Number) and cell.at_least for cell in cells]


_FOUR_NONE = (None,) * 4


def _named(name: str, endings: Sequence[str], rows: Sequence[Sequence[Any]]) -> Iterator[Column]:
    for ending, values in zip(endings, zip(*rows, strict=True), strict=True):
        yield f"{name} {ending}", list(values)


def _value(cell: Cell) -> Any:
    """The figure; a text is itself, and an empty one nothing."""
    return cell.value if isinstance(cell, Number) else None if cell == "" else cell
