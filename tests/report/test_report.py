"""`gateview report`: its three formats, its errors, and what a hostile ledger cannot do to them."""

import io
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from rich.cells import cell_len
from synthetic_runs import runs, write_run

from gatecore.analysis import results, results_md
from gatecore.ledger.records import plain
from gatecore.ledger.run import Run
from gateview.report.command import report
from gateview.report.render import print_tables
from gateview.report.sheets import sheets
from gateview.store.load import NoRunsError, find_runs, load

HOSTILE = "\x1b]0;title\x07\x9b2J[bold]x[/red] <b> | `a` ](x) \u202e 日本"
BLOCK = {"n": 1, "decision": "block", "blocked_by": "g1", "hidden": {"pass": 2, "fail": 3}}
SCORE = {
    "hidden_pass": 4,
    "hidden_fail": 1,
    "failed_reqs": ["test_req5"],
    "suite_pass": 9,
    "suite_fail": 0,
    "hook_calls": 1,
    "has_result_line": True,
    "cost_total_usd": 0.25,
}


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    folder = tmp_path / "runs"
    write_run(folder / "T1-g1-r1", ledger=[BLOCK, b"{torn"], score=SCORE)
    write_run(folder / "T2-bare-r1", score=SCORE | {"has_result_line": False, "cost_total_usd": 0.0})
    write_run(folder / "T2-g1-r1", ledger=[BLOCK])
    write_run(folder / "T2-g1-r2-trial", score=SCORE)
    write_run(
        folder / "T3-g1-r1",
        meta={"task": HOSTILE, "cfg": HOSTILE, "rep": 1},
        score=SCORE | {"alarm": HOSTILE},
    )
    return folder


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def tables(folder: Path, out: io.StringIO) -> str:
    state = load([folder])
    print_tables(sheets(results(state.runs), state), out)
    return out.getvalue()


