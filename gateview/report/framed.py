"""Frames and groups of their rows as sheets."""

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from gatecore import __version__
from gateview.report.figures import UNKNOWN
from gateview.report.sheet import Cell, Number, Sheet
from gateview.report.write import Format, print_sheet

if TYPE_CHECKING:
    from polars import DataFrame

    from gatecore.frames import Frames


def print_frame(runs: Sequence[Path], name: str, format: Format, out: TextIO) -> None:  # noqa: A002
    """Print the frame `name` over the runs in the folders `runs`."""
    from gatecore import frames

    loaded = frames.load(*runs)
    found: DataFrame = getattr(loaded, name)
    if format == "csv":
        out.write(frames.csv(found))
    elif format == "parquet":
        sys.stdout.buffer.write(frames.parquet(found))
    else:
        unit = f"Unit: row of the frame {name}, of every run; columns: gatecore.frames.schemas."
        notes = (unit, _corpus(runs, loaded))
        print_sheet(replace(sheet_of(found, name, 1), name=name, notes=notes), format, out)


def groups(runs: Sequence[Path], by: str) -> Sheet:
    """Rows of a frame counted by its columns, ``cfg,kind`` or ``checks.check``. Raises ValueError."""
    from gatecore import frames
    from gatecore.frames.grouping import grouped

    names = [name.strip() for name in by.split(",")]
    owners = {name.rpartition(".")[0] for name in names} - {""}
    if len(owners) > 1:
        raise ValueError(f"{by}: columns of {' and '.join(sorted(owners))}; a group is of one frame")
    columns = [name.rpartition(".")[2] for name in names]
    loaded = frames.load(*runs)
    name, found = grouped(loaded, columns, *owners)
    unit = f"Unit: row of the frame {name}, of runs that count; columns: gatecore.frames.schemas."
    made = sheet_of(found, f"{name} by {', '.join(columns)}", len(columns))
    return replace(made, notes=(unit, _corpus(runs, loaded)))


def _corpus(folders: Sequence[Path], loaded: "Frames") -> str:
    """What the rows are of, for a line under the table."""
    runs, counted = loaded.runs.height, int(loaded.runs["counted"].sum())
    names = ", ".join(map(str, folders))
    return f"Corpus: {names}: {runs} runs, {counted} of them count, gateview {__version__}."


def sheet_of(found: "DataFrame", title: str, left: int) -> Sheet:
    """A frame as a sheet."""
    rows = tuple(tuple(map(_cell, row)) for row in found.rows())
    return Sheet("frame", title, tuple(found.columns), rows, left)


def _cell(value: Any) -> Cell:
    if value is None:
        return Number(None, UNKNOWN)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return Number(value, f"{value:.4g}")
    if isinstance(value, list):
        return " ".join(value)
    return value if isinstance(value, int) else str(value)
