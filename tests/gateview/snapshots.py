"""Pictures of the screen, compared with those in `snapshots/`; UPDATE_SNAPSHOTS=1 writes them anew."""

import os
import re
from pathlib import Path

from textual.pilot import Pilot

FOLDER = Path(__file__).with_name("snapshots")


def picture(pilot: Pilot[None]) -> str:
    """The screen as SVG, without what differs from one rendering to the next."""
    svg = pilot.app.export_screenshot(simplify=True)
    return re.sub(r"terminal-\d+(?=-|\")", "terminal", svg)


def assert_as_before(pilot: Pilot[None], name: str) -> None:
    """Compare the screen with the picture of that name; a new one lies beside it as ``.new.svg``."""
    seen = picture(pilot)
    file = FOLDER / f"{name}.svg"
    if os.environ.get("UPDATE_SNAPSHOTS"):
        FOLDER.mkdir(exist_ok=True)
        file.write_text(seen, "utf-8")
        return
    assert file.exists(), f"{file} is not there: run with UPDATE_SNAPSHOTS=1 and look at it"
    if file.read_text("utf-8") != seen:
        new = file.with_suffix(".new.svg")
        new.write_text(seen, "utf-8")
        raise AssertionError(
            f"the screen is not as in {file}: look at {new}, then run with UPDATE_SNAPSHOTS=1"
        )