def test_a_pipe_gets_whole_plain_tables(corpus: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert report([corpus], "table") == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert not [char for char in out if char != "\n" and not char.isprintable()]
    assert "␛]0;title" in out
    assert "[bold]x[/red]" in out
    assert "T2-g1-r2-trial   tagged: trial" in out
    assert "T2-g1-r1         no score.json: still running, or died" in out
    assert "gate.jsonl   2      is no JSON" in out
    bare = next(line for line in out.splitlines() if line.startswith("bare"))
    assert bare.split()[:7] == ["bare", "1", "4/5", "80%", "[38\N{EN DASH}96]", "0/1", "0%"]
    assert "0.00" not in bare  # no cost of this run is known
    assert "bare: mean_cost_total_usd is not known of 1 of 1 runs" in out


def test_each_rate_is_k_of_n_with_its_interval_and_nothing_is_n_a(corpus: Path) -> None:
    (folder := corpus.parent / "idle").mkdir()
    write_run(
        folder / "T1-g1-r1", ledger=[{"n": 1, "decision": "allow", "gate1": {"ran": True, "pass": True}}]
    )
    state = load([folder])
    by_name = {sheet.name: sheet for sheet in sheets(results(state.runs), state)}
    gate = dict(zip(by_name["gate"].head, by_name["gate"].rows[0], strict=True))
    assert (gate["precision"], gate["catches"]) == ("n/a", "n/a")
    outcomes = {row[0]: row[1] for row in by_name["outcomes"].rows}
    assert outcomes["blocks per 100 stops"] == "0/1 0% [0\N{EN DASH}79]"
    config = dict(zip(by_name["config"].head, by_name["config"].rows[0], strict=True))
    assert (config["runs"], config["requirements"], config["$/run"], config["model ok"]) == (
        "0",
        "n/a",
        "n/a",
        "n/a",
    )


def test_json_is_the_results_and_nothing_else(corpus: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert report([corpus], "json") == 0
    out = capsys.readouterr().out
    assert out.isascii()
    assert "\x1b" not in out
    found = json.loads(out)
    assert found == json.loads(json.dumps(results(load([corpus]).runs)))
    assert found["by_cfg"]["g1"]["stops"]["right"] == found["by_task_all"]["T2"]["stops"]["right"] + 1 == 2
    assert set(found["left_out"]) == {"T2-g1-r1", "T2-g1-r2-trial"}
    assert found["unreadable"] == {"lines": 1, "files": 0, "fields": 0}
    assert found["outcomes"]["no_result_line"] == ["T2-bare-r1"]


def test_markdown_begins_with_the_originals_and_names_are_no_markup(
    corpus: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert report([corpus], "md") == 0
    out = capsys.readouterr().out
    assert out.startswith(results_md(results(load([corpus]).runs)))
    assert not [char for char in out if char != "\n" and not char.isprintable()]
    assert "\\<b> \\| \\`a\\` ]\\(x)" in out
    for line in out.splitlines():
        if line.startswith("| T2 |"):
            assert line.replace("\\|", "").count("|") == 6
    for title in ("Per gate", "Stops by class", "Outcomes", "Left out", "Not readable"):
        assert f"\n## {title}\n" in out


@pytest.mark.parametrize("columns", [40, 80, 200])
def test_a_terminal_gets_all_of_it_within_its_width(
    corpus: Path, columns: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("NO_COLOR", "1")
    out = tables(corpus, Terminal())
    assert not re.search("\x1b\\[[0-9;]*[34][0-9]", out)  # no colours
    plain = re.sub("\x1b\\[[0-9;]*m", "", out)
    assert max(map(cell_len, plain.splitlines())) <= columns
    assert "…" not in plain
    squeezed = "".join(plain.split())
    for text in ("T2-g1-r2-trial", "endedblocked", "4/580%[38\N{EN DASH}96]"):
        assert text in squeezed


def test_a_dumb_terminal_gets_no_control_codes(corpus: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "dumb")
    assert "\x1b" not in tables(corpus, Terminal())


def test_an_encoding_without_the_signs_prints_question_marks(corpus: Path) -> None:
    script = (
        "import sys, pathlib; from gateview.report.command import report; "
        "report([pathlib.Path(sys.argv[1])], 'table')"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(corpus)],
        env=os.environ | {"PYTHONIOENCODING": "ascii", "FORCE_COLOR": "1"},
        capture_output=True,
        check=True,
    )
    assert b"4/5 80% [38?96]" in done.stdout
    assert (done.stderr, b"\x1b" in done.stdout) == (b"", False)


def test_importing_the_command_draws_in_nothing_heavy() -> None:
    script = "import sys, gateview.report.command; print({'rich', 'textual', 'polars'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (lambda _: None, "No such file or directory"),
        (lambda path: path.write_text("x"), "Not a directory"),
        (lambda path: path.mkdir(), "no run in it; a run directory holds meta.json or gate.jsonl"),
    ],
    ids=["missing", "a file", "empty"],
)
def test_without_runs_it_says_why_and_exits_2(make: Any, why: str, corpus: Path, capsys: Any) -> None:
    path = corpus.parent / "other\x1b[2J"
    make(path)
    assert report([corpus, path], "json") == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err == f"gateview report: {corpus.parent}/other␛[2J: {why}\n"


def test_runs_of_several_folders_are_told_apart_and_count_once(corpus: Path, tmp_path: Path) -> None:
    other = tmp_path / "b" / "runs"
    write_run(other / "T1-g1-r1", score=SCORE)
    (other / "A-link").symlink_to(other / "T1-g1-r1")
    (tmp_path / "same").symlink_to(corpus)
    keys = set(find_runs([corpus, other, tmp_path / "same", corpus / "T1-g1-r1"]))
    assert {f"{tmp_path.name}/runs/T1-g1-r1", "b/runs/T1-g1-r1"} <= keys
    assert len(keys) == len(list(corpus.iterdir())) + 1
    assert set(find_runs([corpus / "T1-g1-r1", corpus / "T2-g1-r1"])) == {"T1-g1-r1", "T2-g1-r1"}
    assert load([corpus, other]).runs["b/runs/T1-g1-r1"].name == "T1-g1-r1"
    with pytest.raises(NoRunsError, match="absent"):
        load([corpus, tmp_path / "absent"])


def test_planned_runs_that_are_not_there_are_named(corpus: Path) -> None:
    cells = [{"run": "T1-g1-r1"}, {"run": "T9-g1-r1"}]
    (corpus / "matrix.jsonl").write_text(json.dumps({"event": "planned", "cells": cells}) + "\n")
    state = load([corpus])
    (outcomes,) = (sheet for sheet in sheets(results(state.runs), state) if sheet.name == "outcomes")
    assert outcomes.rows[0] == ("runs", "3 scored, 2 left out, 2 planned (not there: T9-g1-r1)")


def _write(folder: Path, made: Mapping[str, Run]) -> None:
    for name, run in made.items():
        documents = {"meta": run.meta, "score": run.score, "testwriter": run.writer}
        write_run(
            folder / name,
            ledger=[plain(entry.stop) for entry in run.entries],
            **{key: plain(document) for key, document in documents.items() if document},
        )
        (folder / name / "prompt.txt").touch()
        (folder / name / "stream.jsonl").touch()


@settings(max_examples=25)
@given(runs())
def test_every_table_can_be_drawn_of_whatever_is_there_and_agrees_with_the_json(made: dict[str, Run]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        _write(Path(folder), made)
        if not made:
            return
        state = load([Path(folder)])
        found = results(state.runs)
        out = io.StringIO()
        print_tables(sheets(found, state), out)
    by_name = {sheet.name: sheet for sheet in sheets(found, state)}
    stops = {row[0]: int(row[1]) for row in by_name["stops"].rows} if "stops" in by_name else {}
    everything = sum(found["outcomes"]["stops"].values())
    assert sum(n for name, n in stops.items() if name != "all") == everything
    assert stops.get("all", everything) == everything
    for row in by_name["config"].rows if "config" in by_name else ():
        assert row[1] == str(found["by_cfg"][row[0]]["runs"])
    for gate, row in zip(
        found["by_gate"].values(), by_name["gate"].rows if "gate" in by_name else (), strict=True
    ):
        assert row[1:7] == tuple(
            str(gate[kind]) for kind in ("right", "false", "missed", "clean", "gave_up", "not_judged")
        )
    assert (found["n_runs"] + len(found["left_out"])) == len(made)
