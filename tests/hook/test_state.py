"""What the gate remembers from stop to stop, killed between any two of its writes."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gatecore.hook import state
from gatecore.ledger import writer
from gatecore.ledger.classes import classed_stops
from gatecore.ledger.reader import read_run


class Killed(BaseException):
    """Stands for a kill: nothing after it is done."""


def _finish(folder: Path, n: int) -> None:
    with state.locked(str(folder / "state"), str(folder / "run")) as memory:
        memory["n"] = n
        state.append_record(str(folder / "state"), memory, str(folder / "run"), {"n": n, "decision": "allow"})


def _after(function: Callable[..., Any], calls: int) -> Callable[..., Any]:
    left = iter(range(calls))

    def killed(*args: Any) -> Any:
        if next(left, None) is None:
            raise Killed
        return function(*args)

    return killed


@pytest.mark.parametrize(
    ("name", "calls", "recorded"),
    [
        ("write_file", 0, [1, 3]),  # before the state says what is to come
        ("append_line", 0, [1, 3]),  # before the record
        ("write_file", 1, [1, 2, 3]),  # after the record, before the state says so
    ],
)
def test_the_chain_holds_whenever_the_hook_is_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, calls: int, recorded: list[int]
) -> None:
    for folder in ("state", "run"):
        (tmp_path / folder).mkdir()
    _finish(tmp_path, 1)
    with monkeypatch.context() as patched:
        patched.setattr(writer, name, _after(getattr(writer, name), calls))
        with pytest.raises(Killed):
            _finish(tmp_path, 2)
    _finish(tmp_path, 3)
    entries = read_run(tmp_path / "run").entries
    assert [(entry.stop.n, entry.chained) for entry in entries] == [(n, True) for n in recorded]
    assert [entry.stop.tampered for entry in entries] == [()] * len(recorded)
    assert json.loads((tmp_path / "state" / "state.json").read_bytes())["n"] == 3


def test_a_line_that_somebody_adds_breaks_the_chain_and_is_named(tmp_path: Path) -> None:
    for folder in ("state", "run"):
        (tmp_path / folder).mkdir()
    _finish(tmp_path, 1)
    with (tmp_path / "run" / "gate.jsonl").open("a") as ledger:
        ledger.write('{"n": 2, "decision": "allow"}\n')
    _finish(tmp_path, 3)
    entries = read_run(tmp_path / "run").entries
    assert [entry.chained for entry in entries] == [True, None, False]
    assert [entry.stop.tampered for entry in entries] == [(), (), (str(tmp_path / "run" / "gate.jsonl"),)]
    assert not state.ledger_changed(str(tmp_path / "state"), str(tmp_path / "run"))
    with (tmp_path / "run" / "gate.jsonl").open("a") as ledger:
        ledger.write('{"n": 4, "decision": "allow"}\n')
    assert state.ledger_changed(str(tmp_path / "state"), str(tmp_path / "run"))


def test_a_damaged_state_begins_past_the_highest_number(tmp_path: Path) -> None:
    for folder in ("state", "run"):
        (tmp_path / folder).mkdir()
    (tmp_path / "run" / "hook-input-4.json").touch()
    (tmp_path / "state" / "state.json").write_text('{"n": 9, "requests"')
    with state.locked(str(tmp_path / "state"), str(tmp_path / "run")) as memory:
        assert (memory["n"], memory["lost"]) == (4, True)


def test_a_stop_that_was_killed_before_it_told_of_its_begin_shows_all_the_same(tmp_path: Path) -> None:
    for folder in ("state", "run"):
        (tmp_path / folder).mkdir()
    run, memory_in = str(tmp_path / "run"), str(tmp_path / "state")
    with state.locked(memory_in, run) as memory:
        state.number(memory, run, "killed at once")
    for stop_id in ("later", "last"):
        with state.locked(memory_in, run) as memory:
            n = state.number(memory, run, stop_id)
        writer.append_event(run, "stop_begun", n=n, stop_id=stop_id)
    with state.locked(memory_in, run) as memory:
        state.tell_open(memory, run)
    (tmp_path / "run" / "exit_code.txt").write_text("0")
    events = [json.loads(line) for line in (tmp_path / "run" / "events.jsonl").read_text().splitlines()]
    told = [(event["n"], event["stop_id"]) for event in events]
    assert sorted(told) == [(1, "killed at once"), (2, "later"), (3, "last")]
    stops = classed_stops(read_run(tmp_path / "run"))
    assert [(stop.n, stop.kind) for stop in stops] == [(1, "killed"), (2, "killed"), (3, "killed")]
