"""Nothing that could steer a terminal passes, whatever a ledger holds."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gatecore.text import clean, line

BIDI = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
NASTY = st.sampled_from(
    "\x00\x07\x1b\x9b\r\n\t\x85\u202e\u2066\u200b\u200e\u2028\ufeff\ud83d\U000e0041\U000e0100[]é日😀"
)
TEXT = st.text(st.one_of(NASTY, st.characters(codec=None)), max_size=20)


@given(TEXT)
def test_nothing_unsafe_passes(text: str) -> None:
    for char in clean(text):
        assert char in "\n\t" or unicodedata.category(char) not in ("Cc", "Cs", "Zl", "Zp")
        assert unicodedata.bidirectional(char) not in BIDI
        assert not 0xE0000 <= ord(char) <= 0xE0FFF
    assert clean(text).splitlines() == clean(text).removesuffix("\n").split("\n") or not clean(text)
    clean(text).encode()


@given(TEXT)
def test_cleaning_twice_changes_nothing_more(text: str) -> None:
    assert clean(clean(text)) == clean(text)
    assert line(line(text)) == line(text)


@given(TEXT)
def test_a_line_is_one_line(text: str) -> None:
    assert not set(line(text)) & set("\n\t\r")
    assert line(clean(text)) == line(text)


@given(st.text(st.characters(categories=("L", "N", "P", "S")), max_size=20))
def test_letters_and_signs_stay(text: str) -> None:
    assert clean(text) == text == line(text)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred\x1b[0m", "␛[31mred␛[0m"),
        ("a\r\nb\rc\td", "a\nb␍c\td"),
        ("[bold]x[/] 日本 é 👩\u200d💻", "[bold]x[/] 日本 é 👩\u200d💻"),
        ("a\u202eb\u200bc\ud83d", "a\ufffdb\ufffdc\ufffd"),
        ("\x7f\x00\x9b", "␡␀\ufffd"),
    ],
)
def test_what_is_shown_for_it(text: str, shown: str) -> None:
    assert clean(text) == shown
