"""The live screen over folders that grow while it is watched."""

import asyncio
import json
import shutil
from pathlib import Path

import pytest
from live_dashboard import Growing, classes, dashboard, line, screen_of, shows, stamp, until
from rich.cells import cell_len
from textual.app import App
from textual.pilot import Pilot

from gatecore.ledger.tallies import total
from gateview.app import GateviewApp
from gateview.screens.live import LiveScreen
from gateview.screens.run import RunScreen
from gateview.store.load import load
from gateview.widgets.board import Board
from gateview.widgets.feed import Feed
from gateview.widgets.run_list import RunList

WIDE = (120, 40)


async def test_a_torn_append_shows_once_it_is_whole_in_feed_tallies_and_list(tmp_path: Path) -> None:
    run = Growing(tmp_path)
    app = dashboard(tmp_path)
    async with app.run_test(size=WIDE) as pilot:
        await shows(pilot, "T1-g1-r1", "no gate has judged a stop yet")
        first, second = run.stop(), run.stop("allow", failed=0)
        run.append(first + second[:40])
        await shows(pilot, "■", "g1 right", "reason 1 of T1-g1-r1", "1 right, 0 false of 1 block")
        assert "✓" not in screen_of(app)
        run.append(second[40:90])
        run.append(second[90:])
        await shows(pilot, "■✓", "clean", "all 5 requirements met", "1/1 100%")
        run.score()
        await shows(pilot, "5/5", "1 done", "0.25", "1/1 100%")
    assert classes(app.view) == {"T1-g1-r1": ["right", "clean"]}


async def test_nothing_is_lost_or_shown_twice_while_many_runs_are_written_in_pieces(tmp_path: Path) -> None:
    app = dashboard(tmp_path)
    async with app.run_test(size=WIDE) as pilot:
        for number in range(6):
            run = Growing(tmp_path, f"T{number + 1}-g1-r1")
            data = b"".join(
                [run.stop(), run.stop(failed=0), run.stop("allow", failed=2), run.stop("give_up")]
            )
            for start in range(0, len(data), 173 + 60 * number):
                run.append(data[start : start + 173 + 60 * number])
                await asyncio.sleep(0)
            run.score()
        await until(pilot, lambda: len(app.view.decisions) == 24)
        await until(pilot, lambda: all(row.status == "scored" for row in app.view.rows.values()))
        assert len(app.screen.query_one(Feed)._keys) == len({d.identity for d in app.view.decisions}) == 24
    whole = load([tmp_path])
    assert classes(app.view) == classes(whole)
    assert app.view.tally == whole.tally == total(whole.tallies.values())
    assert (app.view.configs, app.view.decisions, app.view.spent) == (
        whole.configs,
        whole.decisions,
        whole.spent,
    )


async def test_an_empty_folder_is_waited_for_and_runs_may_go_and_come_again(tmp_path: Path) -> None:
    app = dashboard(tmp_path)
    async with app.run_test(size=WIDE) as pilot:
        await shows(pilot, "no runs yet")
        run = Growing(tmp_path)
        run.append(run.stop())
        await shows(pilot, "1 right, 0 false")
        shutil.rmtree(run.path)
        await shows(pilot, "no runs yet", "0 right, 0 false")
        again = Growing(tmp_path)
        again.append(again.stop(failed=0))
        await shows(pilot, "0 right, 1 false")
        assert classes(app.view) == {"T1-g1-r1": ["false"]}


async def test_progress_lanes_and_time_left_come_from_plan_and_events(tmp_path: Path) -> None:
    cells = [{"run": f"T{n}-g1-r1", "cfg": "g1", "task": f"T{n}", "rep": 1} for n in (1, 2, 3)]
    plan = tmp_path / "matrix.jsonl"
    plan.write_bytes(line({"ts": stamp(), "event": "planned", "cells": cells, "lanes": 1}))
    done, running = Growing(tmp_path, "T1-g1-r1"), Growing(tmp_path, "T2-g1-r1")
    done.score()
    app = dashboard(tmp_path)
    async with app.run_test(size=WIDE) as pilot:
        await shows(pilot, "1 done", "2 planned")
        plan.write_bytes(plan.read_bytes() + line({"event": "cell_started", "run": "T2-g1-r1"}))
        running.event("worker_started")
        running.event("stop_begun", n=1, stop_id="a")
        running.event("check_started", n=1, stop_id="a", check="suite")
        await shows(pilot, "1 done · 1 running · 1 planned", "about 18 s left", "stop 1 · suite", "● worker")
        running.event("check_started", n=1, stop_id="a", check="oracle")
        await shows(pilot, "stop 1 · suite, oracle")


