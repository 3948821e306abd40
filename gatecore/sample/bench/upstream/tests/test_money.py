import pytest

from evenup.money import cents, show, spent, split


@pytest.mark.parametrize(
    "amount, value",
    [(12, 1200), ("12", 1200), ("12.5", 1250), ("12.50", 1250), ("3,20", 320), (" 0.05 ", 5), ("-1.10", -110)],
)
def test_cents(amount, value):
    assert cents(amount) == value


@pytest.mark.parametrize("amount", ["", "abc", "1.234", "1e3", "1.", ".5"])
def test_what_is_no_amount(amount):
    with pytest.raises(ValueError):
        cents(amount)


@pytest.mark.parametrize("amount", [1.5, None, True])
def test_amounts_of_another_type(amount):
    with pytest.raises(TypeError):
        cents(amount)


def test_spent_is_more_than_nothing():
    assert spent("0.01") == 1
    with pytest.raises(ValueError):
        spent("0.00")


def test_show():
    assert [show(0), show(5), show(1250), show(-110)] == ["0.00", "0.05", "12.50", "-1.10"]


def test_split_loses_no_cent():
    assert split(100, ["ann", "ben", "cleo"]) == {"ann": 34, "ben": 33, "cleo": 33}
    assert split(101, ["ann", "ben", "cleo"]) == {"ann": 34, "ben": 34, "cleo": 33}
