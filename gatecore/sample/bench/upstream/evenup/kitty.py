"""The book: people and their expenses."""
from .expense import Expense, as_day
from .money import spent
from .settle import transfers


class Kitty:
    """Kitty("ann", "ben") starts a book; people are kept in the order in which they joined."""

    def __init__(self, *names):
        self._members = []
        self._expenses = []
        self._next = 1
        for name in names:
            self.join(name)

    # -- people --------------------------------------------------------------
    @property
    def members(self):
        return tuple(self._members)

    def join(self, name):
        """Take somebody in. ValueError when the name is empty or taken."""
        name = name.strip()
        if not name:
            raise ValueError("a name is needed")
        if name in self._members:
            raise ValueError("%s is in already" % name)
        self._members.append(name)
        return name

    def _known(self, names):
        """The names, each once; KeyError for a stranger, ValueError for nobody at all."""
        names = tuple(dict.fromkeys(names))
        for name in names:
            if name not in self._members:
                raise KeyError(name)
        if not names:
            raise ValueError("nobody is there to share it")
        return names

    # -- expenses ------------------------------------------------------------
    def spend(self, payer, amount, what="", among=None, day=None):
        """Note what `payer` paid for the people in `among`, or for all who are in now."""
        self._known([payer])
        names = self._known(self._members if among is None else among)
        expense = Expense(self._next, payer, spent(amount), what, names, as_day(day))
        self._expenses.append(expense)
        self._next += 1
        return expense

    def remove(self, number):
        """Take an expense out of the book. KeyError when there is none with this number."""
        for place, expense in enumerate(self._expenses):
            if expense.number == number:
                return self._expenses.pop(place)
        raise KeyError(number)

    def expenses(self, by=None):
        """All expenses, or those that `by` paid, in the order in which they were noted."""
        return [expense for expense in self._expenses if by in (None, expense.payer)]

    def total(self, by=None):
        """What was spent, in cents."""
        return sum(expense.amount for expense in self.expenses(by))

    # -- who owes whom -------------------------------------------------------
    def balances(self):
        """{name: cents}: above 0 gets money back, below 0 owes. The sum is always 0."""
        result = dict.fromkeys(self._members, 0)
        for expense in self._expenses:
            result[expense.payer] += expense.amount
            for name, part in expense.parts().items():
                result[name] -= part
        return result

    def settle(self):
        """The payments that would even everything up."""
        return transfers(self.balances())

    # -- to and from JSON ----------------------------------------------------
    def as_dict(self):
        return {
            "members": list(self._members),
            "next": self._next,
            "expenses": [expense.as_dict() for expense in self._expenses],
        }

    @classmethod
    def from_dict(cls, data):
        kitty = cls(*data["members"])
        kitty._expenses = [Expense.from_dict(entry) for entry in data["expenses"]]
        kitty._next = data["next"]
        return kitty
