import json

import pytest

from evenup import Kitty, load, save


def flat():
    book = Kitty("ann", "ben", "cleo")
    book.spend("ann", 30, "rug")
    return book


def test_req1():
    book = flat()
    book.pay("ben", "ann", "4.50")
    assert book.balances() == {"ann": 1550, "ben": -550, "cleo": -1000}
    book.pay("ben", "ann", "5.50")
    book.pay("cleo", "ann", 10)
    assert book.balances() == {"ann": 0, "ben": 0, "cleo": 0}
    assert book.settle() == []


def test_req2():
    book = flat()
    book.pay("ben", "ann", 10)
    assert book.total() == 3000 and book.total(by="ben") == 0
    assert [expense.what for expense in book.expenses()] == ["rug"]


def test_req3(tmp_path):
    path = tmp_path / "flat.json"
    book = flat()
    book.pay("ben", "ann", 10)
    save(book, path)
    assert load(path).balances() == {"ann": 1000, "ben": 0, "cleo": -1000}
    path.write_text(json.dumps({"members": ["ann", "ben"], "next": 1, "expenses": []}), encoding="utf-8")
    old = load(path)
    old.spend("ann", 2)
    old.pay("ben", "ann", 1)
    assert old.balances() == {"ann": 0, "ben": 0}


@pytest.mark.parametrize("amount", [0, "0.00", "-3", -1])
def test_req4(amount):
    book = flat()
    with pytest.raises(ValueError):
        book.pay("ben", "ann", amount)
    assert book.balances() == {"ann": 2000, "ben": -1000, "cleo": -1000}


def test_req5():
    book = flat()
    for debtor, creditor in (("zoe", "ann"), ("ben", "zoe")):
        with pytest.raises(KeyError):
            book.pay(debtor, creditor, 1)
    with pytest.raises(ValueError):
        book.pay("ben", "ben", 1)
    assert book.balances() == {"ann": 2000, "ben": -1000, "cleo": -1000}
