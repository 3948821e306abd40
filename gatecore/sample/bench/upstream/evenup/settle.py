"""Evening up with few payments."""
from typing import NamedTuple


class Transfer(NamedTuple):
    debtor: str
    creditor: str
    amount: int


def transfers(balances):
    """The largest debt goes to the largest credit until nobody owes anything.

    Among equals, the one who joined first comes first, so that the answer is always the same.
    """
    open_ = dict(balances)
    result = []
    while any(open_.values()):
        debtor = min(open_, key=open_.get)
        creditor = max(open_, key=open_.get)
        amount = min(-open_[debtor], open_[creditor])
        open_[debtor] += amount
        open_[creditor] -= amount
        result.append(Transfer(debtor, creditor, amount))
    return result
