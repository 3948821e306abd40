"""How a matrix is followed on stderr: a bar on a terminal, a line for each piece of news elsewhere."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TextIO

from gatecore.harness.matrix import Progress

_SHOWN = 4


@contextmanager
def listener(out: TextIO) -> Iterator[Callable[[Progress], None]]:
    """Yield what a matrix tells its progress to."""
    if out.isatty() and os.environ.get("TERM") not in (None, "", "dumb"):
        with _bar(out) as told:
            yield told
    else:
        yield lambda progress: print(_line(progress), file=out, flush=True)


def _line(progress: Progress) -> str:
    return f"{progress.done}/{progress.total} {progress.news}"


@contextmanager
def _bar(out: TextIO) -> Iterator[Callable[[Progress], None]]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bar

    columns = (
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.description}", markup=False),
    )
    with Bar(*columns, console=Console(file=out)) as bar:
        task = bar.add_task("", total=None)

        def told(progress: Progress) -> None:
            bar.console.print(progress.news, markup=False, highlight=False)
            running = " ".join(progress.running[:_SHOWN])
            more = len(progress.running) - _SHOWN
            running += f" and {more} more" if more > 0 else ""
            bar.update(task, completed=progress.done, total=progress.total, description=running)

        yield told
