"""Damaged and hostile run directories: each loss costs itself only, and is counted."""

import hashlib
import json
import os
from dataclasses import replace
from pathlib import Path

import pytest
from synthetic_runs import write_run

from gatecore.ledger.lenient import UnreadableError, decode
from gatecore.ledger.reader import MatrixReader, RunReader, fold_all, read_run, read_runs, run_dirs
from gatecore.ledger.records import Score, Stop
from gatecore.ledger.run import Batch, Loss, Run, fold

BLOCK = {"n": 1, "decision": "block", "blocked_by": "g1", "hidden": {"pass": 2, "fail": 3}}
ALLOW = {"n": 2, "decision": "allow", "hidden": {"pass": 5, "fail": 0}}


def numbers(run: Run) -> list[int | None]:
    return [entry.stop.n for entry in run.entries]


def lost(run: Run) -> list[tuple[str, int | None, bool]]:
    return [(loss.file, loss.line, loss.fields_only) for loss in run.losses]


@pytest.mark.parametrize(
    ("raw", "expected", "fields"),
    [
        (b'{"n": "2", "wall_s": "1.5", "repeat": "False"}', {"n": 2, "wall_s": 1.5, "repeat": False}, ()),
        (b'{"n": 2.0, "reason": 7, "repeat": 0}', {"n": 2, "reason": "7", "repeat": False}, ()),
        (b'{"n": "1,7", "wall_s": ""}', {"n": None, "wall_s": None}, ("n", "wall_s")),
        (b'{"n": true, "wall_s": NaN}', {"n": None, "wall_s": None}, ("n", "wall_s")),
        (b'{"n": -1, "wall_s": "nan"}', {"n": None, "wall_s": None}, ("n", "wall_s")),
        (b'{"wall_s": 1e999, "reason_chars": -Infinity}', {"wall_s": None}, ("reason_chars", "wall_s")),
        (b'{"n": 3, "reason_chars": ' + b"9" * 9000 + b"}", {"n": 3, "reason_chars": None}, ("reason_chars",)),
        (b'{"n": 3, "extra": ' + b"9" * 9000 + b', "wall_s": []}', {"n": 3}, ("wall_s",)),
        (b'{"n": 3, "checks": 7}', {"n": 3, "checks": {}}, ("checks",)),
        (b'{"n": null, "reason": null, "tampered": null}', {"n": None, "reason": "", "tampered": ()}, ()),
        (b'{"decision": ["block"], "blocked_by": "g1"}', {"decision": None, "blocked_by": "g1"}, ("decision",)),
        (b'{"decision": "defer", "colour": {"a": [1]}}', {"decision": "defer"}, ()),
        (b'{"hidden": {"pass": "x", "fail": 1}}', {}, ("hidden.pass",)),
        (
            b'{"gate3": {"reviewers": [{"findings": 3}, 7]}}',
            {},
            ("gate3.reviewers.0.findings", "gate3.reviewers.1"),
        ),
        (b'{"checks": {"suite": {"counts": {"passed": "no", "failed": 2}}}}', {}, ("checks.suite.counts.passed",)),
        (b"\xef\xbb\xbf\x00\x00" + b'{"n": 4}\r', {"n": 4}, ()),
        (b'{"n": 5, "reason": "\xff\xfe \\ud83d"}', {"n": 5, "reason": "\ufffd\ufffd \ud83d"}, ()),
    ],
)  # fmt: skip
def test_a_bad_field_costs_that_field(
    raw: bytes, expected: dict[str, object], fields: tuple[str, ...]
) -> None:
    stop, unreadable = decode(raw, Stop)
    assert {name: getattr(stop, name) for name in expected} == expected
    assert sorted(unreadable) == sorted(fields)


def test_what_is_left_of_a_damaged_object_is_kept() -> None:
    stop, _ = decode(b'{"hidden": {"pass": "x", "fail": 1}, "gate3": {"reviewers": [7, {"id": "B"}]}}', Stop)
    assert stop.hidden is not None
    assert (stop.hidden.passed, stop.hidden.failed) == (None, 1)
    assert stop.gate3 is not None
    assert [reviewer.id for reviewer in stop.gate3.reviewers] == ["B"]


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"\x00" * 99,
        b"[]",
        b"null",
        b'"text"',
        b"{",
        b'{"n": 1}}',
        b'{"a":' * 99_999 + b"1" + b"}" * 99_999,
    ],
    ids=["empty", "nul", "list", "null", "text", "open", "closed twice", "deep"],
)
def test_a_line_that_is_no_object_costs_that_line(raw: bytes, tmp_path: Path) -> None:
    with pytest.raises(UnreadableError):
        decode(raw, Stop)
    run = read_run(write_run(tmp_path / "T1-g1-r1", ledger=[BLOCK, raw or b"\x00", ALLOW]))
    assert numbers(run) == [1, 2]
    assert lost(run) == [("gate.jsonl", 2, False)]


