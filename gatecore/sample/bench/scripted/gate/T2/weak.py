"""One month of expenses."""


def test_may():
    from evenup import Kitty

    book = Kitty("ann")
    for day in ("2024-04-15", "2024-05-15", "2024-06-15"):
        book.spend("ann", 1, day=day)
    assert [e.number for e in book.expenses(since="2024-05-01", until="2024-05-31")] == [2]
