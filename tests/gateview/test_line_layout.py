"""Lines, tables, documents: pure text, in cells of a terminal."""

import string
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from gatecore.ledger.classes import STOP_CLASSES, ClassedStop
from gatecore.ledger.records import Finding, Gate1, Gate3, Hidden, Reviewer, Stop, Verdict
from gatecore.ledger.run import Entry
from gateview.lines.diff import as_lines, diff_of, line_of, places
from gateview.lines.gist import gist
from gateview.lines.glyphs import ASCII, MEANING, UNICODE, WORDS, Glyphs
from gateview.lines.spans import Column, Span, between, crop, fit, flow, say, table, text_of, width_of, wrap
from gateview.lines.stop import raw, reviews, text_lines, told
from gateview.store.side import SideText

TEXT = st.text(
    st.sampled_from(string.ascii_letters + "  日本é😀[]/\\\x1b\x9b\u202e\t\n\u200b\ud800"), max_size=60
)


@given(TEXT)
def test_a_span_is_one_line_that_steers_nothing(text: str) -> None:
    shown = Span(text).text
    assert not any(unicodedata.category(c) in ("Cc", "Cf", "Cs") for c in shown)
    assert Span(shown).text == shown


@given(st.lists(TEXT, max_size=4), st.integers(0, 40))
def test_lines_keep_to_their_width(texts: list[str], width: int) -> None:
    spans = say(*texts)
    assert width_of(crop(spans, width)) <= width
    assert width_of(fit(spans, width)) == width
    assert width_of(fit(spans, width, right=True)) == width
    assert width_of(between(spans, say("end"), width)) <= max(width, 3)
    if width > 3:
        pieces = list(wrap(spans, width, indent=1))
        assert all(width_of(piece) <= width for piece in pieces)
        assert "".join(text_of(p).replace(" ", "") for p in pieces) == text_of(spans).replace(" ", "")


def test_wrapping_breaks_after_words_and_keeps_roles() -> None:
    line = say(Span("one two ", "strong"), Span("three four", "dim"))
    assert [text_of(piece) for piece in wrap(line, 10, indent=2)] == ["one two", "  three", "  four"]
    assert {span.role for piece in wrap(line, 10) for span in piece if span.text.strip()} == {"strong", "dim"}


def test_a_table_lets_its_columns_fall_in_the_stated_order() -> None:
    columns = [Column("name"), Column("a", right=True, drop=1), Column("b", right=True, drop=2), Column("c")]
    rows = [[say("日本"), say("1"), say("22"), say("x")], [say("long name"), say("333"), say("4"), say("y")]]
    assert [text_of(line) for line in table(columns, rows, 40)] == [
        "name         a   b  c",
        "日本         1  22  x",
        "long name  333   4  y",
    ]
    assert text_of(table(columns, rows, 20)[0]) == "name         a  c"
    assert text_of(table(columns, rows, 14)[0]) == "name       c"
    assert text_of(table(columns, rows, 6)[2]) == "long…"
    assert [text_of(line) for line in flow([say("aa"), say("bb"), say("cc")], ", ", 6)] == ["aa, bb", "cc"]


@pytest.mark.parametrize("signs", [UNICODE, ASCII])
def test_every_class_of_stop_has_sign_word_and_meaning(signs: Glyphs) -> None:
    told_apart = [kind for kind in STOP_CLASSES if kind not in ("no_oracle", "other")]
    assert len({signs.stops[kind] for kind in told_apart}) == len(told_apart)
    assert set(signs.stops) == set(WORDS) == set(MEANING) == set(STOP_CLASSES)
    assert all(cell_len(sign) == 1 for sign in signs.stops.values())
    assert [text_of(signs.gauge(share, 10)) for share in (0.0, 1.0)] == [
        signs.bar[0] * 10,
        signs.bar[-1] * 10,
    ]
    assert all(width_of(signs.gauge(n / 97, 10)) == 10 for n in range(98))
    assert text_of(signs.strip(("right",) * 9, 4)) == signs.going_on + signs.stops["right"] * 3


def test_a_diff_is_told_apart_line_by_line() -> None:
    diff = diff_of(
        SideText(
            "diff --git a/x b/x\nindex 1..2\nold mode 100644\n--- a/x\n+++ b/x\n"
            "@@ -1,2 +1,3 @@ def f\n context\n--- removed\n+++ added\n+b\n"
            "\\ No newline at end of file\ndiff --git a/y b/y\n@@ -1 +0,0 @@\n-gone\nBinary files differ\n"
        )
    )
    lines = [line_of(diff, place) for place in places(diff, frozenset())]
    assert [(text_of(spans), under) for spans, under in lines] == [
        ("▾ x   +2 -1", ""),
        ("  old mode 100644", ""),
        ("  ⋯ line 1   def f", ""),
        ("    1   context", ""),
        ("    2 - -- removed", "removed-row"),
        ("    2 + ++ added", "added-row"),
        ("    3 + b   (no newline at the end)", "added-row"),
        ("", ""),
        ("▾ y   +0 -1", ""),
        ("  Binary files differ", ""),
        ("  ⋯ line 0", ""),
        ("    1 - gone", "removed-row"),
    ]


