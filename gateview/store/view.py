"""Everything the screens show, advanced by the news: the state, and what is derived from each run once."""

from collections.abc import Mapping, Set
from dataclasses import dataclass, field
from heapq import nlargest

from gatecore.ledger.tallies import NOTHING, Amount, Tally, seconds, total
from gateview.store.rows import Decision, Row, row_of
from gateview.store.state import News, State
from gateview.store.state import fold as fold_state

FEED = 500
"""At most so many of the newest decisions are kept for the feed."""


@dataclass(frozen=True, slots=True)
class Requirements:
    """What the scored runs of one config came to; `listed` counts the others as well."""

    listed: int = 0
    runs: int = 0
    met: int = 0
    judged: int = 0
    clean: int = 0  # runs that met every requirement
    cost: Amount = NOTHING
    seconds: Amount = NOTHING

    def plus(self, other: "Requirements", sign: int = 1) -> "Requirements":
        """Return the sum (or with `sign` -1 the difference)."""
        return Requirements(
            self.listed + sign * other.listed,
            self.runs + sign * other.runs,
            self.met + sign * other.met,
            self.judged + sign * other.judged,
            self.clean + sign * other.clean,
            self.cost.plus(other.cost, sign),
            self.seconds.plus(other.seconds, sign),
        )


@dataclass(frozen=True, slots=True)
class View:
    """The state and what is shown of it. `decisions` are the newest, latest first."""

    state: State = field(default_factory=State)
    rows: Mapping[str, Row] = field(default_factory=dict)
    configs: Mapping[str, Requirements] = field(default_factory=dict)
    decisions: tuple[Decision, ...] = ()
    spent: Amount = NOTHING
    unreadable: int = 0  # files, lines and records with fields that could not be read

    @property
    def tally(self) -> Tally:
        """The tally of every run that counts."""
        return total(self.state.tallies.values())


def advance(view: View, news: News) -> View:
    """Return `view` with `news` taken in; pure."""
    if not news:
        return view
    return _with(view, fold_state(view.state, news), news.gone | news.batches.keys())


def view_of(state: State) -> View:
    """Return the view of a state that was read at once."""
    return _with(View(), state, state.runs.keys())


def _with(view: View, state: State, changed: Set[str]) -> View:
    """Return `view` on `state`, in which the runs of `changed` are new, other or gone."""
    rows, configs, spent, unreadable = dict(view.rows), dict(view.configs), view.spent, view.unreadable
    fresh: list[Decision] = []
    for key in changed:
        if before := rows.pop(key, None):
            _count(configs, before, -1)
            spent = spent.plus(before.cost, -1)
            unreadable -= len(before.run.losses)
        if run := state.runs.get(key):
            rows[key] = row = row_of(key, run)
            _count(configs, row, 1)
            spent = spent.plus(row.cost)
            unreadable += len(run.losses)
            fresh += row.decisions
    kept = (d for d in view.decisions if d.key not in changed)
    decisions = nlargest(FEED, [*kept, *fresh], key=lambda d: (d.when, d.key, d.place))
    return View(state, rows, configs, tuple(decisions), spent, unreadable)


def _count(configs: dict[str, Requirements], row: Row, sign: int) -> None:
    if not row.counted:
        return
    result = configs.get(row.run.cfg, Requirements()).plus(_requirements(row), sign)
    if result.listed:
        configs[row.run.cfg] = result
    else:
        configs.pop(row.run.cfg, None)


def _requirements(row: Row) -> Requirements:
    """The part of a run in its config's sums."""
    if row.run.score is None:
        return Requirements(listed=1)
    met, judged = row.met or 0, row.judged or 0
    return Requirements(1, 1, met, judged, int(met == judged > 0), row.cost, seconds(row.seconds))
