"""undo(). Where the request says nothing, more than one answer is accepted."""
import pytest


@pytest.fixture
def book():
    from evenup import Kitty

    return Kitty("ann", "ben")


def test_a_spend(book):
    book.spend("ann", 10)
    assert book.undo() is True
    assert book.expenses() == []


def test_a_remove(book):
    first = book.spend("ann", 10)
    second = book.spend("ben", 4)
    book.remove(first.number)
    assert book.undo() is True
    assert sorted(book.expenses()) == [first, second]


def test_a_join(book):
    book.join("cleo")
    assert book.undo() is True
    assert book.members == ("ann", "ben")


def test_several_in_a_row(book):
    for amount in (1, 2, 3):
        book.spend("ann", amount)
    assert book.undo() and book.undo()
    assert [expense.amount for expense in book.expenses()] == [100]


def test_too_often_says_so_in_one_way_or_another(book):
    book.spend("ann", 1)
    book.undo()
    try:
        said = [book.undo() for _ in range(9)][-1]
    except (IndexError, LookupError):
        said = False
    assert not said
    assert book.expenses() == []


def test_an_undone_book_can_be_used_on(book):
    book.spend("ann", 10)
    book.undo()
    book.spend("ben", 6)
    assert book.balances() == {"ann": -300, "ben": 300}


def test_numbers_are_as_before_without_undo(book):
    book.spend("ann", 1)
    book.remove(1)
    assert book.spend("ann", 1).number == 2
