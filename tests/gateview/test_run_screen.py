"""The run screen: diffs against base and stop before, and what was told of failing tests."""

from pathlib import Path

from live_dashboard import Growing, dashboard, screen_of, shows, until
from textual.pilot import Pilot

from gateview.app import GateviewApp
from gateview.widgets.diff_view import DiffView

WIDE = (120, 40)
BASE = [f"line {i}" for i in range(1, 60)]


def patch(name: str, *changes: tuple[int, str]) -> str:
    """A patch that replaces lines of the base by number."""
    hunks = ""
    for number, new in changes:
        around = BASE[number - 2 : number + 1]
        hunks += f"@@ -{number - 1},3 +{number - 1},3 @@ def f():\n"
        hunks += f" {around[0]}\n-{around[1]}\n+{new}\n {around[2]}\n"
    return f"diff --git a/{name} b/{name}\nindex 1..2 100644\n--- a/{name}\n+++ b/{name}\n{hunks}"


async def opened(pilot: Pilot[None], app: GateviewApp, tab: str) -> None:
    """Open the only run at its newest stop."""
    await until(pilot, lambda: bool(app.view.decisions))
    await pilot.press("enter")
    await shows(pilot, "requirements", "assertions")
    await pilot.press(tab)


async def test_a_diff_is_walked_folded_and_compared_with_the_stop_before(tmp_path: Path) -> None:
    run = Growing(tmp_path)
    run.append(run.stop() + run.stop())
    (run.path / "snap-1.diff").write_text(patch("a.py", (10, "first = 'x'")) + patch("b.py", (30, "same")))
    second = patch("a.py", (10, "first = 'y'"), (40, "def second(): [bold]")) + patch("b.py", (30, "same"))
    (run.path / "snap-2.diff").write_text(second)
    app = dashboard(tmp_path)
    async with app.run_test(size=WIDE) as pilot:
        await opened(pilot, app, "2")
        await shows(
            pilot,
            "stop 2 against stop 1",
            "10 - first = 'x'",
            "10 + first = 'y'",
            "40 + def second(): [bold]",
        )
        assert "b.py" not in screen_of(app)
        await pilot.press("d")
        await shows(pilot, "stop 2 against the base", "10 - line 10", "30 + same", "a.py   +2 -2")
        await pilot.press("z")
        await shows(pilot, "▸ a.py")
        assert "def second" not in screen_of(app)
        await pilot.press("Z", "Z")
        await shows(pilot, "def second", "30 + same")
        await pilot.resize_terminal(80, 14)
        await pilot.press("right_square_bracket", "right_square_bracket")
        await shows(pilot, "hunk 2 of 2")
        await pilot.press("right_curly_bracket")
        await shows(pilot, "b.py   file 2 of 2")
        await pilot.press("left_square_bracket", "left_square_bracket")
        await shows(pilot, "a.py   hunk 1 of 2")
        await pilot.press("h")
        await shows(pilot, "stop 1 against the base")


async def test_a_huge_diff_is_there_at_once_and_only_what_is_visible_is_made(tmp_path: Path) -> None:
    run = Growing(tmp_path)
    run.append(run.stop())
    body = "".join(f"+x = {number}\n" for number in range(30_000))
    head = "diff --git a/huge.py b/huge.py\nnew file mode 100644\n--- /dev/null\n+++ b/huge.py\n"
    head += "@@ -0,0 +1,30000 @@\n"
    (run.path / "snap-1.diff").write_text(head + body + patch("a.py", (10, "small")))
    app = dashboard(tmp_path)
    async with app.run_test(size=WIDE) as pilot:
        await opened(pilot, app, "2")
        await shows(pilot, "▸ huge.py   +30,000 -0", "10 + small")
        await pilot.click("#diff", offset=(4, 0))
        await shows(pilot, "new file mode 100644", "1 + x = 0")
        await pilot.press("G")
        await shows(pilot, "10 + small")
        assert app.screen.query_one(DiffView).virtual_size.height > 30_000


async def test_assertions_say_what_reached_the_agent(tmp_path: Path) -> None:
    run = Growing(tmp_path)
    output = "=== FAILURES ===\n" + "".join(
        f"____ test_{name} ____\nx.py:1: in test_{name}\n    assert {name}() == 1\nE   assert {name} == 1\n"
        for name in ("a", "b")
    )
    gate = {"ran": True, "pass": False, "suite_pass": 3, "suite_fail": 0, "gate_tests_present": True}
    gate |= {"gate_tests_pass": 1, "gate_tests_fail": 3, "gate_tests_failed": ["test_a", "test_b", "test_c"]}
    reason = "fail:\n" + output[output.index("____ test_b") :]
    run.append(run.stop(gate1=gate, reason=reason, reason_chars=len(reason)))
    (run.path / "gatetests-1.txt").write_text(output)
    app = dashboard(tmp_path)
    async with app.run_test(size=WIDE) as pilot:
        await opened(pilot, app, "3")
        await shows(
            pilot,
            "the agent read: 1 cut off, 1 told",
            "test_a   cut off",
            "assert a() == 1",
            "test_b   told",
            "1 failing test without assertion lines",
            "test_c",
        )