async def test_enter_opens_a_run_and_escape_leaves_it(tmp_path: Path) -> None:
    run = Growing(tmp_path)
    run.append(run.stop(reason="first line\n\n  second line") + run.stop("allow", failed=0))
    (run.path / "snap-1.diff").write_text(
        "diff --git a/x.py b/x.py\n--- a/x.py\n+++ b/x.py\n@@ -1 +1 @@\n-old\n+new\n"
    )
    (run.path / "snap-2.diff").write_bytes(b"\0\1\2")
    app = dashboard(tmp_path)
    async with app.run_test(size=WIDE) as pilot:
        await shows(pilot, "■✓")
        await pilot.press("enter")
        await shows(pilot, "1 ■ g1", "2 ✓", "Nothing: the agent was let go.")
        await pilot.press("2")
        await shows(pilot, "Snap-2.diff is binary (3 bytes).")
        await pilot.press("left")
        await shows(pilot, "1 + new", "1 - old", "stop 1 against the base")
        await pilot.press("1")
        await shows(pilot, "first line", "  second line")
        await pilot.press("4")
        await shows(pilot, "test_req1", "failed")
        await pilot.press("right")
        await shows(pilot, "repaired since stop 1")
        await pilot.press("5")
        await shows(pilot, "No review ran at this stop")
        await pilot.press("6")
        await shows(pilot, '"decision": "allow"')
        run.append(run.stop("give_up"))
        await shows(pilot, "3 ⊘ g1", '"decision": "allow"')
        await pilot.press("l")
        await pilot.click("#tabs", offset=(3, 0))
        await shows(pilot, "Not sent: the gate had blocked too often", "reason 3 of T1-g1-r1")
        shutil.rmtree(run.path)
        await shows(pilot, "this run is no longer there")
        await pilot.press("escape")
        await shows(pilot, "no runs yet")


async def test_enter_in_the_feed_opens_the_run_at_that_stop(tmp_path: Path) -> None:
    run = Growing(tmp_path)
    run.append(run.stop() + run.stop())
    app = dashboard(tmp_path)
    async with app.run_test(size=WIDE) as pilot:
        await shows(pilot, "reason 2")
        await pilot.press("tab", "j", "enter")
        await until(pilot, lambda: isinstance(app.screen, RunScreen))
        await shows(pilot, "reason 1 of T1-g1-r1")
        await pilot.press("escape")
        await pilot.click("#feed", offset=(3, 1), times=2)
        await until(pilot, lambda: isinstance(app.screen, RunScreen))
        await shows(pilot, "reason 2 of T1-g1-r1")


async def test_filter_and_sort(tmp_path: Path) -> None:
    for name, failed in (("T1-g1-r1", 1), ("T2-g1-r1", 0), ("T10-g13-r1", 0)):
        run = Growing(tmp_path, name)
        run.append(run.stop(failed=failed))
    app = dashboard(tmp_path)
    async with app.run_test(size=WIDE) as pilot:
        await until(pilot, lambda: len(app.view.rows) == 3)
        runs = app.screen.query_one(RunList)
        await until(pilot, lambda: list(runs._keys) == ["T1-g1-r1", "T2-g1-r1", "T10-g13-r1"])
        await pilot.press("slash", *"false", "space", *"13")
        await shows(pilot, "/false 13", "1 of 3 runs")
        assert list(runs._keys) == ["T10-g13-r1"]
        await pilot.press("enter")
        await until(pilot, lambda: runs.has_focus)
        assert list(runs._keys) == ["T10-g13-r1"]
        Growing(tmp_path, "T3-g13-r1")
        await shows(pilot, "1 of 4")
        await pilot.press("escape")
        await until(pilot, lambda: len(runs._keys) == 4)
        await pilot.press("s", "s")
        await until(pilot, lambda: list(runs._keys)[:2] == ["T2-g1-r1", "T10-g13-r1"])
        await shows(pilot, "stops▾", "most false")
        await pilot.press("slash", "x", "escape")
        await until(pilot, lambda: len(runs._keys) == 4)


async def test_what_changed_stands_out_for_two_seconds(tmp_path: Path) -> None:
    run, other = Growing(tmp_path, "T1-g1-r1"), Growing(tmp_path, "T2-g1-r1")
    other.append(other.stop())
    app = dashboard(tmp_path)
    async with app.run_test(size=WIDE) as pilot:
        await shows(pilot, "1 right")
        runs = app.screen.query_one(RunList)
        assert [_is_bold(runs, line) for line in (0, 1)] == [False, False]
        run.append(run.stop())
        await shows(pilot, "2 right")
        assert [_is_bold(runs, line) for line in (0, 1)] == [True, False]
        await until(pilot, lambda: not _is_bold(runs, 0))


