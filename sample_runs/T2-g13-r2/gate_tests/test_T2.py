"""Acceptance tests for looking at one month."""
import pytest


@pytest.fixture
def book():
    from evenup import Kitty

    book = Kitty("ann", "ben")
    for day in ("2024-04-30", "2024-05-01", "2024-05-31", "2024-06-01"):
        book.spend("ann", 2, day=day)
    return book


def numbers(expenses):
    return [expense.number for expense in expenses]


def test_both_ends_included(book):
    assert numbers(book.expenses(since="2024-05-01", until="2024-05-31")) == [2, 3]


def test_with_by(book):
    assert book.expenses(by="ben", since="2024-05-01") == []


def test_no_day_is_left_out(book):
    book.spend("ben", 1)
    assert numbers(book.expenses(since="2024-06-01")) == [4]


def test_wrong_way_round_is_refused(book):
    with pytest.raises(ValueError):
        book.expenses(since="2024-06-01", until="2024-05-01")


def test_total_takes_the_same_bounds(book):
    assert book.total(since="2024-05-01", until="2024-05-31") == 400
    assert book.total(by="ben", until="2024-05-31") == 0
