"""Which runs a matrix consists of, in which order."""

from collections.abc import Sequence
from pathlib import Path

from gatecore.harness.bench import Bench
from gatecore.harness.errors import UsageError
from gatecore.harness.site import Cell
from gatecore.ledger.run import Run


def plan(configs: Sequence[str], tasks: Sequence[str], reps: int) -> list[Cell]:
    """The cells in the order of the original kit.

    Odd repetitions take the configs in order and even ones in reverse; each config is a block of all tasks,
    and the tasks are rotated by one more from block to block.
    """
    cells: list[Cell] = []
    rotation = 0
    for rep in range(1, reps + 1):
        for cfg in configs if rep % 2 else reversed(configs):
            shift = rotation % len(tasks) if tasks else 0
            cells += [Cell(task, cfg, rep) for task in (*tasks[shift:], *tasks[:shift])]
            rotation += 1
    return cells


def read_list(path: Path, bench: Bench) -> list[Cell]:
    """Read a plan: `<config> <task> <rep>` a line, `#` begins a comment. Raises UsageError naming the line."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as err:
        raise UsageError(f"{path}: {err}") from None
    cells = []
    for number, text in enumerate(lines, 1):
        words = text.split("#", 1)[0].split()
        if not words:
            continue
        if len(words) != 3 or not words[2].isdigit():
            raise UsageError(f"{path}:{number}: must be `<config> <task> <rep>`, is {text!r}")
        try:
            bench.config(words[0])
            bench.request(words[1])
        except UsageError as err:
            raise UsageError(f"{path}:{number}: {err}") from None
        cells.append(Cell(words[1], words[0], int(words[2])))
    return list(dict.fromkeys(cells))


def is_done(run: Run) -> bool:
    """Whether a run, of either harness, is scored and was not ended by an outage."""
    return run.score is not None and run.invalid is None
