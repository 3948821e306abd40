"""Amounts are whole cents, so that sums are exact; people read and write them as "12.50"."""
import re

_AMOUNT = re.compile(r"(-?)(\d+)(?:[.,](\d{1,2}))?")


def cents(amount):
    """12 -> 1200, "12.5" -> 1250, "3,20" -> 320. No floats: 0.1 + 0.2 is not 0.3."""
    if isinstance(amount, bool) or not isinstance(amount, (int, str)):
        raise TypeError("an amount is a whole number or a text like '12.50', not %r" % (amount,))
    match = _AMOUNT.fullmatch(str(amount).strip())
    if match is None:
        raise ValueError("not an amount: %r" % (amount,))
    sign, whole, part = match.groups()
    value = int(whole) * 100 + int((part or "0").ljust(2, "0"))
    return -value if sign else value


def spent(amount):
    """Like cents(), for money that changed hands: it has to be more than nothing."""
    value = cents(amount)
    if value <= 0:
        raise ValueError("an amount has to be above 0, not %s" % show(value))
    return value


def show(value):
    """1250 -> "12.50"."""
    return "%s%d.%02d" % ("-" if value < 0 else "", abs(value) // 100, abs(value) % 100)


def split(total, names):
    """Even parts in cents, {name: part}; the cents left over go to the first names."""
    part, left = divmod(total, len(names))
    return {name: part + (place < left) for place, name in enumerate(names)}
