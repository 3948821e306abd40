from datetime import date, datetime

import pytest

from evenup import Kitty


def year():
    book = Kitty("ann", "ben")
    for month in (4, 5, 6):
        book.spend("ann", month, day=date(2024, month, 1))
        book.spend("ben", month, day=date(2024, month, 28))
    return book


def numbers(expenses):
    return [expense.number for expense in expenses]


def test_req1():
    assert numbers(year().expenses(since="2024-05-01", until="2024-05-28")) == [3, 4]
    assert numbers(year().expenses(since="2024-05-02", until="2024-05-27")) == []
    assert numbers(year().expenses(since="2024-05-28", until="2024-05-28")) == [4]


def test_req2():
    assert numbers(year().expenses(since="2024-05-28")) == [4, 5, 6]
    assert numbers(year().expenses(until="2024-05-27")) == [1, 2, 3]
    assert numbers(year().expenses(by="ann", since="2024-05-01")) == [3, 5]


def test_req3():
    for first in ("2024-06-01", date(2024, 6, 1), datetime(2024, 6, 1, 18, 0)):
        assert numbers(year().expenses(since=first)) == [5, 6]
    for last in ("2024-06-02", date(2024, 6, 2), datetime(2024, 6, 2, 18, 0)):
        assert numbers(year().expenses(until=last)) == [1, 2, 3, 4, 5]
    for text in ("May", "2024-02-30", "2024"):
        with pytest.raises(ValueError):
            year().expenses(since=text)


def test_req4():
    book = year()
    book.spend("ann", 9)
    assert numbers(book.expenses(since="2024-06-01")) == [5, 6]
    assert numbers(book.expenses(until="2024-04-30")) == [1, 2]
    assert numbers(book.expenses()) == [1, 2, 3, 4, 5, 6, 7]


def test_req5():
    with pytest.raises(ValueError):
        year().expenses(since="2024-06-01", until="2024-05-31")
