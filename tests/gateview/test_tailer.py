"""The tailer alone, over folders in which things come, grow, go and come again."""

import os
import shutil
import tarfile
from pathlib import Path

import pytest
from live_dashboard import Growing, classes, line, stamp

from gateview.store.load import load
from gateview.store.side import read_record, read_side
from gateview.store.tail import Tailer
from gateview.store.view import View, advance


class Clock:
    """A clock that the test moves."""

    now = 1000.0

    def __call__(self) -> float:
        return self.now


def looked(tailer: Tailer, view: View | None = None) -> View:
    """The view after looking until nothing is pending."""
    view = advance(view or View(), tailer.poll())
    while tailer.pending:
        view = advance(view, tailer.poll())
    return view


def test_each_look_brings_what_is_new_and_nothing_twice(tmp_path: Path) -> None:
    run = Growing(tmp_path)
    tailer = Tailer([tmp_path])
    view = looked(tailer)
    assert classes(view) == {"T1-g1-r1": []}
    assert not tailer.poll()
    data = run.stop() + run.stop("allow")
    for byte in data:
        run.append(bytes([byte]))
        view = looked(tailer, view)
    assert classes(view) == {"T1-g1-r1": ["right", "missed"]}
    assert not tailer.poll()


def test_runs_that_come_go_and_come_again_under_the_same_name(tmp_path: Path) -> None:
    tailer = Tailer([tmp_path / "runs"])
    assert looked(tailer).rows == {}, "a folder that is not there yet has no runs"
    run = Growing(tmp_path / "runs")
    run.append(run.stop())
    view = looked(tailer)
    run.path.rename(tmp_path / "aside")
    again = Growing(tmp_path / "runs")
    again.append(again.stop(failed=0))
    view = looked(tailer, view)
    assert classes(view) == {"T1-g1-r1": ["false"]}
    assert tailer.path("T1-g1-r1") == again.path
    shutil.rmtree(tmp_path / "runs")
    assert looked(tailer, view).rows == {}
    assert tailer.path("T1-g1-r1") is None


def test_a_directory_counts_from_its_first_file_on(tmp_path: Path) -> None:
    clock = Clock()
    tailer = Tailer([tmp_path], clock)
    (tmp_path / "T1-g1-r1").mkdir()
    (tmp_path / ".hidden-g1-r1").mkdir()
    (tmp_path / "T2-g1-r1").touch()
    (tmp_path / "T3-g1-r1").symlink_to("T3-g1-r1")
    assert looked(tailer).rows == {}
    (tmp_path / "T1-g1-r1" / "gate.jsonl").touch()
    clock.now += 0.1
    assert list(looked(tailer).rows) == ["T1-g1-r1"]


@pytest.mark.parametrize("settled_for", [60.0, 4000.0])
def test_runs_that_have_settled_are_looked_at_in_turns_and_their_news_is_found(
    tmp_path: Path, settled_for: float
) -> None:
    clock = Clock()
    runs = [Growing(tmp_path, f"T{number}-g1-r1") for number in range(12)]
    for run in runs:
        run.append(run.stop())
        if settled_for < 3600:
            run.score()
    tailer = Tailer([tmp_path], clock)
    view = looked(tailer)
    clock.now += settled_for
    for _ in range(3):
        assert not tailer.poll()
    assert len(tailer._growing) == 0
    runs[7].append(runs[7].stop("allow"))
    for _ in range(6):
        view = advance(view, tailer.poll())
    assert classes(view)["T7-g1-r1"] == ["right", "missed"]
    assert list(tailer._growing) == ["T7-g1-r1"]


def test_of_a_quiet_run_nothing_is_kept_but_its_row_and_it_is_read_anew_when_it_changes(
    tmp_path: Path,
) -> None:
    clock = Clock()
    over, growing = Growing(tmp_path, "T1-g1-r1"), Growing(tmp_path, "T2-g1-r1")
    for run in (over, growing):
        run.append(run.stop() + run.stop("allow"))
    over.score(met=4)
    tailer = Tailer([tmp_path], clock)
    view = looked(tailer)
    readers = {key: tracked.reader for key, tracked in tailer._tracked.items()}
    assert readers["T1-g1-r1"] is None
    assert readers["T2-g1-r1"] is not None
    clock.now += 60
    for _ in range(2):
        assert not tailer.poll()
    assert tailer._tracked["T2-g1-r1"].reader is None
    assert not any(row.run.entries or row.run.triage for row in view.rows.values())
    before = view.rows
    over.score(met=5)  # in place: the directory's time stamp stays
    growing.append(growing.stop("give_up"))
    view = advance(view, tailer.poll([str(growing.path / "gate.jsonl"), str(over.path / "stream.jsonl")]))
    assert view.rows["T1-g1-r1"] is before["T1-g1-r1"]
    assert classes(view)["T2-g1-r1"] == ["right", "missed", "gave_up"]
    for _ in range(2):
        view = advance(view, tailer.poll())
    assert view == load([tmp_path])
    assert view.rows["T1-g1-r1"].requirements == (5, 5)


