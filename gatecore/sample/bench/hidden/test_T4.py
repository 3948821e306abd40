import pytest

from evenup import Kitty, load, save


def flat():
    return Kitty("ann", "ben")


def test_req1():
    book = flat()
    book.spend("ann", 10)
    before = book.expenses()
    book.spend("ben", 6)
    assert book.undo() is True
    assert book.expenses() == before
    assert book.balances() == {"ann": 500, "ben": -500}


def test_req2():
    book = flat()
    for what in ("bread", "milk", "salt"):
        book.spend("ann", 2, what, day="2024-05-01")
    before = book.expenses()
    book.remove(2)
    assert book.undo() is True
    assert book.expenses() == before


def test_req3():
    book = flat()
    book.spend("ann", 4)
    book.join("cleo")
    book.spend("cleo", 9)
    book.remove(1)
    assert [book.undo() for _ in range(3)] == [True, True, True]
    assert book.members == ("ann", "ben")
    assert [expense.number for expense in book.expenses()] == [1]
    assert book.undo() is True
    assert book.expenses() == []


def fresh(_):
    return flat()


def taken_back(_):
    book = flat()
    book.spend("ann", 1)
    book.undo()
    return book


def loaded(folder):
    book = flat()
    book.join("cleo")
    save(book, folder / "flat.json")
    return load(folder / "flat.json")


@pytest.mark.parametrize("book", [fresh, taken_back, loaded])
def test_req4(book, tmp_path):
    book = book(tmp_path)
    members = book.members
    assert book.undo() is False
    assert book.members == members and book.expenses() == []


def test_req5():
    book = flat()
    book.spend("ann", 10)
    for refused in (lambda: book.spend("ann", 0), lambda: book.join("ben"), lambda: book.remove(7)):
        with pytest.raises((KeyError, ValueError)):
            refused()
    assert book.undo() is True
    assert book.expenses() == []
