"""What `matrix --plan` prints."""

from collections.abc import Callable, Sequence

from gatecore.harness.bench import Bench
from gatecore.harness.estimate import NOTHING, Mean, estimate, means
from gatecore.harness.plan import is_done
from gatecore.harness.site import Cell
from gatecore.ledger.reader import read_run, read_runs


def print_plan(bench: Bench, cells: Sequence[Cell], lanes: int, *, fresh: bool) -> None:
    """Print each cell with what it is estimated to take, and the sums over those that are still to run."""
    by_cfg = means(read_runs(bench.runs)) if bench.runs.is_dir() else {}
    states = {cell: _state(bench, cell, fresh=fresh) for cell in cells}
    width = max(len(cell.name) for cell in cells)
    for cell, state in states.items():
        mean = by_cfg.get(cell.cfg, NOTHING)
        about = "" if state == "done" else f"  {_usd(mean.usd)}  {_minutes(mean.seconds)}"
        print(f"{cell.name:<{width}}  {state:<7}{about}".rstrip())
    todo = [cell for cell, state in states.items() if state != "done"]
    print(f"{len(cells)} cells: {len(cells) - len(todo)} done, {len(todo)} to run")
    if todo:
        print(_sums(todo, by_cfg, lanes))


def _state(bench: Bench, cell: Cell, *, fresh: bool) -> str:
    run = read_run(bench.runs / cell.name)
    if is_done(run) and not fresh:
        return "done"
    return "invalid" if run.invalid else "to run"


def _sums(todo: Sequence[Cell], by_cfg: dict[str, Mean], lanes: int) -> str:
    total = estimate(todo, by_cfg)
    usd = _bound(_usd, total.usd, total.usd_unknown, len(todo))
    seconds = total.seconds / min(lanes, len(todo))
    minutes = _bound(_minutes, seconds, total.seconds_unknown, len(todo))
    text = f"estimate: {usd}, {minutes} in {lanes} lanes, by the means of {_runs_of(todo, by_cfg)}"
    unknown = dict.fromkeys(cell.cfg for cell in todo if cell.cfg not in by_cfg)
    return text + (f"; no run yet of {', '.join(unknown)}" if unknown else "")


def _runs_of(todo: Sequence[Cell], by_cfg: dict[str, Mean]) -> str:
    count = sum(by_cfg[cfg].runs for cfg in {cell.cfg for cell in todo} & by_cfg.keys())
    return f"{count} {'run' if count == 1 else 'runs'}"


def _bound(shown: Callable[[float | None], str], known: float, unknown: int, cells: int) -> str:
    """A sum over cells, of some of which it is unknown: then a lower bound, or nothing at all."""
    if unknown == cells:
        return shown(None)
    return f"≥ {shown(known)}" if unknown else shown(known)


def _usd(amount: float | None) -> str:
    return "$?" if amount is None else f"${amount:.2f}"


def _minutes(seconds: float | None) -> str:
    if seconds is None:
        return "? min"
    return f"{max(0.1, seconds / 60):.1f} min"
