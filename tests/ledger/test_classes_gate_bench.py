"""The class of every stop of the original's runs, against the table that came with them."""

import csv
from pathlib import Path

import pytest

from gatecore.ledger.classes import classed_stops
from gatecore.ledger.reader import read_run, read_runs

pytestmark = pytest.mark.shared


def test_every_stop_has_the_class_that_the_table_gives(shared: Path) -> None:
    folder = shared / "ledgers/gate-bench"
    with (folder / "stops.tsv").open() as file:
        expected = [
            (row["run"], int(row["n"]), row["decision"], row["blocked_by"], row["kind"])
            for row in csv.DictReader(file, delimiter="\t")
        ]
    found = [
        (run.name, stop.n, stop.entry.stop.decision, str(stop.entry.stop.blocked_by), stop.kind)
        for run in read_runs(folder / "runs")
        if run.counted
        for stop in classed_stops(run)
        if stop.entry
    ]
    assert len(expected) == 43
    assert sorted(found) == sorted(expected)


@pytest.mark.parametrize(
    ("run", "kinds"),
    [
        ("T3-g1-r1-killed", [(1, "killed")]),  # a snapshot, no record
        ("T3-g1-r2-cut", [(None, "error")]),  # the record is cut, and the next stop crashed on it
        ("T4-g13-r1-agenterr", []),
        ("T1-g1-r1-val2", [*((n, "false") for n in range(1, 7)), (7, "gave_up")]),
        ("_val3-red", [(1, "right")]),
    ],
)
def test_runs_with_something_odd(shared: Path, run: str, kinds: list[tuple[int | None, str]]) -> None:
    stops = classed_stops(read_run(shared / "ledgers/gate-bench/runs" / run))
    assert [(stop.n, stop.kind) for stop in stops] == kinds
