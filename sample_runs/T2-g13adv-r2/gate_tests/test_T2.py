"""expenses(since=, until=): a stretch of days, both ends included."""
from datetime import date, datetime

import pytest

DAYS = ("2024-02-28", "2024-02-29", "2024-03-01", None, "2024-03-31", "2023-12-31")


def make():
    from evenup import Kitty

    book = Kitty("ann", "ben")
    for place, day in enumerate(DAYS):
        book.spend("ann" if place % 2 else "ben", place + 1, day=day)
    return book


def numbers(expenses):
    return [expense.number for expense in expenses]


@pytest.mark.parametrize(
    "since, until, want",
    [
        ("2024-02-28", "2024-02-29", [1, 2]),
        ("2024-03-01", "2024-03-31", [3, 5]),
        ("2024-02-29", "2024-02-29", [2]),
        ("2025-01-01", "2025-12-31", []),
    ],
)
def test_a_stretch_of_days(since, until, want):
    assert numbers(make().expenses(since=since, until=until)) == want


def test_open_at_one_end():
    assert numbers(make().expenses(since="2024-03-01")) == [3, 5]
    assert numbers(make().expenses(until="2024-02-28")) == [1, 6]


def test_what_has_no_day_is_in_no_month():
    found = make().expenses(since="2000-01-01", until="2100-01-01")
    assert numbers(found) == [1, 2, 3, 5, 6]


@pytest.mark.parametrize("day", ["2024-03-31", date(2024, 3, 31), datetime(2024, 3, 31, 9, 0)])
def test_days_in_every_form_that_spend_takes(day):
    assert numbers(make().expenses(since=day)) == [5]
    assert numbers(make().expenses(since=day, until=day)) == [5]


def test_a_text_that_is_no_day_is_refused():
    with pytest.raises(ValueError):
        make().expenses(until="last month")


def test_ends_the_wrong_way_round_are_refused():
    with pytest.raises(ValueError):
        make().expenses(since="2024-03-31", until="2024-03-01")


def test_payer_and_days_together():
    assert numbers(make().expenses(by="ben", since="2024-03-01")) == [3, 5]
    assert numbers(make().expenses(by="ann", until="2024-03-01")) == [2, 6]


def test_balances_know_nothing_of_bounds():
    book = make()
    before = book.balances()
    book.expenses(since="2024-03-01")
    assert book.balances() == before and len(book.expenses()) == 6
