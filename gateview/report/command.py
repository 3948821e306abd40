"""`gateview report`."""

import gc
import json
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TextIO

from gatecore import __version__
from gatecore.analysis import Results, results_md
from gatecore.ledger.folders import NoRunsError
from gatecore.text import line
from gateview.report.sheets import SHEETS, SHOWN, corpus_of, sheet, sheets, signed
from gateview.report.strict import refused
from gateview.report.write import FORMATS, Format, draw, print_sheet, unfailing
from gateview.store.gather import Gathered, gather

if TYPE_CHECKING:
    from gateview.report.bounds import Verdict
    from gateview.report.sheet import Sheet

__all__ = ["FORMATS", "Wanted", "print_comparison", "print_report"]
FRAMES = ("runs", "stops", "checks", "findings", "tests", "triage")
"""Names of the frames, which are tables too."""
_OF_THE_ORIGINAL = ("config", "task", "answers")
"""Sheets whose figures the original's own Markdown tables show."""


class ReportError(Exception):
    """Something that was asked for cannot be done; the message says what can. Exit code 2."""


class Wanted(NamedTuple):
    """What a report is to hold besides all tables: one `table` by name, or groups `by` columns of a frame.

    `strict` and `bounds` decide the exit code; `junit` is a file to write, `out` a folder for tables as files;
    with `cache`, digests are kept for the next time.
    """

    table: str | None = None
    by: str | None = None
    strict: bool = False
    bounds: Sequence[str] = ()
    junit: Path | None = None
    out: Path | None = None
    cache: bool = False


def print_comparison(old: Path, new: Path, format: Format, wanted: Wanted) -> int:  # noqa: A002
    """Print two corpora side by side on stdout; return the exit code, 2 when there is none to report on.

    Of what is `wanted`, `table`, `out` and `cache` apply.
    """
    from gateview.report.compare import SHEETS as COMPARED

    try:
        _check(format, wanted, COMPARED)
        with _uncollected():
            _compare(old, new, format, wanted)
    except (NoRunsError, ReportError) as err:
        return _refuse(err)
    return 0


def _compare(old: Path, new: Path, format: Format, wanted: Wanted) -> None:  # noqa: A002
    from gateview.report.compare import SHEETS as COMPARED
    from gateview.report.compare import compared

    whole = format == "json" and not wanted.table
    sides = [gather([path], cache=wanted.cache).results(None if whole else 0) for path in (old, new)]
    found, out = compared(*sides), unfailing(sys.stdout)
    pairs = zip(("old", "new"), (old, new), sides, strict=True)
    corpora = "; ".join(f"{side} corpus: {corpus_of([str(path)], of)}" for side, path, of in pairs)
    made = {name: signed(make(found), corpora) for name, make in COMPARED.items()}
    if wanted.table:
        print_sheet(made[wanted.table], format, out)
    elif whole:
        json.dump({**found, "corpus": corpora, "version": __version__}, out, indent=2)
        out.write("\n")
    elif format == "md":
        from gateview.report.markdown import markdown

        out.write(markdown(made.values()))
    elif wanted.out:
        _write_files(made.values(), format, wanted.out)
    else:
        draw(made.values(), out)


def print_report(runs: list[Path], format: Format, wanted: Wanted | None = None) -> int:  # noqa: A002
    """Print the report over the folders `runs` on stdout; return the exit code.

    0 is fine; 1 when a bound is hit or something is refused by `strict`; 2 when there is nothing to report on
    or what is wanted is not to be had.
    """
    try:
        with _uncollected():
            return _report(runs, format, wanted or Wanted())
    except (NoRunsError, ReportError) as err:
        return _refuse(err)


