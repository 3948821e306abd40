"""Commands that lay a bench out and try whether it measures what it should."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from gatecore.cli.app import BenchOption, app
from gatecore.harness.errors import UsageError


@app.command()
def init(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A new or empty folder.")] = Path(),
    sample: Annotated[
        bool, typer.Option("--sample", help="Fill it with the sample bench that comes with gatecore.")
    ] = False,
    page: Annotated[
        bool, typer.Option("--sample-page", help="Fill it with the sample that has a page, for gate 2.")
    ] = False,
) -> None:
    """Lay out a bench: upstream/ tasks/ hidden/ reference/ inject/, ready to fill."""
    from gatecore.harness.sample import PAGE, SAMPLE, lay_out, lay_out_empty

    if sample and page:
        raise UsageError("--sample and --sample-page are two benches: give one of them")
    if sample or page:
        lay_out(folder.resolve(), PAGE if page else SAMPLE)
    else:
        lay_out_empty(folder.resolve())
    print(folder.resolve())


@app.command()
def validate(
    part: Annotated[
        Literal["all", "oracle", "hook", "review", "writer"],
        typer.Argument(metavar="PART", help="Which part."),
    ] = "all",
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Have the acceptance tests of every task written anew.")
    ] = False,
    bench: BenchOption = None,
) -> None:
    """Try oracle, hook, reviewers and writer out: PART is all, oracle, hook, review or writer.

    Each step says OK or what is wrong; exit code 1 when one is wrong.
    """
    from gatecore.harness.bench import Bench
    from gatecore.harness.validate import validate as steps

    wrong = 0
    for step in steps(Bench.find(bench), part, fresh=fresh):
        print(
            f"{'OK   ' if step.ok else 'WRONG'} {step.name}" + (f": {step.said}" if step.said else ""),
            flush=True,
        )
        wrong += not step.ok
    if wrong:
        print(f"{wrong} {'step is' if wrong == 1 else 'steps are'} wrong")
        raise typer.Exit(1)
