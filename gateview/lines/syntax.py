"""Code in the roles of its tokens, a stretch of lines at a time."""

from collections.abc import Sequence
from functools import cache

from pygments.lexer import Lexer  # type: ignore[import-untyped]
from pygments.lexers import get_lexer_for_filename  # type: ignore[import-untyped]
from pygments.token import Comment, Keyword, Name, Number, Operator, String, _TokenType  # type: ignore[import-untyped]
from pygments.util import ClassNotFound  # type: ignore[import-untyped]

from gateview.lines.spans import Span, Spans

_LONGEST = 1000
"""Lines beyond that are shown plain: no source is like that, and lexers take long over them."""
_ROLES = (
    (Comment, "comment"),
    (String.Doc, "comment"),
    (String, "string"),
    (Number, "number"),
    (Keyword, "keyword"),
    (Operator.Word, "keyword"),
    (Name.Function, "defined"),
    (Name.Class, "defined"),
    (Name.Decorator, "keyword"),
)


@cache
def lexer_of(suffix: str) -> Lexer | None:
    """The lexer for names that end so, None when there is none."""
    try:
        return get_lexer_for_filename(f"x{suffix}", stripnl=False, ensurenl=False)
    except ClassNotFound:
        return None


def coloured(lines: Sequence[str], suffix: str) -> list[Spans]:
    """Each line of a stretch of code as spans."""
    plain = [(Span(line),) for line in lines]
    lexer = lexer_of(suffix)
    if lexer is None or any(len(line) > _LONGEST for line in lines):
        return list(plain)
    rows: list[list[Span]] = [[]]
    for kind, text in lexer.get_tokens("\n".join(lines)):
        role = _role(kind)
        first, *more = text.split("\n")
        if first:
            rows[-1].append(Span(first, role))
        rows += [[Span(piece, role)] if piece else [] for piece in more]
    if len(rows) < len(lines):
        return list(plain)
    return [tuple(row) for row in rows[: len(lines)]]


@cache
def _role(kind: _TokenType) -> str:
    return next((role for token, role in _ROLES if kind in token), "")
