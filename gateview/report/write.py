"""Print sheets in a format, or write all of them as files."""

import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Literal, TextIO, get_args

from gateview.report.sheet import Sheet

Format = Literal["table", "md", "json", "csv", "parquet"]
FORMATS: tuple[Format, ...] = get_args(Format)


def draw(sheets: Iterable[Sheet], out: TextIO) -> None:
    """Draw `sheets` as tables: in its width and with its colours on a terminal, plain and whole elsewhere."""
    if out.isatty():
        from gateview.report.terminal import print_on_terminal

        print_on_terminal(sheets, out)
    else:
        from gateview.report.plain import print_plain

        print_plain(sheets, out)


def print_sheet(sheet: Sheet, format: Format, out: TextIO) -> None:  # noqa: A002
    """Print one sheet. Parquet goes to the bytes beneath `out`."""
    match format:
        case "table":
            draw([sheet], out)
        case "md":
            from gateview.report.markdown import markdown

            out.write(markdown([sheet]))
        case "json":
            from gateview.report.tabular import records

            out.write(json.dumps(records(sheet), indent=2) + "\n")
        case "csv":
            from gateview.report.tabular import columns, write_csv

            write_csv(columns(sheet), out)
        case "parquet":
            sys.stdout.buffer.write(parquet_of(sheet))


def write_files(sheets: Iterable[Sheet], folder: Path, format: Format) -> None:  # noqa: A002
    """Write each sheet, as CSV or Parquet, in a file of its name in `folder`, which is made. Raises OSError."""
    from gateview.report.tabular import columns, csv_text

    folder.mkdir(parents=True, exist_ok=True)
    for sheet in sheets:
        data = csv_text(columns(sheet)).encode() if format == "csv" else parquet_of(sheet)
        (folder / f"{sheet.name}.{format}").write_bytes(data)


def parquet_of(sheet: Sheet) -> bytes:
    """A sheet as Parquet."""
    from gatecore.frames import parquet, table
    from gateview.report.tabular import columns

    return parquet(table(columns(sheet)))


def unfailing(out: TextIO) -> TextIO:
    """Where the encoding of `out` lacks a character, it prints ``?`` instead of failing."""
    reconfigure = getattr(out, "reconfigure", None)
    if reconfigure:
        reconfigure(errors="replace")
    return out