def test_of_many_unfinished_runs_a_look_takes_some(tmp_path: Path) -> None:
    clock = Clock()
    runs = [Growing(tmp_path, f"T{number}-g1-r1") for number in range(450)]
    tailer = Tailer([tmp_path], clock)
    view = looked(tailer)
    clock.now += 60  # nothing is young any more
    for run in runs:
        run.append(run.stop())
    for least, most in ((200, 202), (400, 402), (450, 450)):
        view = advance(view, tailer.poll())
        assert least <= sum(map(bool, classes(view).values())) <= most


def test_many_runs_come_in_portions(tmp_path: Path) -> None:
    for number in range(30):
        Growing(tmp_path, f"T{number}-g1-r1")
    clock = Clock()

    def slow() -> float:
        clock.now += 0.04
        return clock.now

    tailer = Tailer([tmp_path], slow)
    first = tailer.poll()
    assert 0 < len(first.batches) < 30
    assert tailer.pending == 30 - len(first.batches)
    assert len(looked(tailer, advance(View(), first)).rows) == 30


def test_several_folders_are_told_apart_and_a_run_reached_twice_counts_once(tmp_path: Path) -> None:
    for bench in ("one", "two"):
        run = Growing(tmp_path / bench / "runs")
        run.append(run.stop())
    both = [tmp_path / "one" / "runs", tmp_path / "two" / "runs"]
    assert (
        sorted(looked(Tailer(both)).rows)
        == sorted(load(both).rows)
        == ["one/runs/T1-g1-r1", "two/runs/T1-g1-r1"]
    )
    twice = [both[0], both[0] / "T1-g1-r1", both[0]]
    assert looked(Tailer(twice)).rows.keys() == load(twice).rows.keys() == {"T1-g1-r1"}
    (both[0] / "A-link-r1").symlink_to("T1-g1-r1")
    assert looked(Tailer(both[:1])).rows.keys() == load(both[:1]).rows.keys() == {"T1-g1-r1"}
    alone = [both[0] / "T1-g1-r1"]
    assert looked(Tailer(alone)).rows.keys() == load(alone).rows.keys() == {"T1-g1-r1"}


def test_what_is_no_file_holds_nobody_up(tmp_path: Path) -> None:
    run = Growing(tmp_path)
    os.mkfifo(run.path / "gate.jsonl")
    (run.path / "events.jsonl").mkdir()
    (run.path / "score.json").symlink_to(tmp_path / "nowhere")
    row = looked(Tailer([tmp_path])).rows["T1-g1-r1"]
    assert {loss.file for loss in row.run.losses} == {"gate.jsonl", "events.jsonl", "score.json"}


def test_files_beside_a_ledger_are_read_whatever_they_are(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "text").write_bytes("é\xff".encode("latin-1") * 10)
    (tmp_path / "binary").write_bytes(b"a\0")
    (tmp_path / "empty").touch()
    (tmp_path / "loop").symlink_to("loop")
    assert read_side(tmp_path / "text", limit=4) == ("\ufffd" * 4, "the first 4 of 20 bytes of text")
    assert read_record(tmp_path / "text", 2, 3).text == "\ufffd" * 3
    notes = {
        name: read_side(tmp_path / name).note for name in ("fifo", "binary", "empty", "nothing", "loop", ".")
    }
    assert notes["fifo"] == "fifo is not a plain file"
    assert notes["binary"] == "binary is binary (2 bytes)"
    assert notes["empty"] == "empty is empty"
    assert notes["nothing"] == "nothing is missing"
    assert notes["loop"].startswith("loop cannot be read: ")
    assert "not a plain file" in notes["."]


def test_the_plan_is_read_as_it_grows_and_when_it_begins_anew(tmp_path: Path) -> None:
    plan = tmp_path / "matrix.jsonl"
    cells = [{"run": "T1-g1-r1", "cfg": "g1", "task": "T1", "rep": 1}]
    plan.write_bytes(line({"ts": stamp(), "event": "planned", "cells": cells}) + b'{"event": "matrix_pau')
    tailer = Tailer([tmp_path])
    view = looked(tailer)
    assert (len(view.plan.cells), view.plan.paused) == (1, None)
    with plan.open("ab") as file:
        file.write(b'sed", "why": "usage limit"}\n')
    assert looked(tailer, view).plan.paused == "usage limit"
    plan.write_bytes(line({"event": "matrix_ended"}))
    plan = looked(tailer, view).plan
    assert (plan.cells, plan.over) == ({}, True)


@pytest.mark.shared
def test_damaged_ledgers_are_watched_as_they_are_read(shared: Path, tmp_path: Path) -> None:
    with tarfile.open(shared / "ledgers/ugly/ugly.tar.gz") as archive:
        archive.extractall(tmp_path, filter="tar")
    folders = [tmp_path / "runs", tmp_path / "special"]
    watched, read = looked(Tailer(folders)), load(folders)
    assert watched == read
    assert watched.unreadable == sum(len(row.run.losses) for row in watched.rows.values()) > 0


@pytest.mark.shared
@pytest.mark.parametrize("ledgers", ["gate-bench", "published-50"])
def test_watching_and_reading_at_once_see_the_same(shared: Path, ledgers: str) -> None:
    folder = shared / "ledgers" / ledgers / "runs"
    watched, read = looked(Tailer([folder])), load([folder])
    assert watched == read
