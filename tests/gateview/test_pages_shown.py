"""The pages of a stop on the screen: as pictures where the terminal can, else as files, whatever lies there."""

import hashlib
import os
import select
import time
from pathlib import Path
from typing import Any

import pytest
from images import chunk, png
from live_dashboard import Growing, dashboard, screen_of, shows, until
from test_terminal import Terminal, terminal

from gateview.store.pictures import PictureError, Shot, open_with_system, read_picture

WIDE = (120, 40)
OLD, NEW = png(64, 48), png(64, 48, shade=200)


def name_of(data: bytes) -> str:
    return f"pages/{hashlib.sha256(data).hexdigest()[:32]}.png"


def put(run: Path, data: bytes, file: str | None = None) -> dict[str, Any]:
    """Lay a picture into a run; return it as a record has it."""
    file = file or name_of(data)
    (run / "pages").mkdir(exist_ok=True)
    (run / file).write_bytes(data)
    return {"page": "index.png", "file": file, "width": 64, "height": 48, "bytes": len(data)}


def rendered(runs: Path) -> Growing:
    """A run with one stop that gate 2 blocked."""
    run = Growing(runs, "V1-g2-r1")
    finding = {"severity": "blocking", "file": "a.css", "line": 3, "text": "light on [light]", "by": "UI"}
    gate = {
        "ran": True, "pass": False, "verdict": "fail", "blocking": [finding],
        "reviewers": [{"id": "UI", "approve_raw": False, "findings": [finding]}],
        "before": [put(run.path, OLD)], "after": [put(run.path, NEW), {"page": "z\x1b[1m", "file": "../../x"}],
    }  # fmt: skip
    run.append(run.stop(gate2=gate, blocked_by="g2", gate1={"ran": False}))
    return run


async def test_the_pages_of_a_stop_are_listed_and_opened(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    rendered(tmp_path)
    app = dashboard(tmp_path)
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        await until(pilot, lambda: bool(app.view.decisions))
        await pilot.press("enter")
        await shows(pilot, "UI 1 blocking", "7 ui")
        await pilot.press("7")
        await shows(pilot, "1 blocking a.css:3", "light on [light]", "index.png  changed", "z␛[1m  new")
        await pilot.press("p")
        await shows(pilot, "index.png, before the change   changed", "1 of 3", "V1-g2-r1/pages/")
        await shows(pilot, "o opens it")
        await pilot.press("right", "o")
        await shows(pilot, "index.png, after the change", "nothing here opens pictures")
        await pilot.press("right", "o", "y")
        await shows(pilot, "the record names no file of this run", "z␛[1m, after")
        await pilot.press("escape")
        await shows(pilot, "7 ui")


async def test_a_run_without_pages_has_neither_tab_nor_pictures(tmp_path: Path) -> None:
    run, app = Growing(tmp_path), dashboard(tmp_path)
    run.append(run.stop())
    async with app.run_test(size=WIDE) as pilot:
        await until(pilot, lambda: bool(app.view.decisions))
        await pilot.press("enter")
        await shows(pilot, "6 raw")
        await pilot.press("7", "p", "shift+tab")
        await shows(pilot, '"decision": "block"')
        assert "7 ui" not in screen_of(app)


@pytest.mark.parametrize(
    ("file", "data", "why"),
    [
        (None, OLD, "names no file"),
        ("/etc/passwd", None, "names no file"),
        ("pages/../gate.jsonl", None, "names no file"),
        (name_of(NEW), None, "cannot be read: No such file"),
        (name_of(NEW), OLD, "its hash is another"),
        (name_of(b"GIF89a"), b"GIF89a", "is no PNG"),
        (name_of(png(10_000, 10_000)), png(10_000, 10_000), "claims to have 10000 x 10000 pixels"),
        (name_of(OLD + bytes(20_000_000)), OLD + bytes(20_000_000), "larger than 20 MB"),
    ],
)
def test_what_is_no_picture_of_the_run_says_why(
    tmp_path: Path, file: str | None, data: bytes | None, why: str
) -> None:
    if data is not None:
        put(tmp_path, data, file)
    with pytest.raises(PictureError, match=why):
        read_picture(tmp_path, Shot("a", "after", file, True))


def test_neither_link_nor_pipe_is_followed(tmp_path: Path) -> None:
    elsewhere, run = tmp_path / "elsewhere", tmp_path / "run"
    elsewhere.mkdir()
    run.mkdir()
    shot = Shot("a", "after", str(put(elsewhere, OLD)["file"]), True)
    assert read_picture(elsewhere, shot) == OLD
    (run / "pages").symlink_to(elsewhere / "pages")
    with pytest.raises(PictureError, match="cannot be read"):
        read_picture(run, shot)
    (run / "pages").unlink()
    (run / "pages").mkdir()
    os.mkfifo(run / str(shot.file))
    with pytest.raises(PictureError, match="no plain file"):
        read_picture(run, shot)


def test_a_picture_that_cannot_be_unpacked_is_told_and_no_crash() -> None:
    pytest.importorskip("textual_image")
    from gateview.screens.pictures import _unpacked

    assert _unpacked(NEW).size == (64, 48)
    assert max(_unpacked(png(3000, 900)).size) <= 2000
    rotten = png(4, 3).replace(png(4, 3)[33:], chunk(b"IDAT", b"rotten") + chunk(b"IEND", b""))
    with pytest.raises(PictureError, match="cannot be unpacked"):
        _unpacked(rotten)


def test_the_system_opens_a_file_where_there_is_a_display(tmp_path: Path, monkeypatch: Any) -> None:
    opener = tmp_path / ("open" if os.uname().sysname == "Darwin" else "xdg-open")
    opener.write_text(
        f'#!/bin/sh\necho "$1" >{tmp_path}/opened.new; mv {tmp_path}/opened.new {tmp_path}/opened\n'
    )
    opener.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setenv("DISPLAY", ":0")
    assert open_with_system(tmp_path / "a b.png")
    deadline = time.monotonic() + 20
    while not (tmp_path / "opened").exists():
        assert time.monotonic() < deadline
        time.sleep(0.01)
    assert (tmp_path / "opened").read_text() == f"{tmp_path}/a b.png\n"


SIXEL_ANSWERS = {b"\x1b[c": b"\x1b[?62;4c", b"\x1b[16t": b"\x1b[6;20;10t"}
"""What a terminal with sixel answers to the questions that textual-image asks."""


def answers(place: Terminal, seconds: float) -> bool:
    """Be such a terminal for a while; whether a picture came."""
    asked, deadline = len(place.sent), time.monotonic() + seconds
    while time.monotonic() < deadline:
        if select.select([place.master], [], [], 0.01)[0]:
            place.sent += os.read(place.master, 65536)
        for question, answer in SIXEL_ANSWERS.items():
            if question in place.sent[asked:]:
                asked = len(place.sent)
                os.write(place.master, answer)
        if b"\x1bP" in place.sent and b"\x1b\\" in place.sent.partition(b"\x1bP")[2]:
            return True
    return False


@pytest.mark.pty
def test_a_terminal_with_sixel_is_sent_the_picture(tmp_path: Path) -> None:
    pytest.importorskip("textual_image")
    rendered(tmp_path)
    for _ in range(5):  # the library waits for an answer only for a tenth of a second
        with terminal("watch", tmp_path) as place:
            place.shows("V1-g2-r1")
            place.press("\r")
            place.shows("7 ui")
            place.press("p")
            if answers(place, 10):
                break
    else:
        pytest.fail("no picture was sent")
