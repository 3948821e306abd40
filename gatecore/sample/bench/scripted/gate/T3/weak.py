"""Paying back."""


def test_a_debt_is_paid():
    from evenup import Kitty

    book = Kitty("ann", "ben")
    book.spend("ann", 20)
    book.pay("ben", "ann", 10)
    assert book.balances() == {"ann": 0, "ben": 0}
