import os
import re
from html.parser import HTMLParser
from pathlib import Path

TREE = Path(os.environ.get("GATECORE_TREE", os.curdir))


class Sections(HTMLParser):
    """The text of each section by its id, and where links lead."""

    def __init__(self):
        super().__init__()
        self.text, self.links, self._inside = {}, [], None

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        if tag == "section":
            self._inside = given.get("id")
            self.text.setdefault(self._inside, "")
        elif tag == "a":
            self.links.append(given.get("href"))

    def handle_endtag(self, tag):
        if tag == "section":
            self._inside = None

    def handle_data(self, data):
        if self._inside:
            self.text[self._inside] += f" {data}"


def page():
    found = Sections()
    found.feed((TREE / "index.html").read_text(encoding="utf-8"))
    return found


def rule(selector):
    """The declarations of a rule, by property."""
    style = (TREE / "style.css").read_text(encoding="utf-8")
    body = re.search(rf"^{re.escape(selector)}\s*\{{([^}}]*)\}}", style, re.MULTILINE)
    lines = (line.partition(":") for line in (body[1] if body else "").split(";"))
    return {name.strip(): value.strip() for name, _, value in lines}


def luminance(colour):
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_req1():
    hours = page().text.get("hours", "")
    assert all(word in hours for word in ("Tuesday", "Friday", "Saturday", "Sunday", "Monday", "closed"))
    assert re.search(r"\b0?7\b.*\b18\b", hours, re.DOTALL) and re.search(r"\b13\b", hours)


def test_req2():
    assert "#hours" in page().links


def test_req3():
    box, body = rule("#hours"), rule("body")
    assert "background" in box, "no box of its own"
    light, dark = sorted(
        (luminance(box["background"]), luminance(box.get("color", body["color"]))), reverse=True
    )
    assert (light + 0.05) / (dark + 0.05) >= 4.5


def test_req4():
    found = page()
    assert "Rye, wheat and walnut" in found.text["bread"]
    assert "Mill Lane 3" in found.text["where"]
    assert {"#bread", "#where"} <= set(found.links)