def _is_bold(runs: RunList, line: int) -> bool:
    return any(segment.style.bold for segment in runs.render_line(line) if segment.style)


async def test_pause_holds_the_screen_and_loses_nothing(tmp_path: Path) -> None:
    run = Growing(tmp_path)
    run.append(run.stop())
    app = dashboard(tmp_path)
    async with app.run_test(size=WIDE) as pilot:
        await shows(pilot, "1 right")
        await pilot.press("space")
        run.append(run.stop() + run.stop())
        await shows(pilot, "paused, 1 run changed")
        assert "1 right, 0 false of 1 block" in screen_of(app)
        await pilot.press("space")
        await shows(pilot, "3 right, 0 false of 3 blocks", "live")


async def test_what_comes_never_shifts_the_row_under_the_cursor(tmp_path: Path) -> None:
    for number in range(20, 80):
        Growing(tmp_path, f"T{number}-g1-r1")
    app = dashboard(tmp_path)
    async with app.run_test(size=WIDE) as pilot:
        await until(pilot, lambda: len(app.view.rows) == 60)
        await pilot.press("pagedown", *"jjjjjjj")
        runs = app.screen.query_one(RunList)
        await shows(pilot, "T50-g1-r1")
        under, place = runs.cursor_key, _place(app, "T50-g1-r1")
        for number in (1, 2, 3):
            Growing(tmp_path, f"T{number}-g1-r1")
        await until(pilot, lambda: len(runs._keys) == 63)
        assert (runs.cursor_key, _place(app, "T50-g1-r1")) == (under, place)
        shutil.rmtree(tmp_path / "T20-g1-r1")
        await until(pilot, lambda: len(runs._keys) == 62)
        assert (runs.cursor_key, _place(app, "T50-g1-r1")) == (under, place)


def _place(app: GateviewApp, text: str) -> int:
    return next(i for i, row in enumerate(screen_of(app).splitlines()) if text in row)


async def test_follow_goes_to_the_newest_decision_until_the_cursor_is_moved(tmp_path: Path) -> None:
    runs = [Growing(tmp_path, f"T{number}-g1-r1") for number in (1, 2, 3)]
    app = dashboard(tmp_path)
    async with app.run_test(size=WIDE) as pilot:
        await until(pilot, lambda: len(app.view.rows) == 3)
        shown = app.screen.query_one(RunList)
        await pilot.press("f")
        runs[2].append(runs[2].stop())
        await until(pilot, lambda: shown.cursor_key == "T3-g1-r1")
        assert "following" in screen_of(app)
        await pilot.press("k")
        runs[0].append(runs[0].stop(ts=stamp(9)))
        await shows(pilot, "reason 1 of T1-g1-r1")
        assert shown.cursor_key == "T2-g1-r1"
        assert "following" not in screen_of(app)


async def test_every_size_shows_what_it_has_room_for(tmp_path: Path) -> None:
    for number in (1, 2):
        run = Growing(tmp_path, f"T{number}-g13adv-r1")
        run.append(run.stop() + run.stop("allow", failed=0))
    app = dashboard(tmp_path)
    async with app.run_test(size=WIDE) as pilot:
        await shows(pilot, "T1-g13adv-r1", "catches", "requirements", "nothing is running")
        for size in ((29, 5), (1, 1)):
            await _resized(pilot, size)
            assert "runs" not in screen_of(app)
        for size in ((80, 24), (40, 10), (100, 20)):
            await _resized(pilot, size)
            await shows(pilot, "■✓")
            assert "nothing is running" not in screen_of(app)
            await pilot.press("tab")
            await shows(pilot, "reason 1 of T2-g13")
            await until(pilot, lambda: app.screen.query_one(Feed).has_focus)
            await pilot.press("tab")
            await shows(pilot, "nothing is running")
            await pilot.press("shift+tab", "shift+tab")
            await shows(pilot, "■✓")
        await _resized(pilot, (40, 10))
        await pilot.press("enter")
        await shows(pilot, "1 ■ g1", "2 ✓")
        await pilot.press("question_mark")
        await shows(pilot, "this run")
        assert _fits(app, (40, 10))
        await pilot.press("escape", "escape")
        await pilot.resize_terminal(*WIDE)
        await shows(pilot, "T1-g13adv-r1", "catches", "requirements", "nothing is running")


async def _resized(pilot: Pilot[None], size: tuple[int, int]) -> None:
    await pilot.resize_terminal(*size)
    await until(pilot, lambda: _fits(pilot.app, size))


