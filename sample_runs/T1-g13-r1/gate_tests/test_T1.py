"""spend(shares=...): who bears how much, what is refused, what stays as it was."""
import pytest


def make(*names):
    from evenup import Kitty

    return Kitty(*names or ("ann", "ben", "cleo"))


def test_two_thirds_and_one_third():
    book = make()
    book.spend("ann", 30, shares={"ann": 2, "ben": 1})
    assert book.balances() == {"ann": 1000, "ben": -1000, "cleo": 0}


def test_the_payer_need_not_have_a_share():
    book = make()
    book.spend("cleo", 12, shares={"ann": 1, "ben": 3})
    assert book.balances() == {"ann": -300, "ben": -900, "cleo": 1200}


def test_equal_shares_are_the_even_split():
    uneven, even = make(), make()
    uneven.spend("ann", "1.00", shares={"ann": 1, "ben": 1, "cleo": 1})
    even.spend("ann", "1.00")
    assert uneven.balances() == even.balances()


@pytest.mark.parametrize("amount", ["0.01", "0.02", "1.00", "10.01", "99.99"])
@pytest.mark.parametrize("shares", [{"ann": 1, "ben": 2}, {"ann": 3, "ben": 3, "cleo": 1}, {"ben": 7}])
def test_every_cent_is_accounted_for(amount, shares):
    book = make()
    book.spend("ann", amount, shares=shares)
    assert sum(book.balances().values()) == 0


def test_saving_keeps_the_shares(tmp_path):
    from evenup import load, save

    book = make()
    book.spend("ann", 30, shares={"ann": 2, "ben": 1})
    save(book, tmp_path / "book.json")
    assert load(tmp_path / "book.json").balances() == book.balances()


@pytest.mark.parametrize("shares", [{"ann": -1, "ben": 2}, {"ann": 0, "ben": 0}, {}])
def test_shares_that_make_no_sense_are_refused(shares):
    book = make()
    with pytest.raises(ValueError):
        book.spend("ann", 30, shares=shares)
    assert book.expenses() == []


def test_strangers_are_refused():
    book = make()
    with pytest.raises(KeyError):
        book.spend("ann", 30, shares={"zoe": 1})
    assert book.expenses() == []


def test_removing_an_uneven_expense_evens_the_book_up():
    book = make()
    number = book.spend("ann", 30, shares={"ann": 2, "ben": 1}).number
    book.remove(number)
    assert set(book.balances().values()) == {0}


def test_among_works_as_before():
    book = make()
    book.spend("ann", 3, among=["ben", "cleo"])
    assert book.balances() == {"ann": 300, "ben": -150, "cleo": -150}
