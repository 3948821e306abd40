"""The command that judges recorded stops again."""

import shlex
import sys
from pathlib import Path
from typing import Annotated

import typer

from gatecore.cli.app import BenchOption, app, bench_with_client
from gatecore.harness.errors import UsageError


@app.command()
def replay(
    runs: Annotated[list[Path], typer.Argument(metavar="RUNS...", help="Runs folders or run directories.")],
    oracle: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Hidden tests to judge by; without --gates, default: the bench's."),
    ] = None,
    gates: Annotated[
        str | None, typer.Option(metavar="CFG", help="Ask the gates of this config, each at every stop.")
    ] = None,
    tests: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="Acceptance tests for gate 1 (test_<task>.py); default: each run's own."
        ),
    ] = None,
    name: Annotated[
        str | None, typer.Option(metavar="NAME", help="The replay's name; default: made of what is asked.")
    ] = None,
    jobs: Annotated[int | None, typer.Option(min=1, help="Lanes; default: the bench's, 3.")] = None,
    repeat: Annotated[
        int, typer.Option(min=1, metavar="K", help="Judge each tree K times, to find flaky checks.")
    ] = 1,
    bench: BenchOption = None,
) -> None:
    """Judge recorded stops again, by another oracle or other gates, on the trees that were kept.

    What is said goes beside each run, into replay/NAME/, and never into its ledger. Interrupt it at any time: it
    resumes. `gateview report --replay NAME` compares.
    """
    from gatecore.cli.progress import listener
    from gatecore.harness.bench import Bench
    from gatecore.ledger.folders import NoRunsError
    from gatecore.replay.asked import asked
    from gatecore.replay.replay import Replay
    from gatecore.snapshot import SnapshotError

    place = Bench.find(bench)
    wanted = asked(place, oracle, gates, tests, name, repeat)
    if wanted.calls_client:
        bench_with_client(bench)
    try:
        with listener(sys.stderr) as told:
            outcome = Replay(place, wanted, runs, jobs or place.settings.lanes, told).run()
    except KeyboardInterrupt:
        print("gatecore: interrupted; the same command goes on from here", file=sys.stderr)
        raise
    except (NoRunsError, SnapshotError) as err:
        raise UsageError(str(err)) from None
    for left, why in outcome.left_out.items():
        print(f"gatecore: {left}: left out: {why}", file=sys.stderr)
    for stop, why in outcome.not_replayed.items():
        print(f"gatecore: {stop}: not replayed: {why}", file=sys.stderr)
    before = f", {outcome.before} judged before" if outcome.before else ""
    print(
        f"replay {wanted.name}: {outcome.done} stops judged{before}, {len(outcome.not_replayed)} not replayed"
    )
    print("compare: " + shlex.join(["gateview", "report", *map(str, runs), "--replay", wanted.name]))
    if outcome.broken or not (outcome.done or outcome.before):
        raise typer.Exit(1)
