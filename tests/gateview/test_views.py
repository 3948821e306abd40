"""Views advanced bit by bit equal views made at once."""

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from synthetic_runs import runs

from gatecore.ledger.classes import classed_stops
from gatecore.ledger.records import Cell, Event, Hidden, MatrixEvent, RunMeta, Score, Stop, WriterRecord
from gatecore.ledger.run import Batch, Entry, Run, fold
from gatecore.ledger.tallies import NOTHING, tally_run, total
from gateview.store.keyed import Keyed
from gateview.store.listing import Listing
from gateview.store.news import News, PlanNews
from gateview.store.order import SORTS, matches
from gateview.store.progress import progress, under_way
from gateview.store.rows import Row, row_of
from gateview.store.times import clock, epoch, span
from gateview.store.view import View, advance


def whole(run: Run) -> Batch:
    """A run as it comes when it is read at once."""
    (only,) = batches(run, [])[-1:]
    return replace(only, entries=run.entries)


def batches(run: Run, cuts: list[int]) -> list[Batch]:
    """A run as it may have come, the ledger cut into pieces."""
    edges = [0, *sorted(min(cut, len(run.entries)) for cut in cuts), len(run.entries)]
    pieces = [Batch(entries=run.entries[a:b]) for a, b in pairwise(edges)]
    last = Batch(
        meta=run.meta,
        score=run.score,
        writer=run.writer,
        signoffs=run.signoffs,
        snapshots=run.snapshots,
        crashes=run.crashes,
        over=run.over,
    )
    return [*pieces, last]


@settings(max_examples=25)
@given(runs(), st.data())
def test_any_split_of_the_news_gives_the_same_view(found: dict[str, Run], data: st.DataObject) -> None:
    queues = {
        key: batches(run, data.draw(st.lists(st.integers(0, 4), max_size=3))) for key, run in found.items()
    }
    view = View()
    while queues:
        keys = data.draw(st.sets(st.sampled_from(sorted(queues)), min_size=1))
        view = advance(view, News({key: queues[key].pop(0) for key in keys}))
        queues = {key: rest for key, rest in queues.items() if rest}
    assert view == advance(View(), News({key: whole(run) for key, run in found.items()}))
    assert dict(view.rows) == {key: row_of(key, run) for key, run in found.items()}
    assert {key: row.tally for key, row in view.rows.items()} == {k: tally_run(r) for k, r in found.items()}
    assert {key: [(s.n, s.kind) for s in row.stops] for key, row in view.rows.items()} == {
        key: [(stop.n, stop.kind) for stop in classed_stops(run)] for key, run in found.items()
    }
    assert view.tally == total(tally_run(run) for run in found.values() if run.counted)
    emptied = advance(view, News(gone=frozenset(found)))
    assert emptied == View()


def test_cost_is_a_lower_bound_where_a_part_is_not_known() -> None:
    run = Run("T1-g1-r1", meta=RunMeta(task="T1", cfg="g1"), writer=WriterRecord(cost_usd=0.5))
    assert (row_of("a", run).cost.dollars, row_of("a", run).cost.unknown) == (0.5, 1)
    scored = replace(run, score=Score(cost_worker_usd=0.25, has_result_line=True))
    assert (row_of("a", scored).cost.dollars, row_of("a", scored).cost.unknown) == (0.75, 0)
    cut = replace(run, score=Score(cost_worker_usd=0.0, has_result_line=False))
    assert (row_of("a", cut).cost.dollars, row_of("a", cut).cost.unknown) == (0.5, 1)
    assert View().spent == NOTHING


