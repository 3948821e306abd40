"""Group a frame by any of its columns."""

from collections.abc import Sequence

import polars as pl

from gatecore.frames import Frames
from gatecore.frames.schemas import SCHEMAS, TEXTS
from gatecore.ledger.classes import STOP_CLASSES


class GroupingError(ValueError):
    """There is no frame with these columns; the message says which columns there are."""


def grouped(frames: Frames, by: Sequence[str], frame: str | None = None) -> tuple[str, pl.DataFrame]:
    """Count the rows of a frame by its columns `by`: the frame's name, and one row a group, in their order.

    The frame is `frame`, or the first of runs, stops, checks, findings, tests and triage that has all the
    columns. Runs that do not count are left out unless `counted` is among the columns. Raises GroupingError.
    """
    name = frame or next((name for name, schema in SCHEMAS.items() if set(by) <= schema.keys()), "")
    if name not in SCHEMAS or not set(by) <= SCHEMAS[name].keys():
        known = "; ".join(f"{name}: {', '.join(schema)}" for name, schema in SCHEMAS.items())
        raise GroupingError(f"no frame has the columns {', '.join(by)}; {known}")
    rows: pl.DataFrame = getattr(frames, name)
    if "counted" not in by:
        rows = rows.filter("counted")
    lists = [column for column in by if SCHEMAS[name][column] == TEXTS]
    rows = rows.with_columns(pl.col(lists).list.join(" "))
    figures = [x.alias(f"{named} n") if (named := x.meta.output_name()) in by else x for x in _FIGURES[name]]
    return name, rows.group_by(by).agg(figures).sort(by, nulls_last=True)


def _where(column: str, value: str) -> pl.Expr:
    return (pl.col(column) == value).sum().alias(value)


def _known_sum(column: pl.Expr) -> pl.Expr:
    """The sum of what is known; of nothing, null."""
    return pl.when(column.is_not_null().any()).then(column.sum())


_FIGURES: dict[str, list[pl.Expr]] = {
    "runs": [
        pl.len().alias("runs"),
        pl.col("scored").sum(),
        _known_sum(pl.col("hidden_pass")).alias("met"),
        _known_sum(pl.col("hidden_pass") + pl.col("hidden_fail")).alias("judged"),
        pl.col("cost_total_usd").mean().alias("mean $"),
        pl.col("wall_s").mean().alias("mean s"),
        pl.col("stops").sum().alias("all stops"),
    ],
    "stops": [
        pl.len().alias("stops"),
        *(_where("kind", kind) for kind in STOP_CLASSES),
        pl.col("wall_s").mean().alias("mean s"),
    ],
    "checks": [
        pl.len().alias("checks"),
        *(_where("verdict", verdict) for verdict in ("pass", "fail", "not_judged")),
        pl.col("seconds").mean().alias("mean s"),
        _known_sum(pl.col("cost_usd")).alias("known $"),
    ],
    "findings": [
        pl.len().alias("findings"),
        _where("severity", "blocking"),
        _where("severity", "minor"),
        pl.col("blocked").sum().alias("sent back"),
        pl.col("oracle_red").sum().alias("oracle was red"),
    ],
    "tests": [
        pl.len().alias("tests"),
        *(_where("outcome", outcome) for outcome in ("passed", "failed", "error")),
    ],
    "triage": [
        pl.len().alias("lines"),
        *(_where("verdict", verdict) for verdict in ("right", "false", "unsure")),
    ],
}
"""What is counted in each group of a frame's rows."""
