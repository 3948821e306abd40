"""One expense: who paid, how much, for whom."""
from datetime import date, datetime
from typing import NamedTuple, Optional, Tuple

from .money import cents, show, split


def as_day(day):
    """A date from a date, a datetime or a text like "2024-05-01". None stays None."""
    if day is None:
        return None
    if isinstance(day, datetime):
        return day.date()
    if isinstance(day, date):
        return day
    if isinstance(day, str):
        return datetime.strptime(day, "%Y-%m-%d").date()
    raise TypeError("a day is a date or a text like '2024-05-01', not %r" % (day,))


class Expense(NamedTuple):
    """Numbers count up from 1 and are never given twice. The amount is in cents."""

    number: int
    payer: str
    amount: int
    what: str
    among: Tuple[str, ...]
    day: Optional[date] = None

    def parts(self):
        """What each of those who share it has to bear, {name: cents}."""
        return split(self.amount, self.among)

    def as_dict(self):
        """For JSON."""
        return {
            "number": self.number,
            "payer": self.payer,
            "amount": show(self.amount),
            "what": self.what,
            "among": list(self.among),
            "day": None if self.day is None else self.day.isoformat(),
        }

    @classmethod
    def from_dict(cls, data):
        return cls(
            number=data["number"],
            payer=data["payer"],
            amount=cents(data["amount"]),
            what=data["what"],
            among=tuple(data["among"]),
            day=as_day(data["day"]),
        )
