"""Undo."""


def test_undo_a_spend():
    from evenup import Kitty

    book = Kitty("ann", "ben")
    book.spend("ann", 10)
    assert book.undo() is True
    assert book.balances() == {"ann": 0, "ben": 0}
