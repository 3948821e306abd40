"""Watching folders that really grow: what is told of, what is not, and that nothing is lost or comes twice."""

import random
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from live_dashboard import Growing, classes, dashboard, shows

from gateview.store.load import load
from gateview.store.tail import Tailer
from gateview.store.view import View, advance
from gateview.store.watch import looks

PATIENCE = 20.0


class Watched:
    """A view that a thread keeps up with some folders, as the app does."""

    def __init__(self, *folders: Path) -> None:
        self.view = View()
        self.said: list[str] = []
        self.ended = threading.Event()
        self.alone = 0  # looks at what was touched alone
        self._tailer = Tailer(folders)
        self._thread = threading.Thread(target=self._watch)

    def _watch(self) -> None:
        for touched in looks(self._tailer, self.ended, self.said.append):
            self.alone += touched is not None
            self.view = advance(self.view, self._tailer.poll(touched))
            while self._tailer.pending and not self.ended.is_set():
                self.view = advance(self.view, self._tailer.poll(()))

    def until(self, condition: Callable[[], bool]) -> None:
        """Wait for a condition."""
        deadline = time.monotonic() + PATIENCE
        while not condition():
            assert time.monotonic() < deadline, classes(self.view)
            time.sleep(0.01)


@contextmanager
def watched(*folders: Path) -> Iterator[Watched]:
    """Watch folders for a while."""
    watch = Watched(*folders)
    watch._thread.start()
    try:
        yield watch
    finally:
        watch.ended.set()
        watch._thread.join(PATIENCE)
        assert not watch._thread.is_alive()


def test_nothing_is_lost_or_doubled_while_runs_come_grow_go_and_come_again(tmp_path: Path) -> None:
    chance = random.Random(11)
    runs = tmp_path / "runs"
    runs.mkdir()
    with watched(runs) as watch:
        growing = []
        for number in range(60):
            run = Growing(runs, f"T{number}-g1-r1")
            run.append(run.stop())  # made and written at once
            growing.append(run)
        for _ in range(400):
            run = chance.choice(growing)
            if not run.path.exists():
                continue
            data = run.stop(chance.choice(["block", "allow"]), failed=chance.randrange(2))
            cut = chance.randrange(len(data))
            run.append(data[:cut])
            run.append(data[cut:])
            dice = chance.random()
            if dice < 0.03:
                shutil.rmtree(run.path)
            elif dice < 0.06:
                run.path.rename(tmp_path / f"aside{time.monotonic_ns()}")
                again = Growing(runs, run.name)
                again.append(again.stop("allow", failed=0))
                growing.append(again)
            elif dice < 0.09:
                (run.path / "gate.jsonl").write_bytes(run.stop("give_up"))
            elif dice < 0.12:
                run.score()
        expected = load([runs])
        watch.until(lambda: watch.view == expected)
        assert watch.view.tally == expected.tally
        assert watch.alone > 0


def test_what_happens_is_told_at_once_in_runs_that_had_settled_too(tmp_path: Path) -> None:
    for number in range(30):
        Growing(tmp_path, f"T{number}-g1-r1")
    with watched(tmp_path) as watch:
        watch.until(lambda: len(watch.view.rows) == 30 and watch.alone > 0)
        watch._tailer._settled |= watch._tailer._growing
        watch._tailer._growing.clear()
        run = Growing(tmp_path, "T90-g1-r1")
        (tmp_path / "T7-g1-r1" / "gate.jsonl").write_bytes(run.stop())
        began = time.monotonic()
        watch.until(lambda: classes(watch.view)["T7-g1-r1"] == ["right"])
        assert time.monotonic() - began < 5


def test_a_folder_that_comes_goes_and_comes_again_is_waited_for(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    with watched(runs) as watch:
        for _ in range(2):
            run = Growing(runs)
            run.append(run.stop())
            watch.until(lambda: classes(watch.view) == {"T1-g1-r1": ["right"]})
            shutil.rmtree(runs)
            watch.until(lambda: not watch.view.rows)


@pytest.mark.parametrize(
    ("error", "says"),
    [
        (OSError("OS file watch limit reached"), "polling: watch limit"),
        (RuntimeError("?"), "polling: no watch"),
    ],
)
async def test_where_the_system_cannot_watch_folders_are_polled_and_the_header_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception, says: str
) -> None:
    def refuse(*_: object, **__: object) -> Iterator[set[object]]:
        raise error
        yield set()

    monkeypatch.setattr("watchfiles.watch", refuse)
    run = Growing(tmp_path)
    app = dashboard(tmp_path)
    async with app.run_test(size=(120, 40)) as pilot:
        await shows(pilot, f"live, {says}")
        run.append(run.stop())
        await shows(pilot, "1 right")


def test_changes_that_nobody_tells_of_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def silent(*_: object, **__: object) -> Iterator[set[object]]:
        while True:
            time.sleep(0.05)
            yield set()

    monkeypatch.setattr("watchfiles.watch", silent)
    runs = [Growing(tmp_path, f"T{number}-g1-r1") for number in range(5)]
    with watched(tmp_path) as watch:
        watch.until(lambda: len(watch.view.rows) == 5)
        for run in runs:
            run.append(run.stop())
        watch.until(lambda: set(map(tuple, classes(watch.view).values())) == {("right",)})


def test_after_so_many_changes_that_some_may_be_lost_every_run_is_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    overflowed = threading.Event()

    def overflowing(*_: object, **__: object) -> Iterator[set[object]]:
        while not overflowed.is_set():
            time.sleep(0.01)
            yield set()
        yield {(1, f"{tmp_path}/T999-g1-r1/{number}") for number in range(5000)}
        while True:
            time.sleep(0.01)
            yield set()

    monkeypatch.setattr("watchfiles.watch", overflowing)
    runs = [Growing(tmp_path, f"T{number}-g1-r1") for number in range(500)]
    for run in runs:
        run.score()
    with watched(tmp_path) as watch:
        watch.until(lambda: len(watch.view.rows) == 500)
        for run in runs:
            run.append(run.stop())
        overflowed.set()
        watch.until(lambda: all(watch.view.rows[run.name].stops for run in runs))


def test_after_a_surprise_every_run_is_looked_at_again(tmp_path: Path) -> None:
    now = 1000.0
    runs = [Growing(tmp_path, f"T{number}-g1-r1") for number in range(20)]
    for run in runs:
        run.score()
    tailer = Tailer([tmp_path], lambda: now)
    view = advance(View(), tailer.poll())
    now += 60
    for _ in range(3):
        tailer.poll()
    assert not tailer._growing
    for run in runs:
        run.append(run.stop())
    for _ in range(11):
        view = advance(view, tailer.poll())
        if any(classes(view).values()):
            break
    view = advance(view, tailer.poll())
    assert set(map(tuple, classes(view).values())) == {("right",)}
