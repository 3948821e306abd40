"""The state of everything that is watched, and the pure fold that advances it.

Folding any split of the news gives the state that folding all of it at once gives; `watch` folds as files
grow, `report` folds once, and both read their figures off the same tallies.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from gatecore.ledger import run as one_run
from gatecore.ledger.records import Cell, MatrixEvent
from gatecore.ledger.run import Batch, Run
from gatecore.ledger.tallies import Tally, tally_run
from gateview.store.replays import Replaying, advance


@dataclass(frozen=True, slots=True)
class Matrix:
    """What `matrix.jsonl` tells: the plan, and how each cell that was started or ended stands."""

    planned: tuple[Cell, ...] = ()
    running: frozenset[str] = frozenset()
    ended: Mapping[str, str] = field(default_factory=dict)  # run name -> scored, invalid or failed
    paused: str | None = None  # why
    over: bool = False
    started_ts: str | None = None


@dataclass(frozen=True, slots=True)
class News:
    """What one look at the watched folders brought, by run key."""

    batches: Mapping[str, Batch] = field(default_factory=dict)
    gone: frozenset[str] = frozenset()
    matrix: tuple[MatrixEvent, ...] = ()
    matrix_anew: bool = False
    replays: tuple[MatrixEvent, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.batches or self.gone or self.matrix or self.matrix_anew or self.replays)


@dataclass(frozen=True, slots=True)
class State:
    """All runs by key (the folder's name, with its parent before it where several folders are watched).

    `tallies` holds, by config, the tally of every run that counts.
    """

    runs: Mapping[str, Run] = field(default_factory=dict)
    tallies: Mapping[str, Tally] = field(default_factory=dict)
    matrix: Matrix = field(default_factory=Matrix)
    replays: Mapping[str, Replaying] = field(default_factory=dict)


def fold(state: State, news: News) -> State:
    """Return `state` with `news` taken in; pure."""
    runs, tallies = dict(state.runs), dict(state.tallies)
    for key in news.gone & runs.keys():
        _count(tallies, runs.pop(key), -1)
    for key, batch in news.batches.items():
        before = runs.get(key)
        after = one_run.fold(before or Run(key.rsplit("/", 1)[-1]), batch)
        if before is not None:
            _count(tallies, before, -1)
        _count(tallies, after, 1)
        runs[key] = after
    matrix = Matrix() if news.matrix_anew else state.matrix
    for event in news.matrix:
        matrix = _advance(matrix, event)
    replays = advance(state.replays, news.replays) if news.replays else state.replays
    return State(runs, tallies, matrix, replays)


def _count(tallies: dict[str, Tally], run: Run, sign: int) -> None:
    if not run.counted:
        return
    total = tallies.get(run.cfg, Tally()).plus(tally_run(run), sign)
    if total.runs:
        tallies[run.cfg] = total
    else:
        tallies.pop(run.cfg, None)


def _advance(matrix: Matrix, event: MatrixEvent) -> Matrix:
    match event.event:
        case "planned":
            return Matrix(planned=event.cells, ended=matrix.ended, started_ts=event.ts)
        case "cell_started" if event.run:
            ended = {run: state for run, state in matrix.ended.items() if run != event.run}
            return replace(matrix, running=matrix.running | {event.run}, ended=ended, paused=None)
        case "cell_ended" if event.run:
            ended = {**matrix.ended, event.run: event.state or "?"}
            return replace(matrix, running=matrix.running - {event.run}, ended=ended)
        case "matrix_paused":
            return replace(matrix, paused=event.why or "?", running=frozenset())
        case "matrix_ended":
            return replace(matrix, over=True, running=frozenset())
    return matrix
