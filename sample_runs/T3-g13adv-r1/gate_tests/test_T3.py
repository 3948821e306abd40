"""pay(). Where the request says nothing, more than one answer is accepted."""
import pytest


@pytest.fixture
def book():
    from evenup import Kitty

    book = Kitty("ann", "ben", "cleo")
    book.spend("ann", 30)
    return book


def test_part_of_a_debt(book):
    book.pay("ben", "ann", "2.50")
    assert book.balances() == {"ann": 1750, "ben": -750, "cleo": -1000}


def test_all_debts(book):
    for payment in book.settle():
        book.pay(payment.debtor, payment.creditor, payment.amount // 100)
    assert book.settle() == []


def test_it_is_not_spending(book):
    book.pay("ben", "ann", 10)
    assert book.total() == 3000
    assert book.total(by="ben") == 0


def test_it_is_still_there_after_loading(book, tmp_path):
    from evenup import load, save

    book.pay("ben", "ann", 10)
    save(book, tmp_path / "book.json")
    assert load(tmp_path / "book.json").balances() == book.balances()


@pytest.mark.parametrize("amount", [0, "-5"])
def test_an_odd_amount_is_refused_or_at_least_evens_out(book, amount):
    try:
        book.pay("ben", "ann", amount)
    except ValueError:
        assert book.balances() == {"ann": 2000, "ben": -1000, "cleo": -1000}
    else:
        assert sum(book.balances().values()) == 0


def test_paying_oneself_is_refused_or_changes_nothing(book):
    try:
        book.pay("ben", "ben", 5)
    except ValueError:
        pass
    assert book.balances() == {"ann": 2000, "ben": -1000, "cleo": -1000}


def test_strangers_are_refused(book):
    with pytest.raises((KeyError, ValueError)):
        book.pay("zoe", "ann", 5)


def test_spending_is_as_before(book):
    book.spend("ben", 9)
    assert book.balances() == {"ann": 1700, "ben": -400, "cleo": -1300}
