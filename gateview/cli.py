"""The command line of gateview. What a command needs is imported inside it, so that `--help` is instant."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from gatecore import __version__
from gateview import start
from gateview.start import UsageError, folders

app = typer.Typer(
    name="gateview",
    help="Watch the gates of coding agents at work, and count where they were right.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

Runs = Annotated[
    list[Path] | None,
    typer.Argument(
        metavar="[RUNS]...",
        help="Runs folders or run directories; default: runs, or the ledger of the gate installed in the repo.",
    ),
]


Format = Literal["table", "md", "json", "csv", "parquet"]
"""How a report is printed."""


def _version(wanted: bool) -> None:
    if wanted:
        print(f"gateview {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    pass


@app.command()
def watch(
    runs: Runs = None,
    once: Annotated[bool, typer.Option("--once", help="Print tallies and runs as text, and end.")] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="The same as a JSON object; implies --once.")
    ] = False,
    ascii_only: Annotated[bool, typer.Option("--ascii", help="Signs out of ASCII only.")] = False,
    where: Annotated[
        bool, typer.Option("--paths", help="Print where the config file lies, and end.")
    ] = False,
) -> None:
    """Show what runs and gates do, live. Without a terminal: once, as with --once."""
    if where:
        from gateview.settings import paths

        for name, path in paths().items():
            print(f"{name}: {path}")
        raise typer.Exit
    raise typer.Exit(start.watch(runs, once=once, as_json=as_json, ascii_only=ascii_only))


@app.command()
def triage(
    runs: Runs = None,
    ascii_only: Annotated[bool, typer.Option("--ascii", help="Signs out of ASCII only.")] = False,
) -> None:
    """Judge blocks one by one: right, false or unsure, and why."""
    raise typer.Exit(start.triage(runs, ascii_only=ascii_only))


@app.command()
def report(
    runs: Runs = None,
    output: Annotated[
        Format, typer.Option("--format", help="csv and parquet hold one table: see --table and --out.")
    ] = "table",
    table: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="One table, whole; runs, stops, checks, findings, tests and triage are raw rows.",
        ),
    ] = None,
    by: Annotated[
        str | None,
        typer.Option(metavar="COLUMNS", help="Count raw rows by these, e.g. cfg,kind or checks.check."),
    ] = None,
    compare: Annotated[
        tuple[Path, Path] | None,
        typer.Option(
            metavar="OLD NEW", help="Two runs folders side by side; with --format, --table and --out."
        ),
    ] = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Exit 1 when something was left out, unreadable or not sound.")
    ] = False,
    fail_if: Annotated[
        list[str] | None,
        typer.Option(
            metavar="BOUND",
            help='Exit 1 when it holds or cannot be told, e.g. "false_rate(g1) > 0.2"; repeatable.',
        ),
    ] = None,
    junit: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write JUnit XML too: unmet requirements fail a run, where a gate judged its config.",
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Write every table as a csv or parquet file here.")
    ] = None,
    replay: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="A replay (of gatecore replay) against what was recorded."),
    ] = None,
    no_cache: Annotated[
        bool, typer.Option("--no-cache", help="Read every run anew, and keep nothing for the next time.")
    ] = False,
) -> None:
    """Print the tables of the runs, and hold them to bounds.

    Exit codes: 0 fine, 1 a bound or --strict refuses something, 2 wrong use or nothing to report on.
    """
    if replay:
        from gateview.report.replay import print_replay

        if by or compare or strict or fail_if or junit or out:
            raise UsageError("--replay goes with --format and --table alone")
        raise typer.Exit(print_replay(folders(runs), replay, output, table))
    raise typer.Exit(
        start.report(
            runs,
            output,
            table=table,
            by=by,
            compare=compare,
            strict=strict,
            fail_if=fail_if,
            junit=junit,
            out=out,
            no_cache=no_cache,
        )
    )


@app.command()
def export(
    runs: Annotated[
        list[Path],
        typer.Argument(metavar="RUNS... OUT", help="Runs folders or run directories; a new folder."),
    ],
    anonymise: Annotated[
        bool,
        typer.Option(
            "--anonymise", help="Replace folders, user and host names, and what looks like a secret."
        ),
    ] = False,
) -> None:
    """Copy runs into a folder that can be shared; figures stay what they are."""
    from gateview.export.command import export as copy_runs

    if len(runs) < 2:
        raise UsageError("export takes runs folders and then a new folder")
    raise typer.Exit(copy_runs(folders(runs[:-1]), runs[-1], anonymise=anonymise))


@app.command()
def demo(
    once: Annotated[bool, typer.Option("--once", help="No dashboard: print the report at the end.")] = False,
    folder: Annotated[
        Path | None,
        typer.Option("--dir", metavar="DIR", help="Where: a new or empty folder, or a former demo's."),
    ] = None,
) -> None:
    """Run the sample bench with a scripted agent (no network, key or model) and watch it."""
    from gateview.demo import run_demo

    settings = start.settings() if start.on_terminal() and not once else None
    raise typer.Exit(run_demo(folder, settings))
