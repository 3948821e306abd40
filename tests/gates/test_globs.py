"""Which paths a gate looks at."""

import pytest

from gatecore.gates.globs import matching


@pytest.mark.parametrize(
    ("pattern", "yes", "no"),
    [
        ("**/*.html", ["a.html", "a/b/c.html", "a\nb/c.html"], ["a.htm", "a.html.py", "html"]),
        ("*.css", ["a.css"], ["a/b.css"]),
        ("web/**", ["web/a", "web/a/b.ts"], ["web", "webs/a", "a/web/b"]),
        ("web/**/x?.js", ["web/x1.js", "web/a/b/xy.js"], ["web/x.js", "web/x12.js", "web/x/.js"]),
        ("a+[b].c", ["a+[b].c"], ["aab.c"]),
    ],
)
def test_a_pattern_matches_from_end_to_end(pattern: str, yes: list[str], no: list[str]) -> None:
    assert matching([*no, *yes], [pattern]) == yes


def test_any_of_them_is_enough_and_none_matches_nothing() -> None:
    assert matching(["a.js", "b.py", "c.css"], ["*.css", "*.js"]) == ["a.js", "c.css"]
    assert matching(["a.js"], []) == []
