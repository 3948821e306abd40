"""How figures read: a rate with its interval, money, time; what is not known is never shown as 0."""

from gatecore.ledger.tallies import Amount
from gatecore.stats import wilson

UNKNOWN = "?"
NONE = "n/a"
AT_LEAST = "≥"
LABELS = {"g1": "g1 behaviour", "g2": "g2 UI review", "g3": "g3 review"}
"""What the gates are called."""


def rate(k: int | None, n: int | None) -> str:
    """``28/33 85% [69-93]`` with the 95 % Wilson interval; ``n/a`` for 0/0, ``?`` when unknown."""
    if k is None or n is None:
        return UNKNOWN
    interval = wilson(k, n)
    if interval is None:
        return NONE
    low, high = interval
    return f"{k}/{n} {k / n:.0%} [{100 * low:.0f}\N{EN DASH}{100 * high:.0f}]"


def lower_bound(known: int | None, *, unknown: int) -> str:
    """A count of which `unknown` parts are not known: ``5``, ``≥5``, or ``?`` when nothing is."""
    if known is None or (unknown and not known):
        return UNKNOWN
    return f"{AT_LEAST if unknown else ''}{known}"


def money(amount: Amount, per: int = 1) -> str:
    """Dollars (divided by `per`); ``≥`` before a sum with unknown parts, ``n/a`` per nothing."""
    return _amount(amount, per, f"{amount.dollars / (per or 1):.2f}")


def minutes(amount: Amount, per: int = 1) -> str:
    """Minutes (divided by `per`), one decimal below ten; ``≥`` and ``n/a`` as for money."""
    value = amount.seconds / 60 / (per or 1)
    return _amount(amount, per, f"{value:.{0 if value >= 10 else 1}f} min")


def _amount(amount: Amount, per: int, text: str) -> str:
    if per == 0:
        return NONE
    if amount.unknown == 0:
        return text
    return UNKNOWN if amount.known == 0 else AT_LEAST + text
