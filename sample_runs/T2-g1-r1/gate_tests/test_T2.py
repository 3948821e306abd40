"""since= and until=. Where the request says nothing, more than one answer is accepted."""
from datetime import date

import pytest


@pytest.fixture
def book():
    from evenup import Kitty

    book = Kitty("ann", "ben")
    for day in (1, 10, 20, 31):
        book.spend("ann", day, day=date(2024, 5, day))
        book.spend("ben", day, day=date(2024, 5, day))
    return book


def numbers(expenses):
    return [expense.number for expense in expenses]


def test_both_ends_are_in(book):
    assert numbers(book.expenses(since="2024-05-10", until="2024-05-20")) == [3, 4, 5, 6]


def test_one_end_alone(book):
    assert numbers(book.expenses(since="2024-05-31")) == [7, 8]
    assert numbers(book.expenses(until="2024-05-01")) == [1, 2]


def test_dates_do_as_well_as_text(book):
    assert numbers(book.expenses(since=date(2024, 5, 20), until=date(2024, 5, 31))) == [5, 6, 7, 8]


def test_together_with_by(book):
    assert numbers(book.expenses(by="ben", since="2024-05-10", until="2024-05-20")) == [4, 6]


def test_an_expense_without_a_day_is_in_or_out_but_breaks_nothing(book):
    book.spend("ann", 1)
    assert numbers(book.expenses(since="2024-05-31")) in ([7, 8], [7, 8, 9])


def test_ends_the_wrong_way_round_give_nothing_or_an_error(book):
    try:
        found = book.expenses(since="2024-05-20", until="2024-05-10")
    except ValueError:
        return
    assert found == []


def test_without_bounds_all_are_there(book):
    assert len(book.expenses()) == 8
    assert numbers(book.expenses(by="ann")) == [1, 3, 5, 7]