def test_progress_counts_cells_of_the_plan_or_runs_without_one() -> None:
    cells = tuple(Cell(run=f"T{n}-g1-r1", cfg="g1", task=f"T{n}", rep=1) for n in range(1, 6))
    plan = MatrixEvent(event="planned", cells=cells)
    started = [MatrixEvent(event="cell_started", run=cell.run) for cell in cells[:3]]
    ended = [
        MatrixEvent(event="cell_ended", run="T1-g1-r1", state="scored"),
        MatrixEvent(event="cell_ended", run="T2-g1-r1", state="invalid"),
    ]
    scored = Batch(score=Score(wall_s=30.0))
    begun = Batch(events=(Event(event="worker_started"),))
    batches = {"T1-g1-r1": scored, "T3-g1-r1": begun, "T9-g1-r1": scored}
    news = News(batches, plans={"": PlanNews((plan, *started, *ended))})
    view = advance(View(), news)
    now = progress(view)
    assert (now.done, now.invalid, now.running, now.planned) == (1, 1, 1, 2)
    assert now.left_s == pytest.approx(30.0 * 2.5)
    assert [row.key for row in under_way(view)] == ["T3-g1-r1"]
    paused = advance(
        view, News(plans={"": PlanNews((MatrixEvent(event="matrix_paused", why="usage limit"),))})
    )
    assert (progress(paused).paused, progress(paused).running, under_way(paused)) == ("usage limit", 0, [])
    without = advance(View(), News(news.batches))
    assert (progress(without).done, progress(without).running, progress(without).planned) == (2, 1, None)


def test_orders_and_filters_of_runs() -> None:
    def row(name: str, *decisions: str, met: int | None = None, seconds: float | None = None) -> Row:
        stops = tuple(
            Stop(n=n, decision=d, ts=f"2026-01-01T00:00:0{n}+00:00") for n, d in enumerate(decisions, 1)
        )
        score = Score(hidden_pass=met, hidden_fail=5 - met, wall_s=seconds) if met is not None else None
        batch = Batch(
            entries=tuple(Entry(stop, line, 0, 0) for line, stop in enumerate(stops, 1)), score=score
        )
        return advance(View(), News({name: batch})).rows[name]

    rows = [
        row("T10-g1-r1", "block", met=5, seconds=9),
        row("T2-g13-r1", "block", "allow", met=1, seconds=60),
        row("T2-g1-r2"),
        row("T2-g1-r1", "allow", met=3, seconds=None),
    ]
    listed = {sort.name: [r.key for r in sorted(rows, key=sort.key)] for sort in SORTS}
    assert listed["name"] == ["T2-g1-r1", "T2-g1-r2", "T2-g13-r1", "T10-g1-r1"]
    assert listed["newest"][0] == "T2-g13-r1"
    assert listed["oracle"] == ["T2-g13-r1", "T2-g1-r1", "T10-g1-r1", "T2-g1-r2"]
    assert listed["time"] == ["T2-g13-r1", "T10-g1-r1", "T2-g1-r1", "T2-g1-r2"]
    assert [r.key for r in rows if matches(r, "G13")] == ["T2-g13-r1"]
    assert [r.key for r in rows if matches(r, "open g1")] == ["T2-g1-r2"]
    assert len([r for r in rows if matches(r, "  ")]) == 4


def test_times_are_read_with_and_without_offset_and_nonsense_is_unknown() -> None:
    assert epoch("2026-11-30T20:00:00.500+00:00") == epoch("2026-11-30T21:00:00.500+01:00")
    assert epoch("2026-11-30T19:52:17") is not None
    assert [epoch(ts) for ts in (None, "", "yesterday", "99999-01-01T00:00:00")] == [None] * 4
    assert clock(1e300) == "?"
    assert [span(s) for s in (-5, 12.4, 89, 91, 5399, 5401)] == [
        "0 s",
        "12 s",
        "89 s",
        "2 min",
        "90 min",
        "1.5 h",
    ]


