from html.parser import HTMLParser
from pathlib import Path

ROOT = Path(__file__).parents[1]


class Page(HTMLParser):
    """Links to places on the page, and the places."""

    def __init__(self):
        super().__init__()
        self.links, self.places = [], []

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        if tag == "a" and given.get("href", "").startswith("#"):
            self.links.append(given["href"][1:])
        if "id" in given:
            self.places.append(given["id"])


def test_links_lead_somewhere():
    page = Page()
    page.feed((ROOT / "index.html").read_text(encoding="utf-8"))
    assert page.links
    assert set(page.links) <= set(page.places)


def test_the_style_sheet_is_used_and_whole():
    assert 'href="style.css"' in (ROOT / "index.html").read_text(encoding="utf-8")
    style = (ROOT / "style.css").read_text(encoding="utf-8")
    assert style.count("{") == style.count("}")
