"""Everything the screens show, advanced by the news: a row for each run, and sums over all of them.

Advancing by any split of the news gives the same view, and costs by what is new, not by what is there.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from operator import itemgetter

from gatecore.ledger.signoffs import AWAITING
from gatecore.ledger.tallies import NOTHING, Amount, Tally, seconds, total
from gateview.store.keyed import Keyed
from gateview.store.news import News
from gateview.store.plan import Plan, advanced, merged
from gateview.store.replays import Replaying
from gateview.store.replays import advance as replaying
from gateview.store.rows import Decision, Row, Status, decisions_of, grown

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
    """What is shown. `tallies` and `configs` are by config, of the runs that count.

    `decisions` are the newest, latest first; where a run has vanished, older ones do not come after.
    """

    rows: Keyed[Row] = field(default_factory=Keyed)
    tallies: Mapping[str, Tally] = field(default_factory=dict)
    configs: Mapping[str, Requirements] = field(default_factory=dict)
    status: Mapping[Status, int] = field(default_factory=dict)  # runs by status
    left_out: int = 0  # runs that do not count
    awaiting: int = 0  # runs that count and wait for the word of an engineer
    running: frozenset[str] = frozenset()  # runs that are under way by their own files
    decisions: tuple[Decision, ...] = ()
    spent: Amount = NOTHING
    unreadable: int = 0  # files, lines and records with fields that could not be read
    plans: Mapping[str, Plan] = field(default_factory=dict)  # by what goes before the names of its runs
    plan: Plan = field(default_factory=Plan)  # all of them as one
    replays: Mapping[str, Replaying] = field(default_factory=dict)  # those under way, by name

    @property
    def tally(self) -> Tally:
        """The tally of every run that counts."""
        return total(self.tallies.values())


class _Sums:
    """The sums of a view while rows are taken out of them and put in."""

    def __init__(self, view: View) -> None:
        self.tallies, self.configs = dict(view.tallies), dict(view.configs)
        self.status, self.running = dict(view.status), set(view.running)
        self.awaiting = view.awaiting
        self.left_out, self.spent, self.unreadable = view.left_out, view.spent, view.unreadable

    def count(self, row: Row, sign: int) -> None:
        self.spent = self.spent.plus(row.cost, sign)
        self.unreadable += sign * len(row.run.losses)
        self.left_out += sign * (not row.counted)
        if number := self.status.get(row.status, 0) + sign:
            self.status[row.status] = number
        else:
            self.status.pop(row.status)
        (self.running.add if sign > 0 and row.status == "running" else self.running.discard)(row.key)
        if not row.counted:
            return
        self.awaiting += sign * (row.result == AWAITING)
        cfg = row.run.cfg
        tally = self.tallies.get(cfg, Tally()).plus(row.tally, sign)
        sums = self.configs.get(cfg, Requirements()).plus(_requirements(row), sign)
        if sums.listed:
            self.tallies[cfg], self.configs[cfg] = tally, sums
        else:
            self.tallies.pop(cfg, None)
            self.configs.pop(cfg, None)


def advance(view: View, news: News) -> View:
    """Return `view` with `news` taken in; pure."""
    if not news:
        return view
    sums = _Sums(view)
    rows: dict[str, Row | None] = dict.fromkeys(news.gone & view.rows.keys())
    for key, batch in news.batches.items():
        rows[key] = grown(key, None if key in news.gone else view.rows.get(key), batch)
    for key, row in rows.items():
        if before := view.rows.get(key):
            sums.count(before, -1)
        if row:
            sums.count(row, 1)
    plans = dict(view.plans)
    for prefix, (events, anew) in news.plans.items():
        plans[prefix] = advanced(Plan() if anew else plans.get(prefix, Plan()), events, prefix)
    return View(
        rows=view.rows.with_changes(rows),
        tallies=sums.tallies,
        configs=sums.configs,
        status=sums.status,
        left_out=sums.left_out,
        awaiting=sums.awaiting,
        running=frozenset(sums.running),
        decisions=_feed(view, rows, news),
        spent=sums.spent,
        unreadable=sums.unreadable,
        plans=plans,
        plan=merged([*plans.values()]) if news.plans else view.plan,
        replays=replaying(view.replays, news.replays) if news.replays else view.replays,
    )


def _feed(view: View, rows: Mapping[str, Row | None], news: News) -> tuple[Decision, ...]:
    """The newest decisions, with those of the rows that are new, other or gone."""
    fresh: list[Decision] = []
    dropped: set[str] = set()
    for key, row in rows.items():
        before = view.rows.get(key)
        if row is None:
            dropped.add(key)
            continue
        batch = news.batches[key]
        anew = batch.fresh or key in news.gone
        old = len(before.stops) if before else 0
        if before and (anew or row.stops[:old] != before.stops):  # other stops, or at other places
            dropped.add(key)
            stops = [d.stop for d in view.decisions if d.key == key and not anew]
            fresh += decisions_of(row, [*(stop.entry for stop in stops if stop.entry), *batch.entries])
        elif len(row.stops) > old:
            fresh += [d for d in decisions_of(row, batch.entries) if d.place >= old]
    if not (fresh or dropped):
        return view.decisions
    kept = (d for d in view.decisions if d.key not in dropped)
    return tuple(sorted([*kept, *fresh], key=itemgetter(0, 1, 2), reverse=True)[:FEED])


def _requirements(row: Row) -> Requirements:
    """The part of a run in its config's sums."""
    if row.run.score is None:
        return Requirements(listed=1)
    met, judged = row.requirements
    met, judged = met or 0, judged or 0
    return Requirements(1, 1, met, judged, int(met == judged > 0), row.cost, seconds(row.seconds))
