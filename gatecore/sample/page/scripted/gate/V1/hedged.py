import os
from pathlib import Path

TREE = Path(os.environ.get("GATECORE_TREE", os.curdir))


def text():
    return (TREE / "index.html").read_text(encoding="utf-8")


def test_the_days_are_named():
    assert all(day in text() for day in ("Tuesday", "Friday", "Saturday", "Sunday"))


def test_the_top_links_to_the_hours():
    assert "hours" in text().partition("</nav>")[0].lower()


def test_what_was_there_is_still_there():
    assert "Rye, wheat and walnut" in text()
    assert "Mill Lane 3" in text()
