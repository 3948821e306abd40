"""Uneven shares. Where the request says nothing, more than one answer is accepted."""
import pytest


@pytest.fixture
def book():
    from evenup import Kitty

    return Kitty("ann", "ben", "cleo")


def test_shares_go_by_weight(book):
    book.spend("ann", 30, shares={"ann": 2, "ben": 1})
    assert book.balances() == {"ann": 1000, "ben": -1000, "cleo": 0}


def test_those_without_a_share_bear_nothing(book):
    book.spend("ann", 30, shares={"ben": 1, "cleo": 2})
    assert book.balances() == {"ann": 3000, "ben": -1000, "cleo": -2000}


@pytest.mark.parametrize("amount", ["0.01", "1.00", "9.99", "100"])
def test_no_cent_is_lost(book, amount):
    book.spend("ben", amount, shares={"ann": 1, "ben": 1, "cleo": 5})
    assert sum(book.balances().values()) == 0


def test_thirds_lose_no_cent(book):
    book.spend("ann", 1, shares={"ann": 1, "ben": 1, "cleo": 1})
    balances = book.balances()
    assert sum(balances.values()) == 0
    assert balances["ben"] in (-33, -34) and balances["cleo"] in (-33, -34)


def test_shares_are_still_there_after_loading(book, tmp_path):
    from evenup import load, save

    book.spend("ann", 30, shares={"ann": 2, "ben": 1})
    save(book, tmp_path / "book.json")
    assert load(tmp_path / "book.json").balances() == {"ann": 1000, "ben": -1000, "cleo": 0}


def test_a_negative_share_is_refused_or_at_least_evens_out(book):
    try:
        book.spend("ann", 30, shares={"ann": -1, "ben": 2})
    except ValueError:
        assert book.expenses() == []
    else:
        assert sum(book.balances().values()) == 0


def test_a_stranger_cannot_have_a_share(book):
    with pytest.raises((KeyError, ValueError)):
        book.spend("ann", 30, shares={"ann": 1, "zoe": 1})
    assert book.expenses() == []


def test_an_even_split_is_as_before(book):
    book.spend("ann", 1)
    assert book.balances() == {"ann": 66, "ben": -33, "cleo": -33}
