"""Acceptance tests for paying back."""
import pytest


@pytest.fixture
def book():
    from evenup import Kitty

    book = Kitty("ann", "ben", "cleo")
    book.spend("ann", 30)
    return book


def test_paying_moves_the_balances(book):
    book.pay("cleo", "ann", 4)
    assert book.balances() == {"ann": 1600, "ben": -1000, "cleo": -600}


def test_paying_is_not_spending(book):
    book.pay("cleo", "ann", 4)
    assert book.total() == 3000 and len(book.expenses()) == 1


def test_payments_survive_a_round_trip(book, tmp_path):
    from evenup import load, save

    book.pay("cleo", "ann", 4)
    save(book, tmp_path / "book.json")
    assert load(tmp_path / "book.json").balances() == book.balances()


@pytest.mark.parametrize("amount", [0, -4])
def test_amount_has_to_be_positive(book, amount):
    with pytest.raises(ValueError):
        book.pay("cleo", "ann", amount)


def test_paying_more_than_is_owed_is_refused(book):
    with pytest.raises(ValueError):
        book.pay("cleo", "ann", "10.01")
    assert book.balances()["cleo"] == -1000


def test_paying_somebody_who_gets_nothing_is_refused(book):
    with pytest.raises(ValueError):
        book.pay("cleo", "ben", 1)
