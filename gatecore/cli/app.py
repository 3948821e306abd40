"""The Typer application, and what commands share."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gatecore import __version__

if TYPE_CHECKING:
    from gatecore.harness.bench import Bench

app = typer.Typer(
    name="gatecore",
    help="Stop-hook gates for coding agents, every stop judged by a hidden oracle and put on record.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

BenchOption = Annotated[
    Path | None,
    typer.Option("--bench", metavar="DIR", help="The bench; default: the one around the current directory."),
]
Task = Annotated[str, typer.Argument(metavar="TASK", help="The task, e.g. T1.")]


def _version(wanted: bool) -> None:
    if wanted:
        print(f"gatecore {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    pass


def bench_with_client(folder: Path | None) -> "Bench":
    """The bench to run agents on. Raises UsageError, also for a client that the gate does not hold against."""
    from gatecore.harness.bench import Bench
    from gatecore.harness.client import require_client

    bench = Bench.find(folder)
    doubt = require_client(bench)
    if doubt:
        print(f"gatecore: {doubt}", file=sys.stderr)
    return bench
