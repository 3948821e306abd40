"""What so many verdicts on a gate's blocks are enough to say."""

from gatecore.stats import wilson

_LEVELS = (2, 3, 5, 10)
"""One in so many blocks may be false."""
_MOST = 1000


def trust(false: int, n: int) -> str:
    """What `false` of `n` blocks can show, and what it takes to show more, as a sentence or two."""
    interval = wilson(false, n)
    if interval is None:
        return f"No block has a verdict: nothing can be said yet. {_missing(0, 0, _LEVELS[0])}"
    low, high = interval
    shown = [level for level in _LEVELS if high < 1 / level]
    wrong = [level for level in _LEVELS if low > 1 / level]
    if wrong:
        return f"Too many of its blocks are false: more than 1 in {wrong[0]}."
    said = (
        f"Enough to say that fewer than 1 in {shown[-1]} of its blocks are false."
        if shown
        else "Too few to trust the gate with blocking: it may be wrong in half of its blocks or more."
    )
    rest = [level for level in _LEVELS if level not in shown]
    return f"{said} {_missing(false, n, rest[0])}" if rest else said


def needed(false: int, n: int, level: int) -> int | None:
    """How many more blocks, none of them false, show that fewer than 1 in `level` are; None: more than 1000."""
    for more in range(_MOST + 1):
        interval = wilson(false, n + more)
        if interval and interval[1] < 1 / level:
            return more
    return None


def _missing(false: int, n: int, level: int) -> str:
    more = needed(false, n, level)
    if more is None:
        return ""
    return f"To show that fewer than 1 in {level} are false, it takes {more} more, all of them right."
