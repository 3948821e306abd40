"""Acceptance tests for undo."""
import pytest


@pytest.fixture
def book():
    from evenup import Kitty

    return Kitty("ann", "ben")


def test_spend_is_taken_back(book):
    book.spend("ann", 10)
    assert book.undo() is True
    assert book.expenses() == []


def test_remove_is_taken_back(book):
    book.spend("ann", 10)
    book.spend("ben", 6)
    before = book.expenses()
    book.remove(1)
    assert book.undo() is True
    assert book.expenses() == before


def test_join_is_taken_back(book):
    book.join("cleo")
    assert book.undo() is True
    assert book.members == ("ann", "ben")


def test_nothing_to_take_back(book):
    assert book.undo() is False


def test_the_number_is_free_again(book):
    assert book.spend("ann", 10).number == 1
    book.undo()
    assert book.spend("ben", 6).number == 1
