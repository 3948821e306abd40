"""Paths of a change against patterns: ``*`` stays in a folder, ``**/`` goes through any number of them."""

import re
from collections.abc import Iterable, Sequence

_PART = r"\*\*/|\*\*|\*|\?|[^*?]+"
_MEANING = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}


def matching(paths: Iterable[str], patterns: Sequence[str]) -> list[str]:
    """Those of `paths` that one of the patterns matches from end to end."""
    wanted = re.compile("|".join(map(_expression, patterns)) or r"(?!)", re.DOTALL)
    return [path for path in paths if wanted.fullmatch(path)]


def _expression(pattern: str) -> str:
    return "".join(_MEANING.get(part) or re.escape(part) for part in re.findall(_PART, pattern))
