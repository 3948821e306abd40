"""Where `gateview` starts: dashboard and report at once, everything else through Typer.

What Typer imports to read arguments takes longer than a report over fifty runs does, or a first picture.
"""

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gateview.report.write import Format
    from gateview.settings import Settings

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
        command, *arguments = sys.argv[1:] or [""]
        if command in _SHOWN and not any(argument.startswith("-") for argument in arguments):
            sys.exit(_SHOWN[command]([Path(argument) for argument in arguments]))
        plain = _plain(arguments) if command == "report" else None
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


def watch(
    runs: Sequence[Path] | None = None, *, once: bool = False, as_json: bool = False, ascii_only: bool = False
) -> int:
    """Do as the command of that name does; return the exit code. Raises UsageError."""
    found = folders(runs)
    if not (once or as_json) and on_terminal():
        return _dashboard(found, ascii_only=ascii_only)
    from gatecore.ledger.folders import NoRunsError
    from gateview.lines.glyphs import ASCII, UNICODE
    from gateview.plain import print_once

    try:
        print_once(found, _label(found), ASCII if ascii_only else UNICODE, as_json=as_json)
    except NoRunsError as err:
        raise UsageError(str(err)) from None
    return 0


def triage(runs: Sequence[Path] | None = None, *, ascii_only: bool = False) -> int:
    """Do as the command of that name does; return the exit code. Raises UsageError."""
    found = folders(runs)
    if not on_terminal():
        raise UsageError("triage needs a terminal; verdicts are in each run's triage.jsonl")
    return _dashboard(found, ascii_only=ascii_only, triage=True)


_SHOWN = {"watch": watch, "triage": triage}


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


def settings() -> "Settings":
    """What the config file says. Raises UsageError."""
    from gateview.keys import EVERY
    from gateview.settings import SettingsError, read_settings

    try:
        return read_settings({key.id: key.keys for key in EVERY})
    except SettingsError as err:
        raise UsageError(str(err)) from None


def on_terminal() -> bool:
    """Whether a dashboard can be shown."""
    return sys.stdin.isatty() and sys.stdout.isatty() and os.environ.get("TERM") != "dumb"


def _dashboard(found: list[Path], *, ascii_only: bool, triage: bool = False) -> int:
    from gateview.app import GateviewApp
    from gateview.lines.glyphs import ASCII, UNICODE
    from gateview.messages import TriageOpened

    glyphs, opening = ASCII if ascii_only else UNICODE, TriageOpened() if triage else None
    dashboard = GateviewApp(found, _label(found), glyphs, opening, settings())
    dashboard.run()
    return dashboard.return_code or 0


def _label(folders: list[Path]) -> str:
    return f"{folders[0]}/" if len(folders) == 1 else f"{len(folders)} folders"


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
    given: dict[str, Any] = {"runs": []}
    rest = iter(arguments)
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
