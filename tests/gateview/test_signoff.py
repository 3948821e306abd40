"""Gate 4: the engineer approves and sends back on the run screen, and what the report says of it."""

import json
import os
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from live_dashboard import Growing, dashboard, screen_of, shows, until
from textual.pilot import Pilot

from gatecore.ledger.schema import schema
from gateview.app import GateviewApp
from gateview.lines.glyphs import UNICODE
from gateview.plain import print_once
from gateview.report.command import print_report
from gateview.screens.run import RunScreen
from gateview.store.signoff_log import Stopwatch

WIDE = (120, 40)


def held(folder: Path, name: str = "T1-g1-r1", met: int = 3) -> Growing:
    """A scored run of two stops whose result waits for the engineer."""
    run = Growing(folder, name)
    run.append(run.stop(stop_id="s1") + run.stop("allow", stop_id="s2"))
    task, cfg, rep = name.split("-")
    meta = {"task": task, "cfg": cfg, "rep": int(rep[1:]), "name": name, "signoff": True}
    (run.path / "meta.json").write_text(json.dumps(meta))
    run.score(met)
    return run


def lines(run: Growing) -> list[dict[str, Any]]:
    file = run.path / "signoff.jsonl"
    return [json.loads(line) for line in file.read_bytes().splitlines()] if file.exists() else []


async def opened(pilot: Pilot[None], app: GateviewApp) -> None:
    await until(pilot, lambda: bool(app.view.decisions))
    await pilot.press("enter")
    await shows(pilot, "requirements", "assertions")


