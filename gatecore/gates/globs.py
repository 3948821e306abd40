"""Paths of a change against patterns: ``*`` stays in a folder, ``**/`` goes through any number of them."""

import re
from collections.abc import Iterable, Sequence

_PART = r"\*\*/|\*\*|\*|\?|[^*?]+"
_MEANING = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}


def matching(paths: Iterable[str], patterns: Sequence[str]) -> list[str]:
    """Those of `paths` that one of the patterns matches from end to end."""
    wanted = re.compile("|".join(map(_expression, patterns)) or r"(?!)", re.DOTALL)
    return [path for path in paths if wanted.fullmatch(path)]


def selected(paths: Iterable[str], patterns: Sequence[str]) -> list[str]:
    """Those of `paths` that a pattern matches, and none of the patterns that begin with ``!`` does."""
    left_out = [pattern[1:] for pattern in patterns if pattern.startswith("!")]
    found = matching(paths, [pattern for pattern in patterns if not pattern.startswith("!")])
    unwanted = set(matching(found, left_out))
    return [path for path in found if path not in unwanted]


def _expression(pattern: str) -> str:
    return "".join(_MEANING.get(part) or re.escape(part) for part in re.findall(_PART, pattern))
