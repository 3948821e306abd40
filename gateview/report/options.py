"""The command line of `gateview report`.

Parsed by argparse: what Typer needs to read one option costs more time than the report of fifty runs.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

from gateview.report.command import FORMATS, Wanted, print_comparison, print_report


def main(arguments: Sequence[str]) -> int:
    """Run `gateview report` with `arguments`; return the exit code. Raises SystemExit(2) for wrong use."""
    parser = _parser()
    given = parser.parse_args(arguments)
    cache = not given.no_cache
    if given.compare:
        others = (given.runs, given.table, given.by, given.strict, given.fail_if, given.junit, given.out)
        if any(others):
            parser.error("--compare takes two folders, and goes with --format and --no-cache alone")
        old, new = given.compare
        return print_comparison(old, new, given.format, cache=cache)
    wanted = Wanted(given.table, given.by, given.strict, tuple(given.fail_if), given.junit, given.out, cache)
    return print_report(given.runs or [Path("runs")], given.format, wanted)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="gateview report",
        description="Print the tables of the runs, and hold them to bounds.",
        epilog="Exit codes: 0 fine, 1 a bound or --strict refuses something, 2 wrong use or nothing to report on.",
        allow_abbrev=False,
    )
    add = parser.add_argument
    add("runs", nargs="*", type=Path, metavar="RUNS", help="runs folders or run directories; default: runs")
    add(
        "--format",
        choices=FORMATS,
        default="table",
        help="csv and parquet hold one table: see --table and --out",
    )
    add(
        "--table",
        metavar="NAME",
        help="one table, whole; runs, stops, checks, findings, tests and triage are raw rows",
    )
    add("--by", metavar="COLUMNS", help="count raw rows by these columns, e.g. cfg,kind or checks.check")
    add("--compare", nargs=2, type=Path, metavar=("OLD", "NEW"), help="two runs folders side by side")
    add("--strict", action="store_true", help="exit 1 when something was left out, unreadable or not sound")
    add(
        "--fail-if",
        action="append",
        default=[],
        metavar="BOUND",
        help='exit 1 when it holds or cannot be told, e.g. "false_rate(g1) > 0.2"; repeatable',
    )
    add("--junit", type=Path, metavar="FILE", help="write the outcome as JUnit XML as well")
    add("--out", type=Path, metavar="DIR", help="write every table as a csv or parquet file here")
    add("--no-cache", action="store_true", help="read every run anew, and keep nothing for the next time")
    return parser