@contextmanager
def _uncollected() -> Iterator[None]:
    """A report makes much and drops little: the garbage collector would look for cycles in vain."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _refuse(err: Exception) -> int:
    print(f"gateview report: {line(str(err))}", file=sys.stderr)
    return 2


def _report(runs: list[Path], format: Format, wanted: Wanted) -> int:  # noqa: A002
    judge = _bounds(wanted.bounds)
    _check(format, wanted, (*SHEETS, *FRAMES))
    out: TextIO | None = unfailing(sys.stdout)
    if out and (wanted.by or wanted.table in FRAMES):
        _print_framed(runs, format, wanted, out)
        if not (wanted.bounds or wanted.strict or wanted.junit):
            return 0
        out = None
    everything = format == "json" and not wanted.table
    gathered = gather(runs, cache=wanted.cache, scores=everything or wanted.junit is not None)
    found = gathered.results(None if everything or wanted.table or wanted.out else SHOWN)
    verdicts = judge(found)
    if out:
        _print(found, gathered, format, wanted, out)
    if wanted.junit:
        _write_junit(wanted.junit, gathered, found, verdicts)
    return _judge(found, verdicts, strict=wanted.strict)


def _bounds(texts: Sequence[str]) -> "Callable[[Results], list[Verdict]]":
    """What judges results by the bounds `texts`."""
    if not texts:
        return lambda _: []
    from gateview.report.bounds import BoundError, parse

    try:
        bounds = [parse(text) for text in texts]
    except BoundError as err:
        raise ReportError(str(err)) from None

    def judge(found: Results) -> "list[Verdict]":
        try:
            return [bound.judge(found) for bound in bounds]
        except BoundError as err:
            raise ReportError(str(err)) from None

    return judge


def _check(format: Format, wanted: Wanted, tables: Collection[str]) -> None:  # noqa: A002
    if wanted.table and wanted.table not in tables:
        raise ReportError(f"there is no table {wanted.table}; there are {', '.join(tables)}")
    if wanted.by and wanted.table:
        raise ReportError("--by groups rows, --table names a table: give one of them")
    if wanted.out and (format not in ("csv", "parquet") or wanted.table or wanted.by):
        raise ReportError("--out writes every table as a file: it goes with --format csv or parquet alone")
    if format in ("csv", "parquet") and not (wanted.table or wanted.by or wanted.out):
        raise ReportError(
            f"{format} holds one table: name it with --table, or write all of them with --out DIR"
        )
    if format == "parquet" and not wanted.out and sys.stdout.isatty():
        raise ReportError("parquet is not text: send it to a file")


def _print_framed(runs: list[Path], format: Format, wanted: Wanted, out: TextIO) -> None:  # noqa: A002
    from gateview.report.framed import groups, print_frame

    if wanted.table:
        print_frame(runs, wanted.table, format, out)
        return
    try:
        found = groups(runs, wanted.by or "")
    except ValueError as err:
        raise ReportError(str(err)) from None
    print_sheet(found, format, out)


def _print(found: Results, gathered: Gathered, format: Format, wanted: Wanted, out: TextIO) -> None:  # noqa: A002
    corpus = f"Corpus: {corpus_of(gathered.folders, found)}"
    if wanted.table:
        print_sheet(sheet(wanted.table, found, corpus), format, out)
    elif format == "json":
        json.dump({**found, "corpus": corpus, "version": __version__}, out, indent=2)
        out.write("\n")
    elif format == "md":
        from gateview.report.markdown import markdown

        added = (made for made in sheets(found, corpus) if made.name not in _OF_THE_ORIGINAL)
        out.write(f"{results_md(found)}\n{markdown(added)}")
    elif format == "table":
        draw(sheets(found, corpus), out)
    elif wanted.out:
        _write_files((sheet(name, found, corpus) for name in SHEETS), format, wanted.out)


def _write_files(made: "Iterable[Sheet]", format: Format, folder: Path) -> None:  # noqa: A002
    from gateview.report.write import write_files

    try:
        write_files(made, folder, format)
    except OSError as err:
        raise ReportError(f"{folder}: {err.strerror or err}") from None


def _write_junit(path: Path, gathered: Gathered, found: Results, verdicts: "Sequence[Verdict]") -> None:
    from gateview.report.junit import write_junit

    try:
        write_junit(path, gathered, found, verdicts)
    except OSError as err:
        raise ReportError(f"{path}: {err.strerror or err}") from None


def _judge(found: Results, verdicts: "Sequence[Verdict]", *, strict: bool) -> int:
    said = [verdict.said for verdict in verdicts if verdict.hit is not False]
    said += [f"strict: {text}" for text in refused(found)] if strict else []
    for text in said:
        print(f"gateview report: {line(text)}", file=sys.stderr)
    return 1 if said else 0
