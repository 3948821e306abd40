import json

from evenup import Kitty, load, save, statement, table, transfers


def test_transfers_even_up():
    assert transfers({"ann": 0, "ben": 0}) == []
    assert transfers({"ann": 50, "ben": -20, "cleo": -30}) == [("cleo", "ann", 30), ("ben", "ann", 20)]


def test_save_and_load(tmp_path):
    trip = Kitty("ann", "jürgen")
    trip.spend("jürgen", "9.99", "käse", day="2024-05-01")
    trip.spend("ann", 5, among=["ann"])
    trip.remove(1)
    trip.spend("ann", 1)
    save(trip, tmp_path / "trip.json")
    again = load(tmp_path / "trip.json")
    assert again.members == trip.members
    assert again.expenses() == trip.expenses()
    assert again.spend("ann", 1).number == 4


def test_the_file_is_for_people_too(tmp_path):
    trip = Kitty("jürgen")
    trip.spend("jürgen", "9.90", day="2024-05-01")
    save(trip, tmp_path / "trip.json")
    text = (tmp_path / "trip.json").read_text(encoding="utf-8")
    assert "jürgen" in text
    assert json.loads(text)["expenses"][0]["amount"] == "9.90"
    assert [p.name for p in tmp_path.iterdir()] == ["trip.json"]


def test_table():
    assert table(["n", "what"], [[1, "a"], [10, ""]], right=("n",)) == [" n  what", " 1  a", "10"]


def test_statement():
    trip = Kitty("ann", "ben", "cleo")
    trip.spend("ann", "48.50", "groceries", day="2024-05-01")
    trip.spend("ben", 12, "ferry", among=["ben", "cleo"])
    assert statement(trip).splitlines() == [
        "no  day         payer  amount  what",
        " 1  2024-05-01  ann     48.50  groceries",
        " 2              ben     12.00  ferry",
        "",
        "ann  gets back  32.33",
        "ben  owes       10.17",
        "cleo owes       22.16",
        "",
        "cleo pays ann 22.16",
        "ben pays ann 10.17",
    ]


def test_statement_when_all_are_even():
    assert statement(Kitty("ann")).splitlines() == ["no  day  payer  amount  what", "", "ann is even"]
