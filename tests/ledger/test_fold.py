"""Folding any split of what is in a run directory gives what folding all of it at once gives."""

import hashlib
import json
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from synthetic_runs import STOP, runs

from gatecore.ledger.reader import RunReader, fold_all, read_run
from gatecore.ledger.records import Event, plain
from gatecore.ledger.run import Batch, Loss, Run, fold
from gatecore.ledger.tallies import tally_run, total
from gateview.store.news import News
from gateview.store.view import View, advance

EVENT = st.builds(
    Event,
    event=st.sampled_from(
        (
            "run_started", "writer_started", "worker_started", "worker_ended", "stop_begun", "check_started",
            "check_ended", "stop_ended", "run_scored", "unknown",
        )
    ),
    n=st.none() | st.integers(1, 3),
    check=st.sampled_from(("suite", "review A")),
    ts=st.sampled_from(("2026-11-30T20:00:00.123+00:00", "2026-11-30T20:00:01.000+00:00")),
    invalid=st.sampled_from((None, None, "usage limit")),
)  # fmt: skip
DAMAGED = st.sampled_from(
    (
        b"",
        b"   ",
        b"[1]",
        b'{"n": 1, "decision": "bl',
        b"\xff\xfe\x80",
        b'{"n": "two", "decision": "allow"}\r',
    )
)
LINES = st.lists(st.one_of(STOP.map(lambda s: json.dumps(plain(s)).encode()), DAMAGED), max_size=6)
EVENTS = st.lists(st.one_of(EVENT.map(lambda e: json.dumps(plain(e)).encode()), DAMAGED), max_size=8)


def chained(lines: Sequence[bytes]) -> list[bytes]:
    """Every second record names the line before it, so that the chain is part of what is compared."""
    result: list[bytes] = []
    for i, line in enumerate(lines):
        before = next((x for x in reversed(result) if x.strip()), b"")
        linked = i % 2 and line.startswith(b"{") and line.endswith(b"}")
        link = b', "prev": "' + hashlib.sha256(before).hexdigest().encode() + b'"}'
        result.append(line[:-1] + link if linked else line)
    return result


def grown(folder: Path, files: Mapping[str, bytes], cuts: Sequence[tuple[str, int]]) -> Run:
    """The run as a reader has it that looked each time one of `files` had grown up to a cut."""
    run, reader = Run(folder.name), RunReader(folder)
    for name, size in [*cuts, *((name, len(data)) for name, data in files.items())]:
        path = folder / name
        already = path.stat().st_size if path.exists() else 0
        with path.open("ab") as file:
            file.write(files[name][already:size])
        run = fold_all(run, reader.poll)
    return run


@settings(max_examples=200)
@given(LINES, EVENTS, st.booleans(), st.booleans(), st.data())
def test_a_run_watched_while_it_grows_equals_the_run_read_at_once(
    lines: list[bytes], events: list[bytes], whole_last_line: bool, finished: bool, data: st.DataObject
) -> None:
    files = {
        "gate.jsonl": b"\n".join(chained(lines)) + (b"\n" if whole_last_line else b""),
        "events.jsonl": b"\n".join(events) + b"\n",
        "gate-errors.txt": b"Traceback (most recent call last)\nKeyError\n" * 2,
        "meta.json": b'{"task": "T1", "cfg": "g1", "rep": 1}',
        "snap-2.diff": b"",
    }
    growing = ("gate.jsonl", "events.jsonl", "gate-errors.txt")
    cuts = [
        (name, data.draw(st.integers(0, len(files[name]))))
        for name in data.draw(st.lists(st.sampled_from(growing), max_size=8))
    ]
    if finished:
        files["score.json"] = b'{"hook_calls": 2, "hidden_pass": 5, "hidden_fail": "x"}'
    with tempfile.TemporaryDirectory() as folder:
        run = Path(folder, "T1-g1-r1")
        run.mkdir()
        watched = grown(run, files, cuts)
        assert watched == read_run(run)
        assert tally_run(watched) == tally_run(read_run(run))


@given(runs(), st.lists(EVENT, max_size=6).map(tuple), st.data())
def test_folding_batches_in_any_split(
    made: dict[str, Run], events: tuple[Event, ...], data: st.DataObject
) -> None:
    losses = (Loss("gate.jsonl", 3, "is empty"), Loss("gate.jsonl", 1, "n", fields_only=True))
    for run in made.values():
        entries, at = run.entries, data.draw(st.integers(0, 4))
        first = Batch(entries=entries[:at], events=events[:at], losses=losses[:1], meta=run.meta)
        rest = Batch(entries=entries[at:], events=events[at:], losses=losses[1:], score=run.score)
        both = Batch(entries=entries, events=events, losses=losses, meta=run.meta, score=run.score)
        begun = Run(run.name)
        assert fold(fold(begun, first), rest) == fold(begun, both)


@given(runs(), st.data())
def test_live_tallies_equal_those_made_at_the_end(made: dict[str, Run], data: st.DataObject) -> None:
    batches = {
        key: Batch(entries=r.entries, meta=r.meta, score=r.score, writer=r.writer) for key, r in made.items()
    }
    live = View()
    for key in data.draw(st.permutations(list(batches))):
        batch = batches[key]
        early = replace(batch, entries=batch.entries[:1], score=None)
        late = replace(batch, entries=batch.entries[1:])
        live = advance(advance(live, News({key: early})), News({key: late}))
    at_once = advance(View(), News(batches))
    assert live == at_once
    counted = [run for key, batch in batches.items() if (run := fold(Run(made[key].name), batch)).counted]
    assert total(live.tallies.values()) == total(map(tally_run, counted))


@pytest.mark.parametrize("in_place", [False, True])
def test_a_replaced_ledger_is_read_anew(tmp_path: Path, in_place: bool) -> None:
    ledger, reader, run = tmp_path / "gate.jsonl", RunReader(tmp_path), Run(tmp_path.name)
    ledger.write_bytes(b'{"n": 1, "decision": "block"}\n{"n": 2, "decision": "allow"}\n')
    run = fold_all(run, reader.poll)
    assert [entry.stop.n for entry in run.entries] == [1, 2]
    for content in (b'{"n": 7}\n', b'{"n": 8}\n{"n": 9}\n', b"", b'{"n": 1}\n'):
        if in_place:
            ledger.write_bytes(content)
        else:
            other = tmp_path / "other"
            other.write_bytes(content)
            other.replace(ledger)
        run = fold_all(run, reader.poll)
        assert run == read_run(tmp_path)


def test_a_line_that_was_taken_as_cut_and_then_goes_on_is_read_anew(tmp_path: Path) -> None:
    ledger, reader, run = tmp_path / "gate.jsonl", RunReader(tmp_path), Run(tmp_path.name)
    (tmp_path / "exit_code.txt").write_text("0")
    ledger.write_bytes(b'{"n": 1}\n{"n": 2, "decis')
    run = fold_all(run, reader.poll)
    assert [loss.line for loss in run.losses] == [2]
    for rest in (b'ion": "allow"}', b'\n{"n": 3, "decision": "bl', b'\n{"n": 4}\n'):
        with ledger.open("ab") as file:
            file.write(rest)
        run = fold_all(run, reader.poll)
        assert run == read_run(tmp_path)
    assert [(entry.stop.n, entry.line) for entry in run.entries] == [(1, 1), (2, 2), (4, 4)]
