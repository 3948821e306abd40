from datetime import date, datetime

import pytest

from evenup import Kitty, Transfer


@pytest.fixture
def trip():
    return Kitty("ann", "ben", "cleo")


def test_members_keep_their_order(trip):
    trip.join(" dan ")
    assert trip.members == ("ann", "ben", "cleo", "dan")


@pytest.mark.parametrize("name", ["", "  ", "ann", " ben"])
def test_names_that_cannot_join(trip, name):
    with pytest.raises(ValueError):
        trip.join(name)
    assert trip.members == ("ann", "ben", "cleo")


def test_all_share_by_default(trip):
    trip.spend("ann", 30)
    assert trip.balances() == {"ann": 2000, "ben": -1000, "cleo": -1000}


def test_some_share(trip):
    trip.spend("ann", 30, among=["ben", "cleo", "ben"])
    assert trip.balances() == {"ann": 3000, "ben": -1500, "cleo": -1500}


def test_who_joins_later_owes_nothing(trip):
    trip.spend("ann", 30)
    trip.join("dan")
    assert trip.balances()["dan"] == 0


def test_strangers(trip):
    with pytest.raises(KeyError):
        trip.spend("zoe", 1)
    with pytest.raises(KeyError):
        trip.spend("ann", 1, among=["ann", "zoe"])
    assert trip.expenses() == []


def test_for_nobody(trip):
    with pytest.raises(ValueError):
        trip.spend("ann", 1, among=[])


def test_days(trip):
    for day in ["2024-05-01", date(2024, 5, 1), datetime(2024, 5, 1, 12, 30)]:
        assert trip.spend("ann", 1, day=day).day == date(2024, 5, 1)
    assert trip.spend("ann", 1).day is None


def test_remove_and_numbers(trip):
    for what in ["bread", "milk"]:
        trip.spend("ann", 1, what)
    assert trip.remove(2).what == "milk"
    assert trip.spend("ben", 1).number == 3
    assert [e.number for e in trip.expenses()] == [1, 3]
    with pytest.raises(KeyError):
        trip.remove(2)


def test_by_payer(trip):
    trip.spend("ann", 1)
    trip.spend("ben", 2)
    trip.spend("ann", 4)
    assert [e.amount for e in trip.expenses(by="ann")] == [100, 400]
    assert (trip.total(), trip.total(by="ann"), trip.total(by="cleo")) == (700, 500, 0)


def test_settle(trip):
    trip.spend("ann", 30)
    trip.spend("cleo", 6)
    assert trip.settle() == [Transfer("ben", "ann", 1200), Transfer("cleo", "ann", 600)]
