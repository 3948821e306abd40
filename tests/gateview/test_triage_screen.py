"""Triage with the keyboard: what is written, and what is seen."""

import json
from pathlib import Path
from typing import Any

import pytest
from live_dashboard import Growing, dashboard, screen_of, shows, until
from textual.pilot import Pilot

from gateview.screens.live import LiveScreen
from gateview.screens.run import RunScreen
from gateview.screens.triage import TriageScreen

WIDE = (120, 40)
TESTS = {"ran": True, "pass": False, "gate_tests_present": True, "gate_tests_fail": 1}


@pytest.fixture(autouse=True)
def _state(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
    monkeypatch.setenv("GATEVIEW_AUTHOR", "ada")


def written(run: Growing) -> list[tuple[Any, ...]]:
    """What triage wrote on a run."""
    file = run.path / "triage.jsonl"
    lines = [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []
    return [(line["stop_id"], line["verdict"], line["cause"], line["note"]) for line in lines]


def blocking(run: Growing, stop_id: str, test: str, failed: int = 0) -> None:
    """Append a block by one failing test."""
    run.append(run.stop(failed=failed, stop_id=stop_id, gate1={**TESTS, "gate_tests_failed": [test]}))


async def opened(pilot: Pilot[None], runs: int) -> None:
    """Open triage once all is read."""
    await until(pilot, lambda: len(pilot.app.view.rows) == runs)  # type: ignore[attr-defined]
    await pilot.press("t")
    await until(pilot, lambda: isinstance(pilot.app.screen, TriageScreen))


async def test_a_verdict_a_cause_and_a_note_are_written_at_once_and_can_be_taken_back(tmp_path: Path) -> None:
    run = Growing(tmp_path)
    blocking(run, "one", "test_a", failed=1)
    blocking(run, "two", "test_b")
    (run.path / "task.md").write_text("rename a table [bold]")
    (run.path / "gatetests-2.txt").write_text(
        "=== FAILURES ===\n____ test_b ____\nx.py:1: in test_b\n    assert f() == 1\nE   assert 2 == 1\n"
    )
    app = dashboard(tmp_path)
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        await opened(pilot, 1)
        await shows(pilot, "1 false by the oracle", "1 right left", "rename a table [bold]", "assert 2 == 1")
        await pilot.press("1")
        assert written(run) == []
        await pilot.press("f")
        await shows(pilot, "over-specified test   ada", "agreement 1/1 100%", "1 done")
        await pilot.press("4", "n", *"odd", "enter")
        await shows(pilot, "false, flaky", "odd")
        await pilot.press("space")
        await shows(pilot, "right block   T1-g1-r1, stop 1")
        await pilot.press("u")
        await shows(pilot, "0 right left", "2 done")
        await pilot.press("space")
        await shows(pilot, "no other block is left")
        await pilot.press("z", "z")
        await until(pilot, lambda: len(written(run)) == 6)
        await pilot.press("z", "z")
        await shows(pilot, "1 false by the oracle", "1 right left", "0 done")
        assert written(run) == [
            ("two", "false", "over-specified test", ""),
            ("two", "false", "flaky", ""),
            ("two", "false", "flaky", "odd"),
            ("one", "unsure", None, ""),
            ("one", None, None, ""),
            ("two", "false", "flaky", ""),
            ("two", "false", "over-specified test", ""),
            ("two", None, None, ""),
        ]
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, LiveScreen))


async def test_blocks_alike_are_taken_together_and_disagreements_are_listed(tmp_path: Path) -> None:
    first, second, third = (Growing(tmp_path, f"T{n}-g1-r1") for n in (1, 2, 3))
    blocking(first, "one", "test_a")
    blocking(second, "two", "test_a", failed=1)
    blocking(third, "three", "test_c")
    app = dashboard(tmp_path)
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        await opened(pilot, 3)
        await shows(pilot, "2 blocks alike (1 false, 1 right)")
        await pilot.press("a")
        await shows(pilot, "for all 2 alike")
        await pilot.press("f")
        await until(pilot, lambda: bool(written(second)))
        await shows(pilot, "agreement 1/2 50%", "2 done")
        assert [written(run) for run in (first, second, third)] == [
            [("one", "false", None, "")],
            [("two", "false", None, "")],
            [],
        ]
        await pilot.press("tab", "tab")
        await shows(pilot, "right block   T2-g1-r1, stop 1")
        await pilot.press("tab", "s", "space", "a")
        await shows(pilot, "false block   T3-g1-r1", "no other block is like this one")
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, RunScreen))


async def test_a_second_viewer_sees_a_verdict_and_new_blocks_never_move_the_one_under_the_cursor(
    tmp_path: Path,
) -> None:
    run, other = Growing(tmp_path, "T5-g1-r1"), Growing(tmp_path, "T1-g1-r1")
    blocking(run, "one", "test_a")
    app, second = dashboard(tmp_path), dashboard(tmp_path)
    async with app.run_test(size=WIDE) as pilot, second.run_test(size=(80, 24)) as watching:
        await opened(pilot, 2)
        await opened(watching, 2)
        await shows(watching, "T5-g1-r1  stop 1")
        await pilot.press("f")
        await shows(watching, "1 done", "ada")
        blocking(other, "two", "test_b")
        await shows(watching, "T1-g1-r1  stop 1")
        assert "false block   T5-g1-r1" in screen_of(second)


async def test_triage_opens_at_the_stop_of_the_run_screen(tmp_path: Path) -> None:
    run = Growing(tmp_path)
    for number in range(3):
        blocking(run, f"stop{number}", f"test_{number}")
    app = dashboard(tmp_path)
    async with app.run_test(size=WIDE) as pilot:
        await until(pilot, lambda: len(app.view.decisions) == 3)
        await pilot.press("enter")
        await shows(pilot, "1 □ g1")
        await pilot.press("h", "t")
        await shows(pilot, "false block   T1-g1-r1, stop 2")
        await pilot.press("d")
        await shows(pilot, "Snap-2.diff is missing")
        await pilot.press("escape")
        await shows(pilot, "what the gate found")