def test_blank_lines_and_windows_line_ends_cost_nothing(tmp_path: Path) -> None:
    run_dir = write_run(
        tmp_path / "T1-g1-r1", ledger=[BLOCK, b"", b" \t", ALLOW, b"", b""], meta=b'\r\n{"task": "T1"}\r\n'
    )
    path = run_dir / "gate.jsonl"
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    run = read_run(run_dir)
    assert (numbers(run), run.losses, [entry.line for entry in run.entries]) == ([1, 2], (), [1, 4])


def test_a_cut_last_line_waits_in_a_running_run_and_is_lost_in_a_finished_one(tmp_path: Path) -> None:
    run_dir = write_run(tmp_path / "T1-g1-r1", ledger=[BLOCK])
    with (run_dir / "gate.jsonl").open("ab") as file:
        file.write(b'{"n": 2, "decision": "al')
    assert (numbers(read_run(run_dir)), read_run(run_dir).losses) == ([1], ())
    write_run(run_dir, score={"hook_calls": 2})
    assert numbers(read_run(run_dir)) == [1]
    assert lost(read_run(run_dir)) == [("gate.jsonl", 2, False)]


@pytest.mark.parametrize("content", [b"", b"null", b'{"hook_calls": 3', b"[1]", b"\xff" * 9])
def test_a_side_file_that_cannot_be_read_costs_that_file(content: bytes, tmp_path: Path) -> None:
    run = read_run(
        write_run(tmp_path / "T1-g1-r1", ledger=[BLOCK], score=content, meta=content, testwriter=content)
    )
    assert (numbers(run), run.score, run.meta, run.writer, run.over) == ([1], None, None, None, True)
    assert lost(run) == [(name, None, False) for name in ("meta.json", "score.json", "testwriter.json")]
    assert run.identity == ("T1", "g1", 1)


def test_a_loss_is_forgotten_when_the_file_is_written_anew(tmp_path: Path) -> None:
    run_dir = write_run(tmp_path / "T1-g1-r1", score=b'{"hook_calls": 1, "turns": "x"')
    reader, run = RunReader(run_dir), Run(run_dir.name)
    run = fold_all(run, reader.poll)
    assert lost(run) == [("score.json", None, False)]
    write_run(run_dir, score=b'{"hook_calls": 1, "turns": "x"}')
    run = fold_all(run, reader.poll)
    assert lost(run) == [("score.json", None, True)]
    assert run.score == Score(hook_calls=1)


def test_what_is_no_plain_file_is_not_waited_for(tmp_path: Path) -> None:
    run_dir = write_run(tmp_path / "T1-g1-r1", meta={"task": "T1", "cfg": "g1", "rep": 1})
    os.mkfifo(run_dir / "gate.jsonl")
    (run_dir / "events.jsonl").mkdir()
    (run_dir / "score.json").symlink_to("score.json")
    (run_dir / "testwriter.json").symlink_to("/dev/zero")
    run = read_run(run_dir)
    assert (run.task, run.entries) == ("T1", ())
    assert sorted(loss.file for loss in run.losses) == [
        "events.jsonl", "gate.jsonl", "score.json", "testwriter.json",
    ]  # fmt: skip
    assert Loss("gate.jsonl", None, "not a plain file") in run.losses


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is barred to root")
def test_what_is_barred_is_named(tmp_path: Path) -> None:
    barred = write_run(tmp_path / "T1-g1-r1", ledger=[BLOCK], meta={"task": "T1"})
    (barred / "gate.jsonl").chmod(0)
    closed = write_run(tmp_path / "T2-g1-r1", ledger=[BLOCK])
    closed.chmod(0)
    try:
        one, two = read_runs(tmp_path)
    finally:
        closed.chmod(0o700)
    assert one.losses == (Loss("gate.jsonl", None, "Permission denied"),)
    assert (two.name, two.losses) == ("T2-g1-r1", (Loss(".", None, "Permission denied"),))


