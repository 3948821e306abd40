"""The key views look as they did, at 80 by 24 and 120 by 40."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from live_dashboard import Growing, line, stamp, until
from snapshots import assert_as_before, picture
from textual.pilot import Pilot

from gateview.app import GateviewApp
from gateview.lines.glyphs import ASCII, UNICODE
from gateview.settings import Settings
from gateview.store.view import View

SIZES = {"120x40": (120, 40), "80x24": (80, 24)}
VIEWS: dict[str, Sequence[str]] = {
    "live": (),
    "told": ("enter", "h"),
    "diff": ("enter", "h", "2"),
    "assertions": ("enter", "h", "3"),
    "oracle": ("enter", "4"),
    "triage": ("t",),
    "triage-judged": ("t", "f", "1"),
    "help": ("question_mark",),
}
OUTPUT = """\
=================================== FAILURES ===================================
____________________________ test_zero_is_refused ______________________________
acceptance/test_T2.py:9: in test_zero_is_refused
    with pytest.raises(ValueError):
E   Failed: DID NOT RAISE ValueError
"""
PATCH = """\
diff --git a/evenup/money.py b/evenup/money.py
index 1..2 100644
--- a/evenup/money.py
+++ b/evenup/money.py
@@ -10,5 +10,7 @@ def split(amount, among):
 def split(amount, among):
     \"\"\"Share an amount out.\"\"\"
-    part = amount / len(among)
+    if not among:
+        raise ValueError("nobody is there")
+    part = amount // len(among)
     return {name: part for name in among}
"""


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    """Four runs of a matrix, one of them under way."""
    folder = tmp_path / "runs"
    first = Growing(folder, "T1-g1-r1")
    first.append(
        first.stop(reason="the tests fail", stop_id="a1") + first.stop("allow", failed=0, ts=stamp(20))
    )
    first.score()
    second = Growing(folder, "T2-g1-r1")
    gate: dict[str, Any] = {"ran": True, "pass": False, "suite_pass": 40, "suite_fail": 0}
    gate |= {"gate_tests_present": True, "gate_tests_pass": 6, "gate_tests_fail": 1}
    gate |= {"gate_tests_failed": ["test_zero_is_refused"]}
    reason = "The acceptance tests for this change fail:\n" + OUTPUT
    facts = {"gate1": gate, "reason": reason, "reason_chars": len(reason)}
    second.append(second.stop(failed=0, stop_id="b1", ts=stamp(31), **facts))
    second.append(
        second.stop(failed=2, stop_id="b2", ts=stamp(32), **facts) + second.stop("give_up", ts=stamp(33))
    )
    (second.path / "task.md").write_text("refuse amounts of zero")
    for n in (1, 2):
        (second.path / f"snap-{n}.diff").write_text(PATCH if n == 2 else "")
        (second.path / f"gatetests-{n}.txt").write_text(OUTPUT)
    second.score(3)
    Growing(folder, "T1-bare-r1").score(2)
    last = Growing(folder, "T3-g1-r1")
    last.event("worker_started")
    cells = [{"run": f"T{n}-g1-r1", "cfg": "g1", "task": f"T{n}", "rep": 1} for n in (1, 2, 3, 4)]
    (folder / "matrix.jsonl").write_bytes(
        line({"ts": stamp(), "event": "planned", "cells": cells})
        + line({"ts": stamp(), "event": "cell_started", "run": "T3-g1-r1"})
    )
    return folder


@pytest.fixture(autouse=True)
def _still(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """One clock, one place on earth, one user."""
    for name in ("live", "report"):
        monkeypatch.setattr(f"gateview.screens.{name}.time.time", lambda: 1_796_070_000.0)
    monkeypatch.setattr(
        "gateview.store.rows.epoch", lambda ts: 1_796_070_000.0 + int(ts[14:16]) * 60 + int(ts[17:19])
    )
    monkeypatch.setattr("gateview.lines.feed.clock", lambda at: f"20:00:{int(at) % 60:02}")
    monkeypatch.setattr("gateview.screens.live.clock", lambda _: "20:00:00")
    monkeypatch.setattr("gateview.lines.lanes.time_span", lambda _: "12 s")
    monkeypatch.setattr("gateview.store.said.now", lambda: "2026-11-30T20:01:00.000+00:00")
    monkeypatch.setenv("GATEVIEW_AUTHOR", "ada")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.delenv("NO_COLOR", raising=False)


async def settled(pilot: Pilot[None]) -> None:
    """Wait until the screen stays as it is."""
    before = ""
    for _ in range(100):
        await pilot.pause()
        await asyncio.sleep(0.12)
        now = picture(pilot)
        if now == before:
            return
        before = now
    raise AssertionError("the screen does not come to rest")


def known(app: GateviewApp) -> bool:
    """Whether all runs are read."""
    view: View = app.view
    return len(view.rows) == 4 and len(view.decisions) == 5


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", VIEWS)
async def test_a_view_looks_as_it_did(runs: Path, name: str, size: str) -> None:
    app = GateviewApp([runs], "runs/", UNICODE)
    async with app.run_test(size=SIZES[size]) as pilot:
        await until(pilot, lambda: known(app))
        await settled(pilot)
        if name not in ("live", "triage", "triage-judged", "help"):
            await pilot.press("G", "k")
        for key in VIEWS[name]:
            await pilot.press(key)
            await settled(pilot)
        assert_as_before(pilot, f"{name}-{size}")


async def test_the_light_theme_and_signs_of_ascii_look_as_they_did(runs: Path) -> None:
    app = GateviewApp([runs], "runs/", ASCII, settings=Settings(theme="light"))
    async with app.run_test(size=(120, 40)) as pilot:
        await until(pilot, lambda: known(app))
        await settled(pilot)
        assert_as_before(pilot, "live-light-ascii")
