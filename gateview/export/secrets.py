"""What looks like a secret in a text."""

import re
from collections import Counter
from math import log2

REPLACEMENT = "<secret>"

_SHAPES = re.compile(
    r"""
    -----BEGIN[ A-Z]*PRIVATE[ ]KEY-----.*?(?:-----END[ A-Z]*PRIVATE[ ]KEY-----|\Z)
    | \b(?:sk|pk|rk)-[A-Za-z0-9_-]{16,}
    | \b(?:gh[pousr]_|github_pat_|glpat-|hf_|npm_|pypi-|xox[abeprs]-|ya29\.|AIza|dop_v1_|sq0)[A-Za-z0-9_.-]{16,}
    | \b(?:AKIA|ASIA)[A-Z0-9]{16}\b
    | \beyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]*
    """,
    re.VERBOSE | re.DOTALL,
)
_WORDS = r"(?:api[_-]?key|access[_-]?key|auth[_-]?token|token|secret|passw(?:or)?d|passphrase|credentials?)"
_NAMED = re.compile(
    rf"""(?P<name>\b[A-Za-z0-9_.-]*{_WORDS})(?P<is>\\*["']?\s*[:=]\s*)(?P<quote>\\*["']?)(?P<value>[^\s\\"',;(){{}}\[\]<>]{{6,}})""",
    re.IGNORECASE,
)
_BEARER = re.compile(r"(?P<name>\b(?:Bearer|Basic)\s+)(?P<value>[A-Za-z0-9+/=._-]{12,})", re.IGNORECASE)
_IN_ADDRESS = re.compile(r"(?P<name>\b[a-z][a-z0-9+.-]*://[^\s/:@]+:)(?P<value>[^\s/@]+)(?=@)")
_LONG = re.compile(r"(?<![A-Za-z0-9+_=/-])[A-Za-z0-9+_=-]{40,}(?![A-Za-z0-9+_=/-])")
_HEX = re.compile(r"[0-9a-fA-F-]+")
_SECRET_NAME = re.compile(_WORDS + r"\Z", re.IGNORECASE)
_RANDOM = 4.6
"""Bits a character of a long word beyond which it is random: names in code have about four."""


def without_secrets(text: str) -> str:
    """Return `text` with what looks like a secret replaced. Hashes in hexadecimal are none."""
    text = _SHAPES.sub(REPLACEMENT, text)
    text = _NAMED.sub(_named, text)
    text = _BEARER.sub(_replaced, text)
    text = _IN_ADDRESS.sub(_replaced, text)
    return _LONG.sub(_random, text)


def names_a_secret(key: str) -> bool:
    """Whether the value of a field of this name is a secret."""
    return bool(_SECRET_NAME.search(key))


def _named(match: re.Match[str]) -> str:
    """Only what is written out: code that computes a value is none."""
    value = match["value"]
    computed = "." in value or (value.isidentifier() and not any(c.isdigit() for c in value))
    literal = match["quote"] or match["name"].isupper()
    if computed and not literal:
        return match.group()
    return f"{match['name']}{match['is']}{match['quote']}{REPLACEMENT}"


def _replaced(match: re.Match[str]) -> str:
    return match["name"] + REPLACEMENT


def _random(match: re.Match[str]) -> str:
    word = match.group()
    if _HEX.fullmatch(word):
        return word
    counts = Counter(word).values()
    entropy = -sum(n / len(word) * log2(n / len(word)) for n in counts)
    return REPLACEMENT if entropy > _RANDOM else word