def test_a_run_that_has_only_begun_is_there(tmp_path: Path) -> None:
    (tmp_path / "T1-g1-r1").mkdir()
    (tmp_path / "T1-g1-r1" / "stream.jsonl").touch()
    assert read_runs(tmp_path) == [Run("T1-g1-r1")]
    reader = RunReader(tmp_path / "T1-g1-r1")
    assert reader.poll() is not None
    assert reader.poll() is None


def test_a_folder_is_a_runs_folder_a_run_or_nothing(tmp_path: Path) -> None:
    run_dir = write_run(tmp_path / "runs" / "T1-g1-r1", meta={})
    (tmp_path / "runs" / "notes").mkdir()
    (tmp_path / "runs" / ".hidden").mkdir()
    (tmp_path / "runs" / "loop").symlink_to("loop")
    assert run_dirs(tmp_path / "runs") == run_dirs(run_dir) == [run_dir]
    assert run_dirs(tmp_path) == []
    with pytest.raises(FileNotFoundError):
        run_dirs(tmp_path / "absent")
    with pytest.raises(NotADirectoryError):
        run_dirs(run_dir / "meta.json")
    assert RunReader(tmp_path / "absent").poll() is None


def test_the_chain_shows_a_changed_line(tmp_path: Path) -> None:
    first = b'{"n": 1, "prev": ""}'
    second = b'{"n": 2, "prev": "' + hashlib.sha256(first).hexdigest().encode() + b'"}'
    for changed, expected in ((first, [True, True]), (first.replace(b"1", b"9"), [True, False])):
        run = read_run(write_run(tmp_path / "T1-g1-r1", ledger=[changed, second]))
        assert [entry.chained for entry in run.entries] == expected
    assert read_run(write_run(tmp_path / "T1-g1-r2", ledger=[BLOCK])).entries[0].chained is None


def test_matrix_lines_are_read_as_they_come(tmp_path: Path) -> None:
    reader = MatrixReader(tmp_path)
    assert reader.poll() == ((), False)
    path = tmp_path / "matrix.jsonl"
    path.write_bytes(b'{"event": "planned", "cells": [{"run": "T1-g1-r1"}]}\nnonsense\n{"event": "cell_st')
    events, anew = reader.poll()
    assert ([event.event for event in events], anew) == (["planned"], False)
    assert events[0].cells[0].run == "T1-g1-r1"
    with path.open("ab") as file:
        file.write(b'arted", "run": "T1-g1-r1"}\n')
    assert [event.event for event in reader.poll()[0]] == ["cell_started"]
    path.write_bytes(b'{"event": "planned"}\n')
    assert reader.poll()[1] is True


def test_where_files_are_named_only_these_are_read_and_the_rest_is_not_lost(tmp_path: Path) -> None:
    run = tmp_path / "T1-g1-r1"
    write_run(run, ledger=[BLOCK])
    reader = RunReader(run)
    folded = fold_all(Run(run.name), reader.poll)
    with (run / "gate.jsonl").open("ab") as file:
        file.write(json.dumps(ALLOW).encode() + b"\n")
    (run / "triage.jsonl").write_text('{"stop_id": "a", "verdict": "right"}\n')
    assert reader.poll([]) is None
    batch = reader.poll(["gate.jsonl"])
    assert batch
    assert ([e.stop.n for e in batch.entries], batch.triage) == ([2], ())
    assert reader.poll(["gate.jsonl"]) is None
    folded = fold_all(fold(folded, batch), reader.poll)
    assert folded == read_run(run)
    assert len(folded.triage) == 1
    (run / "score.json").write_text('{"hidden_pass": 5, "hidden_fail": 0}')
    batch = reader.poll(["score.json"])
    assert batch
    assert (batch.over, batch.entries, reader.poll()) == (True, (), None)
    (run / "gate.jsonl").write_text('{"n": 9}\n')
    batch = reader.poll(["gate.jsonl"])
    assert batch
    assert batch.fresh
    assert fold(folded, batch) == read_run(run)
    assert RunReader(run, fresh=True).poll() == replace(RunReader(run).poll() or Batch(), fresh=True)


def test_a_file_that_can_be_read_again_is_news(tmp_path: Path) -> None:
    run = tmp_path / "T1-g1-r1"
    (run / "gate.jsonl").mkdir(parents=True)
    reader = RunReader(run)
    folded = fold_all(Run(run.name), reader.poll)
    assert lost(folded) == [("gate.jsonl", None, False)]
    (run / "gate.jsonl").rmdir()
    (run / "gate.jsonl").touch()
    folded = fold_all(folded, reader.poll)
    assert lost(folded) == []
