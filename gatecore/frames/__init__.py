"""Ledgers as Polars frames, for a notebook, CSV or Parquet. The only part that imports Polars.

>>> from gatecore import frames
>>> stops = frames.load("runs").stops
>>> stops.filter("counted").group_by("cfg", "kind").len()

`gatecore.frames.schemas` says what each column is.
"""

import io
from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from gatecore.frames.rows import Row, rows
from gatecore.frames.schemas import COUNT, FLAG, REAL, SCHEMAS, TEXT, TEXTS, Schema
from gatecore.ledger.folders import NoRunsError, find_runs
from gatecore.ledger.reader import read_run
from gatecore.text import clean

__all__ = ["Frames", "NoRunsError", "csv", "load", "parquet", "table"]

_TYPES: Mapping[str, Any] = {
    TEXT: pl.String, COUNT: pl.Int64, REAL: pl.Float64, FLAG: pl.Boolean, TEXTS: pl.List(pl.String),
}  # fmt: skip


class Frames(NamedTuple):
    """One frame a kind of row, with the columns of `gatecore.frames.schemas`; rows in the order of the runs."""

    runs: pl.DataFrame
    stops: pl.DataFrame
    checks: pl.DataFrame
    findings: pl.DataFrame
    tests: pl.DataFrame
    triage: pl.DataFrame


def load(*folders: str | PathLike[str]) -> Frames:
    """Read the runs in `folders` (runs folders, or run directories; default: runs), each once.

    Texts come from agents: control codes in them are made visible. Raises NoRunsError where there is no run.
    """
    columns: dict[str, dict[str, list[Any]]] = {
        name: {column: [] for column in schema} for name, schema in SCHEMAS.items()
    }
    for key, path in find_runs([Path(folder) for folder in folders or ("runs",)]).items():
        for name, row in rows(key, read_run(path), path):
            _append(columns[name], SCHEMAS[name], row)
    return Frames(
        **{
            name: pl.DataFrame(columns[name], schema={c: _TYPES[kind] for c, kind in schema.items()})
            for name, schema in SCHEMAS.items()
        }
    )


def csv(frame: pl.DataFrame) -> str:
    """`frame` as CSV; lists are joined by a space."""
    lists = [name for name, kind in frame.schema.items() if kind == pl.List(pl.String)]
    return frame.with_columns(pl.col(lists).list.join(" ")).write_csv()


def parquet(frame: pl.DataFrame) -> bytes:
    """`frame` as Parquet."""
    out = io.BytesIO()
    frame.write_parquet(out)
    return out.getvalue()


def table(columns: Iterable[tuple[str, Sequence[Any]]]) -> pl.DataFrame:
    """A frame of columns of plain values, each of one kind; None is null."""
    return pl.DataFrame([pl.Series(name, values) for name, values in columns])


def _append(columns: dict[str, list[Any]], schema: Schema, row: Row) -> None:
    for name, kind in schema.items():
        columns[name].append(_value(row.get(name), kind))


def _value(value: Any, kind: str) -> Any:
    if value is None:
        return None
    if kind == TEXT:
        return clean(str(value))
    if kind == TEXTS:
        return [clean(text) for text in value]
    if kind == COUNT:
        return value if -(2**63) <= value < 2**63 else None
    return value
