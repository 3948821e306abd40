"""Commands for one call by hand."""

import json
import sys
from pathlib import Path
from typing import Annotated, Literal

import typer

from gatecore.cli.app import BenchOption, Task, app, bench_with_client
from gatecore.harness.errors import UsageError


@app.command("write-tests")
def write_tests(
    task: Annotated[
        str | None, typer.Argument(metavar="[TASK]", help="The task of a bench, e.g. T1.")
    ] = None,
    bench: BenchOption = None,
) -> None:
    """Have acceptance tests written, once, and print what came of it as JSON.

    Those of a task go to validation/<task>/gate_tests, where `validate` and `prep` find them. Without a task:
    for the request that is under way in the repository here; from the next stop on they judge.
    """
    if task is None:
        from gatecore.everyday.tests import write_for_request

        record = write_for_request()
        print(json.dumps(record, indent=2))
        if not record["ok"]:
            raise typer.Exit(1)
        return
    from gatecore.harness.by_hand import write_tests as write
    from gatecore.snapshot import SnapshotError

    try:
        record = write(bench_with_client(bench), task)
    except SnapshotError as err:
        raise UsageError(str(err)) from None
    print(json.dumps(record, indent=2))
    if not record["ok"]:
        raise typer.Exit(1)


@app.command()
def review(
    work: Annotated[Path, typer.Argument(metavar="WORK", help="A work copy with the change in it.")],
    task: Task,
    variant: Annotated[Literal["indep", "adv"], typer.Option(help="indep or adv.")] = "indep",
    bench: BenchOption = None,
) -> None:
    """Have a change reviewed by a pair of reviewers, once, and print their verdict as JSON."""
    from gatecore.harness.by_hand import review as pair
    from gatecore.snapshot import SnapshotError

    try:
        judgement = pair(bench_with_client(bench), work, task, variant)
    except SnapshotError as err:
        raise UsageError(f"{work}: {err}") from None
    print(json.dumps(judgement.record, indent=2))
    if judgement.verdict == "not_judged":
        raise typer.Exit(1)


@app.command()
def prep(
    task: Task,
    cfg: Annotated[str, typer.Option("--config", metavar="CFG", help="The config.")] = "g13",
    bench: BenchOption = None,
) -> None:
    """Lay out a gated work copy for a live session by hand, and print how to start it.

    Acceptance tests that were written for the task before are used again.
    """
    from gatecore.harness.by_hand import session
    from gatecore.snapshot import SnapshotError

    try:
        ready = session(bench_with_client(bench), task, cfg)
    except SnapshotError as err:
        raise UsageError(str(err)) from None
    print(f"folder:   {ready.work}")
    print(f"settings: {ready.settings or 'none, the config has no gate'}")
    print(f"ledger:   {ready.run / 'gate.jsonl'}")
    print(f"start:    {ready.command}")
    print("request:\n")
    print(ready.request.rstrip("\n"))


@app.command()
def hook(
    run_dir: Annotated[Path, typer.Argument(metavar="RUN")],
    state: Annotated[Path, typer.Argument(metavar="STATE")],
    sha256: Annotated[str, typer.Argument(metavar="SHA256")],
) -> None:
    """The Stop hook, by hand; the client's JSON on stdin. (The client starts `python -I -m gatecore.hook`.)"""
    import time

    from gatecore.hook.answer import answer

    text, code = answer(str(run_dir), str(state), sha256, sys.stdin.buffer.read(), time.monotonic())
    print(text, end="")
    raise typer.Exit(code)
