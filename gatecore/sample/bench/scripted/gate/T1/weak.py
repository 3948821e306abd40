"""Uneven shares."""


def test_shares_two_to_one():
    from evenup import Kitty

    book = Kitty("ann", "ben")
    book.spend("ann", 30, shares={"ann": 2, "ben": 1})
    assert book.balances() == {"ann": 1000, "ben": -1000}
