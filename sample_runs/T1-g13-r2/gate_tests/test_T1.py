"""Acceptance tests for uneven shares."""
import pytest


@pytest.fixture
def book():
    from evenup import Kitty

    return Kitty("ann", "ben", "cleo")


def test_two_to_one(book):
    book.spend("ann", 30, shares={"ann": 2, "ben": 1})
    assert book.balances() == {"ann": 1000, "ben": -1000, "cleo": 0}


def test_sum_of_balances_stays_zero(book):
    for euros in range(1, 20):
        book.spend("ben", euros, shares={"ann": 1, "ben": 1, "cleo": 1})
    assert sum(book.balances().values()) == 0


def test_shares_survive_a_round_trip(book, tmp_path):
    from evenup import load, save

    book.spend("ann", 30, shares={"ann": 2, "ben": 1})
    save(book, tmp_path / "book.json")
    assert load(tmp_path / "book.json").balances() == book.balances()


@pytest.mark.parametrize("weight", [0, -1])
def test_weights_below_one_are_refused(book, weight):
    with pytest.raises(ValueError):
        book.spend("ann", 30, shares={"ann": weight, "ben": 2})


def test_among_and_shares_together_are_refused(book):
    with pytest.raises(ValueError):
        book.spend("ann", 30, among=["ann", "ben"], shares={"ann": 2, "ben": 1})
    assert book.expenses() == []
