"""Make untrusted text safe to show: a ledger may hold control codes, bidi overrides or broken Unicode."""

import re

_UNSAFE = (  # compiled when first needed: a stop seldom has anything to make safe
    "[\x00-\x08\x0b-\x1f\x7f-\x9f"  # C0 but tab and newline, DEL, C1
    "\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"  # invisible, bidi
    "\ud800-\udfff"  # lone surrogates cannot be written as UTF-8
    "\U000e0000-\U000e0fff]"  # tags and variation selectors that show nothing
)
_NAMES = {"\x1b": "␛", "\x00": "␀", "\x7f": "␡"}


def clean(text: str) -> str:
    """Return `text` with line ends as newlines and every character that could steer a terminal made visible.

    Control codes become their Unicode pictures (ESC is ``␛``), everything else that is unsafe becomes
    ``\N{REPLACEMENT CHARACTER}``. Tabs and newlines stay. Idempotent.
    """
    if text.isascii() and text.isprintable():
        return text
    return re.sub(_UNSAFE, _visible, text.replace("\r\n", "\n"))


def line(text: str) -> str:
    """Return `text` cleaned and on one line: newlines and tabs become single spaces."""
    text = clean(text)
    return text if text.isprintable() else " ".join(text.split())


def _visible(match: re.Match[str]) -> str:
    char = match.group()
    if char < "\x20":
        return _NAMES.get(char) or chr(0x2400 + ord(char))
    return _NAMES.get(char, "\N{REPLACEMENT CHARACTER}")
