"""Commands that make runs and figures of runs."""

import re
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from gatecore.cli.app import BenchOption, Task, app, bench_with_client
from gatecore.harness.errors import UsageError

_TAG = re.compile(r"[\w.]+")


@app.command()
def run(
    cfg: Annotated[str, typer.Argument(metavar="CFG", help="The config, e.g. g13.")],
    task: Task,
    rep: Annotated[int, typer.Argument(metavar="REP", min=1, help="The repetition.")] = 1,
    tag: Annotated[str | None, typer.Option(help="Mark the run; tagged runs stay out of the tables.")] = None,
    inject: Annotated[
        Path | None, typer.Option(metavar="PATCH", help="Apply a patch to the work copy first.")
    ] = None,
    signoff: Annotated[
        bool,
        typer.Option("--signoff", help="Hold the result as awaiting engineer until somebody signs it off."),
    ] = False,
    tied: Annotated[bool, typer.Option("--tied", hidden=True)] = False,
    bench: BenchOption = None,
) -> None:
    """Run one worker on one task under one config, and score it."""
    from gatecore.harness.bench import Bench
    from gatecore.harness.run import run_cell
    from gatecore.harness.site import Cell
    from gatecore.snapshot import SnapshotError

    if tied:
        _end_with_stdin()
    if tag is not None and not _TAG.fullmatch(tag):
        raise UsageError(
            f"--tag {tag!r}: must be letters, digits, dots and underscores (it is part of a name)"
        )
    cell = Cell(task, cfg, rep, tag, inject.resolve() if inject else None, signoff)
    place = Bench.find(bench) if tied else bench_with_client(bench)  # a matrix has looked at the client
    try:
        result = run_cell(place, cell)
    except SnapshotError as err:
        raise UsageError(f"{cell.name}: {err}") from None
    print(_summary(place.runs / cell.name, result))
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
    max_usd: Annotated[
        float | None,
        typer.Option(
            "--max-usd", min=0.01, help="Begin no cell once the runs of the plan have cost this much."
        ),
    ] = None,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Run again what is done; old runs are kept.")
    ] = False,
    plan_only: Annotated[
        bool, typer.Option("--plan", help="Print the cells and an estimate of dollars and minutes, and end.")
    ] = False,
    bench: BenchOption = None,
) -> None:
    """Run every cell that is not done yet, in lanes. Interrupt it at any time: it resumes."""
    from gatecore.cli.progress import listener
    from gatecore.harness.bench import Bench
    from gatecore.harness.matrix import Matrix
    from gatecore.harness.plan import plan, read_list

    place = Bench.find(bench) if plan_only else bench_with_client(bench)
    if list_file:
        cells = read_list(list_file, place)
    else:
        chosen = [name for name in (_split(configs) if configs else place.configs) if place.config(name)]
        cells = plan(chosen, _split(tasks) if tasks else place.tasks, reps)
        for cell in cells:
            place.request(cell.task)
    if not cells:
        raise UsageError(f"{place.root / 'tasks'}: no task there; a task is a file <name>.md")
    lanes = jobs or place.settings.lanes
    if plan_only:
        from gatecore.cli.planned import print_plan

        print_plan(place, cells, lanes, fresh=fresh)
        return
    with listener(sys.stderr) as told:
        outcome = Matrix(place, cells, lanes, told, fresh, max_usd).run()
    bad = {name: state for name, state in outcome.states.items() if state != "scored"}
    for name, state in bad.items():
        print(f"gatecore: {name}: {state}; see {place.runs / 'matrix.log'}", file=sys.stderr)
    if outcome.awaiting:
        print(
            f"gatecore: awaiting engineer: {', '.join(outcome.awaiting)}; see gateview watch {place.runs}",
            file=sys.stderr,
        )
    if outcome.paused:
        more = " with a higher --max-usd" if outcome.as_asked else ""
        print(
            f"gatecore: paused: {outcome.paused}; the same command{more} goes on from here", file=sys.stderr
        )
    if bad or (outcome.paused and not outcome.as_asked):
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
        print(_summary(path, score_run(place, path.resolve())))


@app.command()
def analyze(
    runs: Annotated[
        Path | None, typer.Argument(metavar="[RUNS]", help="A runs folder; default: the bench's.")
    ] = None,
    bench: BenchOption = None,
) -> None:
    """Write results.json and results.md beside the runs folder, and name the runs that are not in them."""
    from gatecore.analysis import analyze as write_results
    from gatecore.harness.bench import Bench

    folder = (runs or Bench.find(bench).runs).resolve()
    if not folder.is_dir():
        raise UsageError(f"{folder}: no such folder" if not folder.exists() else f"{folder}: is no folder")
    found = write_results(folder, folder.parent)
    for name, why in found["left_out"].items():
        print(f"gatecore: {name}: left out: {why}", file=sys.stderr)
    for name in found["missing"]:
        print(f"gatecore: {name}: missing", file=sys.stderr)
    if not found["n_runs"]:
        raise UsageError(f"{folder}: no scored run there")
    print(folder.parent / "results.json")
    print(folder.parent / "results.md")


def _end_with_stdin() -> None:
    """End this process as SIGTERM would when its stdin ends, which happens however its parent dies."""
    import os
    import signal
    import threading

    def wait() -> None:
        os.read(0, 1)
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=wait, daemon=True).start()


def _split(text: str) -> list[str]:
    return list(dict.fromkeys(text.replace(",", " ").split()))


def _summary(path: Path, result: dict[str, Any]) -> str:
    from gatecore.ledger import signoffs
    from gatecore.ledger.reader import read_run

    run = read_run(path)
    signed = signoffs.result(run, signoffs.last_words(run.signoffs))
    met, unmet = result["hidden_pass"], result["hidden_fail"]
    oracle = "no oracle" if met is None or unmet is None else f"{met}/{met + unmet} requirements"
    cost = result["cost_total_usd"]
    dollars = "$?" if cost is None else f"${cost:.3f}"
    ended = f"invalid: {result['invalid']}" if result["invalid"] else f"{result['blocks_total']} blocks"
    return f"{path.name}: {oracle}, {ended}, {dollars}{', ' if signed else ''}{signed or ''}"