async def test_the_end_is_sent_back_with_a_reason_and_then_approved(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setenv("GATEVIEW_AUTHOR", "ann")
    run, app = held(tmp_path), dashboard(tmp_path)
    async with app.run_test(size=WIDE) as pilot:
        await until(pilot, lambda: bool(app.view.decisions))
        await shows(pilot, "1 awaiting engineer")
        await opened(pilot, app)
        await shows(pilot, "awaiting engineer   A: approve")
        await pilot.press("S", *"no [b] test", "enter")
        await shows(pilot, "the engineer: sent back: no [b] test   ann, ")
        assert "awaiting" not in screen_of(app)
        await pilot.press("A")
        await shows(pilot, "the engineer: approved   ann")
        await pilot.press("u")
        await shows(pilot, "the engineer: sent back: no [b] test")
        await pilot.press("u")
        await shows(pilot, "awaiting engineer   A: approve")
    back, approved, again, undone = lines(run)
    whole = schema()
    validator = jsonschema.Draft202012Validator(
        {**whole["properties"]["signoff.jsonl"], "$defs": whole["$defs"]}
    )
    for line in lines(run):
        validator.validate(line)
    assert {key: back[key] for key in ("v", "by", "stop_id", "n", "verdict", "reason")} == {
        "v": 1, "by": "ann", "stop_id": None, "n": None, "verdict": "send_back", "reason": "no [b] test",
    }  # fmt: skip
    assert 0 <= back["seconds"] < 60
    assert [x["verdict"] for x in (approved, again, undone)] == ["approve", "send_back", None]
    assert again["reason"] == "no [b] test"


async def test_a_stop_is_signed_off_by_itself_and_a_reason_can_be_given_up(tmp_path: Path) -> None:
    run, app = held(tmp_path), dashboard(tmp_path)
    async with app.run_test(size=WIDE) as pilot:
        await opened(pilot, app)
        await pilot.press("s", "x", "escape")
        await pilot.press("left", "a")
        await shows(pilot, "right block   approved")
        await pilot.press("right")
        await until(pilot, lambda: "right block   approved" not in screen_of(app))
        await shows(pilot, "awaiting engineer")
        await pilot.press("slash", *"nothing", "enter")
        await pilot.press("left")
        await shows(pilot, "right block   approved")
    (line,) = lines(run)
    assert (line["stop_id"], line["n"], line["verdict"], line["reason"]) == ("s1", 1, "approve", "")


async def test_a_run_that_is_not_over_has_no_end_to_be_signed_off(tmp_path: Path) -> None:
    run = Growing(tmp_path)
    run.append(run.stop())
    app = dashboard(tmp_path)
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        await opened(pilot, app)
        await pilot.press("A")
        await shows(pilot, "the run is not scored yet")
        await pilot.press("a")
        await until(pilot, lambda: len(lines(run)) == 1)


async def test_a_run_that_cannot_be_written_is_signed_off_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    run, app = held(tmp_path / "runs"), dashboard(tmp_path / "runs")
    (run.path / "signoff.jsonl").symlink_to(
        tmp_path / "not-here"
    )  # nobody may write through it, root neither
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        await opened(pilot, app)
        await pilot.press("A")
        await shows(pilot, "the engineer: approved", "cannot be written to")
    assert not (tmp_path / "not-here").exists()
    monkeypatch.setattr(os, "access", lambda *_: False)
    assert print_report([tmp_path / "runs"], "json") == 0
    assert json.loads(capsys.readouterr().out)["signoff"]["by_cfg"]["g1"]["approved"] == 1


def test_what_lies_over_the_screen_is_not_counted() -> None:
    now = [0.0]
    watch = Stopwatch(lambda: now[0])

    def after(seconds: float, *things: object) -> None:
        now[0] += seconds
        watch.open(*things)

    watch.open(1, None)
    after(10, 2, None)
    after(5)
    after(1000, 1, None)
    now[0] += 3
    assert (watch.take(1), watch.take(2), watch.take(None)) == (13, 5, 18)
    now[0] += 2
    assert (watch.take(1), watch.take(2), watch.take(None)) == (2, 0, 2)


def sign(run: Growing, *words: dict[str, Any]) -> None:
    (run.path / "signoff.jsonl").write_text("".join(json.dumps(word) + "\n" for word in words))


def test_the_report_tells_what_was_sent_back_and_what_the_oracle_says(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    back, approve = {"verdict": "send_back", "reason": "a|b\x1b[1m"}, {"verdict": "approve"}
    sign(held(tmp_path, "T1-g1-r1", met=3), approve, {**back, "seconds": 90})  # the last one wins
    sign(held(tmp_path, "T1-g1-r2", met=5), {**back, "seconds": 30})
    sign(held(tmp_path, "T2-g1-r1", met=3), {**approve, "seconds": None})
    sign(held(tmp_path, "T2-g1-r2", met=5), approve, {"verdict": None})
    sign(held(tmp_path, "T3-g1-r1", met=5), {**approve, "stop_id": "s1", "seconds": 60}, {"verdict": "maybe"})
    held(tmp_path, "T3-g1-r2")
    assert print_report([tmp_path], "json") == 0
    found = json.loads(capsys.readouterr().out)["signoff"]
    cfg = found["by_cfg"]["g1"]
    assert [cfg[key] for key in ("awaiting", "approved", "sent_back")] == [3, 1, 2]
    assert [cfg[key] for key in ("right", "false", "missed", "clean", "no_oracle")] == [1, 1, 1, 0, 0]
    assert (cfg["seconds_known"], cfg["seconds_unknown"]) == (120, 1)
    assert (found["stops"]["missed"], found["stops"]["seconds_known"]) == (1, 60)
    assert found["awaiting"] == ["T2-g1-r2", "T3-g1-r1", "T3-g1-r2"]
    assert [(x["run"], x["n"], x["class"]) for x in found["words"]][-1] == ("T3-g1-r1", 1, "missed")

    assert print_report([tmp_path], "md") == 0
    out = capsys.readouterr().out
    assert "| g1 | 6 | 3 | 1 | 2 | 1 | 1 | 1 | 0 | 0 | 1/2 50%" in out
    assert "≥2.0 |" in out
    assert "Awaiting engineer: T2-g1-r2, T3-g1-r1, T3-g1-r2." in out
    assert "a\\|b␛[1m" in out
    print_once([tmp_path], "runs/", UNICODE, as_json=False)
    assert "3 awaiting engineer" in capsys.readouterr().out


async def test_the_seconds_are_those_of_the_run_screen_and_its_pictures(tmp_path: Path) -> None:
    run, app, now = Growing(tmp_path), dashboard(tmp_path), [0.0]
    pictures = {"after": [{"page": "a.png", "file": f"pages/{'0' * 32}.png"}]}
    run.append(run.stop("allow", gate2={"ran": True, "verdict": "pass", **pictures}))
    run.score()
    async with app.run_test(size=WIDE) as pilot:
        await opened(pilot, app)
        screen = app.screen
        assert isinstance(screen, RunScreen)
        screen._signoff.watch = Stopwatch(lambda: now[0])
        screen._signoff.watch.open(0, None)
        over = (("t", "by the oracle", 100), ("p", "a.png, after", 20), ("question_mark", "sign off", 500))
        for key, there, seconds in over:
            now[0] += 1
            await pilot.press(key)
            await shows(pilot, there)
            now[0] += seconds
            await pilot.press("escape")
            await until(pilot, lambda: app.screen is screen)
        await pilot.press("A", "a")
        await until(pilot, lambda: len(lines(run)) == 2)
    assert [(line["n"], line["seconds"]) for line in lines(run)] == [(None, 23), (1, 23)]