def test_plans_of_several_folders_are_one() -> None:
    def plan(*events: MatrixEvent) -> PlanNews:
        cells = tuple(Cell(run=f"T{n}-g1-r1", cfg="g1") for n in (1, 2))
        return PlanNews((MatrixEvent(event="planned", cells=cells), *events))

    started = MatrixEvent(event="cell_started", run="T1-g1-r1")
    begun = Batch(events=(Event(event="worker_started"),))
    paused = MatrixEvent(event="matrix_paused", why="usage limit")
    batches = {"a/T1-g1-r1": begun, "b/T1-g1-r1": begun}
    view = advance(View(), News(batches, plans={"a/": plan(started), "b/": plan(started, paused)}))
    now = progress(view)
    assert (now.done, now.running, now.planned, now.paused) == (0, 1, 3, "usage limit")
    assert [row.key for row in under_way(view)] == ["a/T1-g1-r1"]
    ended = PlanNews((MatrixEvent(event="matrix_ended"),))
    half = advance(view, News(plans={"b/": ended}))
    assert not half.plan.over
    both = advance(half, News(plans={"a/": ended}))
    assert both.plan.over
    assert under_way(both) == []
    anew = advance(both, News(plans={"a/": PlanNews((), anew=True)}))
    assert sorted(anew.plan.cells) == ["b/T1-g1-r1", "b/T2-g1-r1"]


@given(st.lists(st.tuples(st.sampled_from("abcdefgh"), st.none() | st.integers(0, 3)), max_size=30))
def test_a_changed_copy_of_values_by_key_leaves_its_origin_as_it_was(
    changes: list[tuple[str, int | None]],
) -> None:
    origin: Keyed[int] = Keyed[int]().with_changes({"a": 1000, "b": 2000})
    copy, plain = origin, dict(origin)
    for key, value in changes:
        copy = copy.with_changes({key: value})
        plain[key] = value  # type: ignore[assignment]
    plain = {key: value for key, value in plain.items() if value is not None}
    assert (copy, len(copy), set(copy)) == (plain, len(plain), set(plain))
    assert origin == {"a": 1000, "b": 2000}
    differing = {key for key in copy.keys() | origin.keys() if copy.get(key) is not origin.get(key)}
    assert set(copy.changed_since(origin)) == differing


@settings(max_examples=40)
@given(st.data())
def test_a_listing_that_is_kept_up_equals_one_that_is_made_anew(data: st.DataObject) -> None:
    names = [f"T{number}-{cfg}-r1" for number in range(12) for cfg in ("g1", "g3")]
    listing, rows = Listing(), Keyed[Row]()
    for _ in range(6):
        match data.draw(st.sampled_from(["filter", "sort", "take", "take"])):
            case "filter":
                listing.filter_by(data.draw(st.sampled_from(["", "g", "g1", "g1 right", "g3", "false"])))
            case "sort":
                listing.sort_by(data.draw(st.sampled_from(SORTS)))
            case _:
                changes: dict[str, Row | None] = {}
                for name in data.draw(st.sets(st.sampled_from(names))):
                    failed, ts = (
                        data.draw(st.integers(0, 1)),
                        f"2026-01-01T00:00:{data.draw(st.integers(10, 19))}",
                    )
                    stop = Stop(n=1, decision="block", hidden=Hidden(passed=4, failed=failed), ts=ts)
                    there = data.draw(st.integers(0, 4))
                    changes[name] = (
                        row_of(name, Run(name, entries=(Entry(stop, 1, 0, 0),))) if there else None
                    )
                after = rows.with_changes(changes)
                listing.take(after, after.changed_since(rows))
                rows = after
        shown = [row for row in rows.values() if matches(row, listing.words)]
        expected = sorted(shown, key=lambda row: (listing.sort.key(row), row.key))
        assert listing[:] == [row.key for row in expected]
        assert [listing.place_of(row.key) for row in expected] == list(range(len(expected)))


def test_a_session_runs_while_it_is_judged_and_no_longer() -> None:
    run = fold(Run("repo-everyday-r1"), Batch(events=(Event(event="worker_started"),)))
    between = row_of("session", run).status
    run = fold(run, Batch(events=(Event(event="stop_begun", n=1, stop_id="a"),)))
    judged = row_of("session", run).status
    run = fold(run, Batch(events=(Event(event="stop_ended", n=1, stop_id="a"),)))
    assert (between, judged, row_of("session", run).status) == ("open", "running", "open")
