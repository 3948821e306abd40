"""pay(debtor, creditor, amount): money changes hands, nothing is spent."""
import json

import pytest


def make():
    from evenup import Kitty

    book = Kitty("ann", "ben", "cleo")
    book.spend("ann", "30.00", "rug")
    return book


UNPAID = {"ann": 2000, "ben": -1000, "cleo": -1000}


def test_balances_move_by_the_amount():
    book = make()
    book.pay("ben", "ann", "3.20")
    assert book.balances() == {"ann": 1680, "ben": -680, "cleo": -1000}


def test_settle_asks_only_for_what_is_still_open():
    book = make()
    book.pay("ben", "ann", 10)
    assert [tuple(payment) for payment in book.settle()] == [("cleo", "ann", 1000)]


def test_totals_and_expenses_stay():
    book = make()
    book.pay("ben", "ann", 10)
    assert (book.total(), book.total(by="ben")) == (3000, 0)
    assert [expense.what for expense in book.expenses()] == ["rug"]


def test_payments_are_saved(tmp_path):
    from evenup import load, save

    book = make()
    book.pay("ben", "ann", "9.99")
    save(book, tmp_path / "book.json")
    assert load(tmp_path / "book.json").balances() == {"ann": 1001, "ben": -1, "cleo": -1000}


def test_a_book_of_the_former_version_can_be_loaded(tmp_path):
    from evenup import load

    path = tmp_path / "old.json"
    path.write_text(json.dumps({"members": ["ann", "ben"], "next": 1, "expenses": []}), encoding="utf-8")
    assert load(path).members == ("ann", "ben")


@pytest.mark.parametrize("amount", [0, "0.00", "-1", -20])
def test_nothing_and_less_is_refused(amount):
    book = make()
    with pytest.raises(ValueError):
        book.pay("ben", "ann", amount)
    assert book.balances() == UNPAID


def test_paying_oneself_is_refused():
    book = make()
    with pytest.raises(ValueError):
        book.pay("ben", "ben", 5)
    assert book.balances() == UNPAID


@pytest.mark.parametrize("debtor, creditor", [("zoe", "ann"), ("ann", "zoe")])
def test_strangers_are_refused(debtor, creditor):
    book = make()
    with pytest.raises(KeyError):
        book.pay(debtor, creditor, 5)
    assert book.balances() == UNPAID
