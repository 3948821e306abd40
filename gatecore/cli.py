"""The command line of gatecore. What a command needs is imported inside it, so that `--help` is instant."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from gatecore import __version__
from gatecore.harness.errors import UsageError

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


def main() -> None:
    """Run the command line; wrong use is told in one line and exits with 2."""
    try:
        app()
    except UsageError as err:
        print(f"gatecore: {err}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        print("gatecore: interrupted", file=sys.stderr)
        sys.exit(130)


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


@app.command()
def init(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A new or empty folder.")] = Path(),
    sample: Annotated[
        bool, typer.Option("--sample", help="Fill it with the sample bench that comes with gatecore.")
    ] = False,
) -> None:
    """Lay out a bench: upstream/ tasks/ hidden/ reference/ inject/, ready to fill."""
    from gatecore.harness.sample import lay_out, lay_out_empty

    (lay_out if sample else lay_out_empty)(folder.resolve())
    print(folder.resolve())


@app.command()
def run(
    cfg: Annotated[str, typer.Argument(metavar="CFG", help="The config, e.g. g13.")],
    task: Annotated[str, typer.Argument(metavar="TASK", help="The task, e.g. T1.")],
    rep: Annotated[int, typer.Argument(metavar="REP", min=1, help="The repetition.")] = 1,
    tag: Annotated[str | None, typer.Option(help="Mark the run; tagged runs stay out of the tables.")] = None,
    inject: Annotated[
        Path | None, typer.Option(metavar="PATCH", help="Apply a patch to the work copy first.")
    ] = None,
    bench: BenchOption = None,
) -> None:
    """Run one worker on one task under one config, and score it."""
    from gatecore.harness.bench import Bench
    from gatecore.harness.prep import Cell
    from gatecore.harness.run import run_cell
    from gatecore.snapshot import SnapshotError

    cell = Cell(task, cfg, rep, tag, inject.resolve() if inject else None)
    try:
        result = run_cell(Bench.find(bench), cell)
    except SnapshotError as err:
        raise UsageError(f"{cell.name}: {err}") from None
    print(_summary(cell.name, result))
    if result["invalid"]:
        raise typer.Exit(1)


@app.command()
def matrix(
    list_file: Annotated[
        Path | None, typer.Option("--list", metavar="FILE", help="A plan: `<config> <task> <rep>` a line.")
    ] = None,
    configs: Annotated[str | None, typer.Option(help="Configs, separated by commas; default: all.")] = None,
    tasks: Annotated[str | None, typer.Option(help="Tasks, separated by commas; default: all.")] = None,
    reps: Annotated[int, typer.Option(min=1, help="Repetitions of each cell.")] = 2,
    jobs: Annotated[int | None, typer.Option(min=1, help="Lanes; default: the bench's, 3.")] = None,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Run again what is done; old runs are kept.")
    ] = False,
    bench: BenchOption = None,
) -> None:
    """Run every cell that is not done yet, in lanes. Interrupt it at any time: it resumes."""
    from gatecore.harness.bench import Bench
    from gatecore.harness.matrix import Matrix, plan, read_list

    place = Bench.find(bench)
    if list_file:
        cells = read_list(list_file, place)
    else:
        chosen = [name for name in _split(configs) if place.config(name)] if configs else list(place.configs)
        cells = plan(chosen, _split(tasks) if tasks else place.tasks, reps)
        for cell in cells:
            place.request(cell.task)
    if not cells:
        raise UsageError(f"{place.root / 'tasks'}: no task there; a task is a file <name>.md")
    lanes = jobs or place.settings.lanes
    states = Matrix(place, cells, lanes, lambda line: print(line, file=sys.stderr, flush=True), fresh).run()
    bad = {name: state for name, state in states.items() if state != "scored"}
    for name, state in bad.items():
        print(f"gatecore: {name}: {state}; see {place.runs / 'matrix.log'}", file=sys.stderr)
    if bad:
        raise typer.Exit(1)


@app.command()
def score(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN...", help="Run directories.")],
    bench: BenchOption = None,
) -> None:
    """Score runs again from their work copies."""
    from gatecore.harness.bench import Bench
    from gatecore.harness.score import score as score_run

    place = Bench.find(bench)
    for path in runs:
        print(_summary(path.name, score_run(place, path.resolve())))


@app.command()
def hook(
    run_dir: Annotated[Path, typer.Argument(metavar="RUN")],
    state: Annotated[Path, typer.Argument(metavar="STATE")],
    sha256: Annotated[str, typer.Argument(metavar="SHA256")],
) -> None:
    """The Stop hook, by hand; the client's JSON on stdin. (The client starts `python -I -m gatecore.hook`.)"""
    import time

    from gatecore.hook.answer import answer

    print(answer(str(run_dir), str(state), sha256, sys.stdin.buffer.read(), time.monotonic()), end="")


def _split(text: str) -> list[str]:
    return [part for part in text.replace(",", " ").split() if part]


def _summary(name: str, result: dict[str, object]) -> str:
    met, unmet = result["hidden_pass"], result["hidden_fail"]
    oracle = (
        "no oracle"
        if not isinstance(met, int) or not isinstance(unmet, int)
        else f"{met}/{met + unmet} requirements"
    )
    cost = result["cost_total_usd"]
    dollars = f"${cost:.3f}" if isinstance(cost, float) else "$?"
    ended = f"invalid: {result['invalid']}" if result["invalid"] else f"{result['blocks_total']} blocks"
    return f"{name}: {oracle}, {ended}, {dollars}"
