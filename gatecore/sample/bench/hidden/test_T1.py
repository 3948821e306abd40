import json

import pytest

from evenup import Kitty, load, save


def flat():
    return Kitty("ann", "ben", "cleo")


def test_req1():
    book = flat()
    book.spend("ann", 30, shares={"ann": 2, "ben": 1})
    assert book.balances() == {"ann": 1000, "ben": -1000, "cleo": 0}
    book.spend("cleo", 12, shares={"ben": 3, "cleo": 1})
    assert book.balances() == {"ann": 1000, "ben": -1900, "cleo": 900}


def test_req2():
    book = flat()
    thirds = book.spend("ann", 1, shares={"ann": 1, "ben": 1, "cleo": 1})
    assert thirds.parts() == {"ann": 34, "ben": 33, "cleo": 33}
    for euros in range(1, 40):
        book.spend("ben", euros, shares={"ann": 3, "ben": 7, "cleo": 1})
        assert sum(book.balances().values()) == 0
    odd = book.spend("ben", "0.10", shares={"ann": 3, "ben": 7, "cleo": 1}).parts()
    assert sum(odd.values()) == 10 and all(isinstance(part, int) for part in odd.values())


def test_req3(tmp_path):
    book = flat()
    book.spend("ann", 30, shares={"ann": 2, "ben": 1})
    save(book, tmp_path / "flat.json")
    again = load(tmp_path / "flat.json")
    assert again.balances() == book.balances()
    assert again.expenses() == book.expenses()


@pytest.mark.parametrize(
    "shares, error",
    [
        ({}, ValueError),
        ({"ann": 0, "ben": 0}, ValueError),
        ({"ann": -1, "ben": 2}, ValueError),
        ({"ann": 1, "zoe": 1}, KeyError),
    ],
)
def test_req4(shares, error):
    book = flat()
    with pytest.raises(error):
        book.spend("ann", 30, shares=shares)
    assert book.expenses() == []
    assert book.balances() == {"ann": 0, "ben": 0, "cleo": 0}


def test_req5(tmp_path):
    book = flat()
    book.spend("ann", "1.00", "tea", among=["ben", "ann", "cleo"])
    assert book.balances() == {"ann": 67, "ben": -34, "cleo": -33}
    save(book, tmp_path / "flat.json")
    assert json.loads((tmp_path / "flat.json").read_text(encoding="utf-8"))["expenses"] == [
        {
            "number": 1,
            "payer": "ann",
            "amount": "1.00",
            "what": "tea",
            "among": ["ben", "ann", "cleo"],
            "day": None,
        }
    ]