def _fits(app: App[None], size: tuple[int, int]) -> bool:
    lines = screen_of(app).splitlines()
    return len(lines) <= size[1] and all(cell_len(text) <= size[0] for text in lines)


async def test_hostile_text_is_shown_literally_and_steers_nothing(tmp_path: Path) -> None:
    evil = "[bold]x[/] [/] [@click=app.quit]q[/] \x1b[2J\x1b]0;owned\x07 \u202etxt \x9b31m closing [/foo"
    run = Growing(tmp_path)
    (run.path / "meta.json").write_text(json.dumps({"task": evil, "cfg": evil, "rep": 1, "name": evil}))
    finding = {"severity": evil, "file": evil, "line": 1, "text": evil}
    reviewer = {"id": evil, "approve": False, "findings": [finding], "error": evil, "models": [evil]}
    run.append(
        run.stop(
            reason=evil,
            gate1={"ran": True, "pass": False, "gate_tests_failed": [evil], "why": evil},
            gate3={"ran": True, "pass": False, "reviewers": [reviewer]},
            hidden={"pass": 4, "fail": 1, "failed_reqs": [evil]},
        )
    )
    (run.path / "snap-1.diff").write_text(f"diff --git a/{evil} b/x\n@@ -1 +1 @@\n+{evil}\n")
    run.event("stop_begun", n=2, stop_id=evil)
    run.event("check_started", n=2, stop_id=evil, check=evil)
    app = dashboard(tmp_path)
    async with app.run_test(size=(200, 40)) as pilot:
        await shows(pilot, "[bold]x[/] [/] [@click=app.quit]q[/] ␛[2J␛]0;owned␇")
        _assert_tame(screen_of(app))
        await pilot.press("slash", *"[/foo", "enter")
        await shows(pilot, "/[/foo  1 of 1 run")
        await pilot.press("enter")
        for tab in "12456":
            await pilot.press(tab)
            await shows(pilot, "[@click=app.quit]q[/]")
            _assert_tame(screen_of(app))
        assert app.is_running


def _assert_tame(screen: str) -> None:
    bad = {c for c in screen if c != "\n" and (ord(c) < 32 or 0x7F <= ord(c) < 0xA0 or c in "\u202e\u202d")}
    assert not bad


async def test_help_lists_every_key_and_the_palette_does_what_a_key_does(tmp_path: Path) -> None:
    run = Growing(tmp_path)
    run.append(run.stop())
    app = dashboard(tmp_path)
    async with app.run_test(size=(120, 60)) as pilot:
        await shows(pilot, "1 right")
        await pilot.press("question_mark")
        await shows(
            pilot,
            "Hold the screen still",
            "Open the run under the cursor",
            "blocked, and a requirement did fail",
        )
        await pilot.press("q")
        await until(pilot, lambda: isinstance(app.screen, LiveScreen))
        await pilot.press("ctrl+p", *"Hold")
        await shows(pilot, "Hold the screen still; nothing is lost")
        await pilot.press("enter")
        await shows(pilot, "paused")


async def test_without_colour_every_class_of_stop_has_a_sign_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    run = Growing(tmp_path, "T1-g1-r1")
    run.append(
        run.stop()
        + run.stop(failed=0)
        + run.stop("allow")
        + run.stop("allow", failed=0)
        + run.stop("give_up")
    )
    run.append(run.stop("error", error="boom") + run.stop("block", hidden=None) + run.stop("skipped"))
    app = dashboard(tmp_path)
    async with app.run_test(size=WIDE) as pilot:
        await shows(pilot, "■□○✓⊘!?\N{EN DASH}")
        strips = app.screen._compositor.render_strips()
        colours = {
            seg.style.color.triplet for strip in strips for seg in strip if seg.style and seg.style.color
        }
        assert all(c is None or c.red == c.green == c.blue for c in colours)


async def test_heads_stay_over_their_columns_when_the_window_changes_under_another_screen(
    tmp_path: Path,
) -> None:
    run = Growing(tmp_path)
    run.append(run.stop())
    run.score()
    app = dashboard(tmp_path)
    async with app.run_test(size=(60, 20)) as pilot:
        await shows(pilot, "T1-g1-r1")
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, RunScreen))
        await pilot.resize_terminal(90, 24)
        await pilot.press("escape")
        runs = app.screen.query_one(RunList)
        await until(pilot, lambda: runs.row_width > 80)
        head = app.screen.query_one("#runs-head", Board)
        await until(pilot, lambda: list(head._lines) == runs.head(runs.row_width))
