"""undo(): one step back for each spend, remove and join."""
import pytest


def make():
    from evenup import Kitty

    return Kitty("ann", "ben")


def test_one_spend():
    book = make()
    kept = book.spend("ann", 10)
    book.spend("ben", 4)
    assert book.undo() is True
    assert book.expenses() == [kept]
    assert book.balances() == {"ann": 500, "ben": -500}


@pytest.mark.parametrize("number", [1, 2, 3])
def test_a_removed_expense_is_back_where_it_was(number):
    book = make()
    for what in ("bread", "milk", "salt"):
        book.spend("ann", 3, what, day="2024-05-01")
    before = book.expenses()
    book.remove(number)
    assert book.undo() is True
    assert book.expenses() == before


def test_a_join():
    book = make()
    book.join("cleo")
    assert book.undo() is True
    assert book.members == ("ann", "ben")


def test_all_the_way_back():
    book = make()
    book.spend("ann", 10)
    book.join("cleo")
    book.spend("cleo", 9)
    book.remove(1)
    assert [book.undo() for _ in range(5)] == [True, True, True, True, False]
    assert book.members == ("ann", "ben")
    assert book.expenses() == []


def test_a_new_book_has_nothing_to_take_back():
    book = make()
    assert book.undo() is False
    assert book.members == ("ann", "ben")


def test_a_loaded_book_has_nothing_to_take_back(tmp_path):
    from evenup import load, save

    book = make()
    book.spend("ann", 10)
    save(book, tmp_path / "book.json")
    again = load(tmp_path / "book.json")
    assert again.undo() is False
    assert again.expenses() == book.expenses()


@pytest.mark.parametrize("amount", [0, "-1", "much"])
def test_a_refused_spend_is_no_step(amount):
    book = make()
    book.spend("ann", 10)
    with pytest.raises(ValueError):
        book.spend("ann", amount)
    assert book.undo() is True
    assert book.expenses() == []


def test_a_refused_join_is_no_step():
    book = make()
    book.join("cleo")
    with pytest.raises(ValueError):
        book.join("ann")
    book.undo()
    assert book.members == ("ann", "ben")
