"""Where `gateview` starts: a report at once, everything else through Typer.

What Typer imports to read arguments takes longer than a report over fifty runs does.
"""

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gateview.report.write import Format

FORMATS = ("table", "md", "json", "csv", "parquet")
_FLAGS = {"--no-cache": "no_cache", "--strict": "strict"}
_VALUES = {"--format": "output", "--table": "table", "--by": "by"}
_PATHS = {"--junit": "junit", "--out": "out"}


class UsageError(Exception):
    """Something the user gave cannot be used; the message names it. Exit code 2."""


def main() -> None:
    """Run the command line; wrong use is told in one line and exits with 2."""
    from gatecore.text import line

    try:
        plain = _plain(sys.argv[1:])
        if plain is not None:
            sys.exit(report(**plain))
        from gateview.cli import app

        app()
    except UsageError as err:
        print(f"gateview: {line(str(err))}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)
    except BrokenPipeError:
        # Whoever read the output has enough; the interpreter must not complain about it at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)


def report(
    runs: Sequence[Path] | None = None,
    output: "Format" = "table",
    *,
    table: str | None = None,
    by: str | None = None,
    compare: tuple[Path, Path] | None = None,
    strict: bool = False,
    fail_if: Sequence[str] | None = None,
    junit: Path | None = None,
    out: Path | None = None,
    no_cache: bool = False,
) -> int:
    """Print a report as the command of that name does; return the exit code. Raises UsageError."""
    from gateview.report.command import Wanted, print_comparison, print_report

    if compare:
        if runs or by or strict or fail_if or junit:
            raise UsageError(
                "--compare takes two folders, and goes with --format, --table, --out and --no-cache"
            )
        old, new = folders(list(compare))
        return print_comparison(old, new, output, Wanted(table, out=out, cache=not no_cache))
    wanted = Wanted(table, by, strict, tuple(fail_if or ()), junit, out, not no_cache)
    return print_report(folders(runs), output, wanted)


def folders(runs: Sequence[Path] | None) -> list[Path]:
    """The folders that were given, or the default. Raises UsageError for one that is none."""
    found = list(runs or [_default()])
    for folder in found:
        if not folder.exists():
            raise UsageError(f"{folder}: no such folder")
        if not folder.is_dir():
            raise UsageError(f"{folder}: is a file; name a runs folder or a run directory")
    return found


def _default() -> Path:
    """`runs` here; where there is none, the ledger of the gate that is installed in the repository around."""
    runs = Path("runs")
    if not runs.exists():
        from gatecore.ledger.places import ledger_of

        if ledger := ledger_of("."):
            return Path(ledger)
    return runs


def _plain(arguments: Sequence[str]) -> dict[str, Any] | None:
    """What `report` takes; None when Typer has to read the arguments, and to say what is wrong with them."""
    if list(arguments[:1]) != ["report"]:
        return None
    given: dict[str, Any] = {"runs": []}
    rest = iter(arguments[1:])
    for argument in rest:
        if argument in _FLAGS:
            given[_FLAGS[argument]] = True
        elif argument[:1] != "-":
            given["runs"].append(Path(argument))
        else:
            name, joined, value = argument.partition("=")
            value = value if joined else next(rest, "-")
            if value[:1] == "-":
                return None
            if name in _VALUES:
                given[_VALUES[name]] = value
            elif name in _PATHS:
                given[_PATHS[name]] = Path(value)
            elif name == "--fail-if":
                given.setdefault("fail_if", []).append(value)
            else:
                return None
    return given if given.get("output", "table") in FORMATS else None