@pytest.mark.parametrize(
    ("side", "says"),
    [
        (SideText("", "snap-1.diff is missing"), "Snap-1.diff is missing."),
        (SideText("", "snap-1.diff is empty"), "Nothing was changed: the snapshot's diff is empty."),
        (SideText("fatal: not a git repository"), "This does not look like a diff; shown as it is."),
        (SideText("diff --git a", "the first 2 of 3 bytes of x"), "The first 2 of 3 bytes of x."),
    ],
)
def test_what_is_no_diff_or_not_all_of_it_says_so(side: SideText, says: str) -> None:
    assert text_of(as_lines(diff_of(side))[0]) == says


def test_documents_keep_indentation_and_cut_what_is_absurd() -> None:
    lines = text_lines("\tone\r\n  two\u00a0\n" + "x" * 5000)
    assert [text_of(line)[:8] for line in lines[:2]] == ["        ", "  two\u00a0"]
    assert text_of(lines[2]).endswith("… 1,000 more characters")
    assert [text_of(line) for line in raw(SideText('{"a": [1]}'))] == ["{", '  "a": [', "    1", "  ]", "}"]
    assert text_of(raw(SideText("{torn", "a note"))[2]) == "{torn"


FINDING = Finding(severity="blocking", file="x.py", line=3, text="bad\nnews", challenge="upheld")
TESTS = Gate1(gate_tests_failed=("t.py::test_a", "b"))
ONE_FAILED = Hidden(passed=4, failed=1, failed_reqs=("r3",))


@pytest.mark.parametrize(
    ("stop", "says"),
    [
        (Stop(decision="block", blocked_by="g1", gate1=TESTS), "test_a (and 1 more)"),
        (Stop(decision="block", blocked_by="g1", gate1=Gate1(suite_fail=2)), "suite: 2 failed"),
        (Stop(decision="block", blocked_by="g3", gate3=Gate3(blocking=(FINDING,))), "x.py: bad news"),
        (Stop(decision="block", reason="\n first \n second"), "first"),
        (Stop(decision="block"), "no reason is recorded"),
        (Stop(decision="error", error="ValueError: x\nmore"), "ValueError: x"),
        (Stop(decision="allow", hidden=Hidden(passed=5, failed=0)), "all 5 requirements met"),
        (Stop(decision="allow", hidden=ONE_FAILED), "1 of 5 requirements failed: r3"),
        (Stop(decision="allow"), "no oracle judged it"),
        (Stop(decision="defer"), "decision defer"),
        (Stop(), "no decision is recorded"),
    ],
)
def test_the_gist_of_a_stop(stop: Stop, says: str) -> None:
    assert gist(ClassedStop(1, "other", Entry(stop, 1, 0, 0))) == says


def test_the_gist_of_stops_without_record() -> None:
    assert gist(ClassedStop(1, "killed", None)) == "no record: the hook was killed"
    assert gist(ClassedStop(1, "error", None)) == "no record: the hook crashed"


def test_what_was_told_says_what_is_missing() -> None:
    text = "\n".join(text_of(line) for line in told(Stop(decision="block", reason="abc", reason_chars=900)))
    assert text.startswith("abc")
    assert "the first 3 of 900 characters" in text
    gave_up = told(Stop(decision="give_up", reason="abc", gate3=Gate3(why="529"), tampered=("stop.sh",)))
    text = "\n".join(text_of(line) for line in gave_up)
    assert all(part in text for part in ("Not sent", "abc", "g3 not judged: 529", "tampered: stop.sh"))
    assert "left no record" in text_of(told(None)[0])


def test_reviews_show_words_findings_and_verdicts() -> None:
    reviewer = Reviewer(id="A", approve_raw=False, findings=(FINDING,))
    verdict = Verdict(id=1, verdict="upheld", reason="so it is")
    challenger = Reviewer(id="B", error="529", verdicts=(verdict,))
    lines = reviews(Stop(gate3=Gate3(ran=True, reused=True, reviewers=(reviewer, challenger))))
    text = "\n".join(text_of(line) for line in lines)
    assert "reviewer A  does not approve" in text
    assert "1 blocking x.py:3  upheld\n    bad\n    news" in text
    assert "error: 529" in text
    assert "on A's finding 1: upheld so it is" in text
    assert "an earlier stop on the same tree" in text
