"""`gateview report`: its formats, its errors, and what a hostile ledger cannot do to them."""

import csv
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

from gatecore import __version__
from gatecore.analysis import results, results_md
from gatecore.ledger.folders import NoRunsError, find_runs
from gatecore.ledger.reader import read_run
from gatecore.ledger.records import plain
from gatecore.ledger.run import Run
from gateview.report.command import Wanted, print_report
from gateview.report.plain import print_plain, width
from gateview.report.sheets import SHEETS, sheet, sheets
from gateview.report.write import draw
from gateview.store.gather import gather

HOSTILE = "\x1b]0;title\x07\x9b2J[bold]x[/red] <b> | `a` ](x) \u202e 日本"
BLOCK = {
    "n": 1,
    "decision": "block",
    "blocked_by": "g1",
    "hidden": {"pass": 2, "fail": 3},
    "gate1": {"ran": True, "pass": False, "gate_tests_present": True, "gate_tests_fail": 1, "suite_fail": 0}
    | {"gate_tests_failed": [HOSTILE]},
}
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


def runs_in(*folders: Path) -> dict[str, Run]:
    return {key: read_run(path) for key, path in find_runs(folders).items()}


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def tables(folder: Path, out: io.StringIO) -> str:
    draw(sheets(gather([folder]).results(), "Corpus: runs"), out)
    return out.getvalue()


def by_name(folder: Path) -> dict[str, Any]:
    found = gather([folder]).results()
    return {name: sheet(name, found, "Corpus: runs") for name in SHEETS}


def test_a_pipe_gets_whole_plain_tables(corpus: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert print_report([corpus], "table") == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert not [char for char in out if char != "\n" and not char.isprintable()]
    assert "␛]0;title" in out
    assert "[bold]x[/red]" in out
    assert "T2-g1-r2-trial   tagged: trial" in out
    assert "T2-g1-r1         no score.json: still running, or died" in out
    assert re.search("gate.jsonl +2 +is no JSON", out)
    bare = next(line for line in out.splitlines() if line.startswith("bare"))
    assert bare.split()[:7] == ["bare", "1", "4/5", "80%", "[38\N{EN DASH}96]", "0/1", "0%"]
    assert "0.00" not in bare  # no cost of this run is known
    assert "bare: mean_cost_total_usd is not known of 1 of 1 runs" in out


def test_each_rate_is_k_of_n_with_its_interval_and_nothing_is_n_a(corpus: Path) -> None:
    (folder := corpus.parent / "idle").mkdir()
    write_run(
        folder / "T1-g1-r1", ledger=[{"n": 1, "decision": "allow", "gate1": {"ran": True, "pass": True}}]
    )
    sheets = by_name(folder)
    gate = dict(zip(sheets["gate"].head, sheets["gate"].rows[0], strict=True))
    assert (gate["precision"].text, gate["sensitivity"].text) == ("n/a", "n/a")
    outcomes = {row[0]: row[1] for row in sheets["outcomes"].rows}
    assert outcomes["blocks per stop"].text == "0/1 0% [0\N{EN DASH}79]"
    config = dict(zip(sheets["config"].head, sheets["config"].rows[0], strict=True))
    assert (config["runs"], config["requirements"].text, config["$/run"].text, config["model ok"]) == (
        0,
        "n/a",
        "n/a",
        "n/a",
    )


def test_unit_corpus_and_version_stand_under_each_table(corpus: Path) -> None:
    for name, made in by_name(corpus).items():
        assert any(note.startswith("Unit: ") for note in made.notes), name
        assert made.notes[-1].startswith("Corpus: runs, gateview "), name


def test_json_is_the_results_with_corpus_and_version(
    corpus: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert print_report([corpus], "json") == 0
    out = capsys.readouterr().out
    assert out.isascii()
    assert "\x1b" not in out
    found = json.loads(out)
    assert found.pop("corpus") == f"Corpus: {corpus}: 3 runs scored, 2 left out"
    assert found.pop("version")
    assert found == json.loads(json.dumps(results(runs_in(corpus))))
    assert found["by_cfg"]["g1"]["stops"]["right"] == found["by_task_all"]["T2"]["stops"]["right"] + 1 == 2
    assert set(found["left_out"]) == {"T2-g1-r1", "T2-g1-r2-trial"}
    assert found["unreadable"] == {"lines": 1, "files": 0, "fields": 0}
    assert found["outcomes"]["no_result_line"] == ["T2-bare-r1"]


def test_markdown_begins_with_the_originals_and_names_are_no_markup(
    corpus: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert print_report([corpus], "md") == 0
    out = capsys.readouterr().out
    assert out.startswith(results_md(results(runs_in(corpus))))
    assert not [char for char in out if char != "\n" and not char.isprintable()]
    assert "\\<b> \\| \\`a\\` ]\\(x)" in out
    for table in re.findall(r"(?:^\|.*\n)+", out, re.MULTILINE):
        assert len({row.replace("\\|", "").count("|") for row in table.splitlines()}) == 1
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


@pytest.mark.parametrize("text", ["", "plain", "日本 e\u0301", "é ß", "👍 ok"])
def test_a_pipes_columns_are_as_wide_as_a_terminals(text: str) -> None:
    assert width(text) == cell_len(text)


def run_cli(*arguments: str, **environment: str) -> "subprocess.CompletedProcess[bytes]":
    return subprocess.run(
        [sys.executable, "-m", "gateview", "report", *arguments],
        env=os.environ | environment,
        capture_output=True,
        check=False,
    )


def test_an_encoding_without_the_signs_prints_question_marks(corpus: Path) -> None:
    done = run_cli(str(corpus), PYTHONIOENCODING="ascii", FORCE_COLOR="1")
    assert b"4/5 80% [38?96]" in done.stdout
    assert (done.returncode, done.stderr, b"\x1b" in done.stdout) == (0, b"", False)


def test_a_report_to_a_pipe_draws_in_nothing_heavy(corpus: Path) -> None:
    script = (
        "import sys; sys.argv[1:] = ['report', sys.argv[1]]; import gateview.start\n"
        "try: gateview.start.main()\n"
        "except SystemExit: pass\n"
        "print({'rich', 'textual', 'polars', 'pydantic', 'typer'} & set(sys.modules), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(corpus)], capture_output=True, text=True, check=True
    )
    assert done.stderr.strip() == "set()"


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (lambda _: None, "no such folder"),
        (lambda path: path.write_text("x"), "is a file; name a runs folder or a run directory"),
        (lambda path: path.mkdir(), "no run in it; a run directory holds meta.json or gate.jsonl"),
    ],
    ids=["missing", "a file", "empty"],
)
@pytest.mark.parametrize("format_", ["json", "table"])
def test_without_runs_it_says_why_and_exits_2(
    make: Any, why: str, format_: Any, corpus: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = corpus.parent / "other\x1b[2J"
    make(path)
    assert print_report([corpus, path], format_) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err == f"gateview report: {corpus.parent}/other␛[2J: {why}\n"


def test_runs_of_several_folders_are_told_apart_and_count_once(corpus: Path, tmp_path: Path) -> None:
    other = tmp_path / "b" / "runs"
    write_run(other / "T1-g1-r1", score=SCORE)
    (other / "A-link").symlink_to(other / "T1-g1-r1")
    (tmp_path / "same").symlink_to(corpus)
    folders = [corpus, other, tmp_path / "same", corpus / "T1-g1-r1"]
    keys = set(find_runs(folders))
    assert {f"{tmp_path.name}/runs/T1-g1-r1", "b/runs/T1-g1-r1"} <= keys
    assert len(keys) == len(list(corpus.iterdir())) + 1
    assert set(find_runs([corpus / "T1-g1-r1", corpus / "T2-g1-r1"])) == {"T1-g1-r1", "T2-g1-r1"}
    assert runs_in(corpus, other)["b/runs/T1-g1-r1"].name == "T1-g1-r1"
    found = gather(folders).results()
    assert json.dumps(found) == json.dumps({**results(runs_in(*folders)), "runs": []})
    assert found["n_runs"] == 4
    with pytest.raises(NoRunsError, match="absent"):
        runs_in(corpus, tmp_path / "absent")


def test_planned_runs_that_are_not_there_are_named(corpus: Path) -> None:
    cells = [{"run": "T1-g1-r1"}, {"run": "T9-g1-r1"}]
    (corpus / "matrix.jsonl").write_text(json.dumps({"event": "planned", "cells": cells}) + "\n")
    rows = by_name(corpus)["outcomes"].rows
    assert rows[:2] == (("runs planned", 2, ""), ("runs planned and not there", 1, "T9-g1-r1"))


def test_a_table_by_name_in_each_format(corpus: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("config", "gate", "left_out", "blocks"):
        found = gather([corpus]).results()
        rows = len(sheet(name, found, "").rows)
        assert print_report([corpus], "json", Wanted(name)) == 0
        objects = json.loads(capsys.readouterr().out)
        assert print_report([corpus], "csv", Wanted(name)) == 0
        text = capsys.readouterr().out
        assert not [char for char in text if char != "\n" and not char.isprintable()]
        lines = list(csv.DictReader(io.StringIO(text)))
        assert len(objects) == len(lines) == rows
        assert [list(line) for line in lines] == [list(item) for item in objects]
        assert print_report([corpus], "md", Wanted(name)) == 0
        assert capsys.readouterr().out.count("\n## ") == 0
    bare = next(line for line in objects_of(corpus, "config") if line["config"] == "bare")
    assert (bare["requirements k"], bare["requirements n"], bare["requirements rate"]) == (4, 5, 0.8)
    assert bare["$/run"] is None  # not known, and not 0


def objects_of(corpus: Path, name: str) -> list[dict[str, Any]]:
    done = run_cli(str(corpus), "--table", name, "--format", "json")
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found


def test_long_tables_are_cut_and_say_so_but_not_by_name(tmp_path: Path) -> None:
    folder = tmp_path / "runs"
    for rep in range(25):
        write_run(folder / f"T1-g1-r{rep}-x", score=SCORE)
        write_run(folder / f"T1-g1-r{rep}", score=SCORE)
    found = gather([folder]).results(20)
    shown = {made.name: made for made in sheets(found, "")}
    assert len(shown["left_out"].rows) == len(shown["unmet_run"].rows) == 20
    assert shown["left_out"].notes[0] == "5 more: --table left_out"
    assert len(sheet("left_out", found, "").rows) == 25


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["--table", "nothing"], "there is no table nothing; there are config, task"),
        (["--format", "csv"], "csv holds one table: name it with --table"),
        (["--by", "nothing"], "no frame has the columns nothing; runs: run, task"),
        (["--by", "runs.cfg,stops.n"], "columns of runs and stops"),
        (["--by", "cfg", "--table", "gate"], "give one of them"),
        (["--out", "x"], "goes with --format csv or parquet alone"),
        (["--fail-if", "nonsense"], "write FIGURE(GATE) > NUMBER"),
        (["--compare", ".", ".", "--strict"], "--compare takes two folders"),
        (["--compare", ".", ".", "--table", "gate"], "there are compare_config, compare_gate"),
        (["--format", "xml"], "'xml' is not one of"),
        (["--table"], "requires an argument"),
    ],
)
def test_wrong_use_is_told_and_exits_2(corpus: Path, arguments: list[str], why: str) -> None:
    done = run_cli(*([] if "--compare" in arguments else [str(corpus)]), *arguments)
    assert (done.returncode, done.stdout) == (2, b"")
    assert why in done.stderr.decode()


@pytest.mark.parametrize(
    "arguments",
    [
        ["--format=json", "--table", "gate"],
        ["--strict", "--no-cache", "--fail-if", "missed_rate(g1) > 1", "--by=cfg,kind"],
        ["--junit", "{}/j.xml", "--out={}/tables", "--format", "csv"],
    ],
)
def test_arguments_mean_the_same_whoever_reads_them(
    corpus: Path, tmp_path: Path, arguments: list[str]
) -> None:
    given = [str(corpus), *(argument.format(tmp_path) for argument in arguments)]
    plain = run_cli(*given)
    script = "import sys; from gateview.cli import app; sys.argv[0] = 'gateview'; app()"
    through_typer = subprocess.run(
        [sys.executable, "-c", script, "report", *given], capture_output=True, check=False
    )
    assert plain.returncode in (0, 1)
    assert (plain.returncode, plain.stdout, plain.stderr) == (
        through_typer.returncode,
        through_typer.stdout,
        through_typer.stderr,
    )


def test_every_table_as_a_file(corpus: Path, tmp_path: Path) -> None:
    import polars

    for format_ in ("csv", "parquet"):
        assert print_report([corpus], format_, Wanted(out=tmp_path / format_)) == 0  # type: ignore[arg-type]
        assert {path.name for path in (tmp_path / format_).iterdir()} == {f"{n}.{format_}" for n in SHEETS}
    for name in ("config", "gate", "outcomes", "unreadable"):
        rows = len(by_name(corpus)[name].rows)
        assert polars.read_parquet(tmp_path / "parquet" / f"{name}.parquet").height == rows
    blocked = corpus / "T1-g1-r1" / "meta.json"
    blocked.touch()
    assert print_report([corpus], "csv", Wanted(out=blocked)) == 2


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
        found = gather([Path(folder)]).results()
        assert json.dumps(found) == json.dumps({**results(runs_in(Path(folder))), "runs": []})
        print_plain((sheet(name, found, "") for name in SHEETS), io.StringIO())
        sheets = by_name(Path(folder))
    stops = {row[0]: row[1] for row in sheets["class"].rows}
    everything = sum(found["outcomes"]["stops"].values())
    assert sum(n for name, n in stops.items() if name != "all") == everything
    assert stops.get("all", everything) == everything
    for row in sheets["config"].rows:
        assert row[1] == found["by_cfg"][row[0]]["runs"]
    gates = [row for row in sheets["gate"].rows if "g1 s" not in row[0] and "g1 a" not in row[0]]
    for gate, row in zip(found["by_gate"].values(), gates, strict=True):
        assert row[1:5] == tuple(gate[kind] for kind in ("right", "false", "missed", "clean"))
    assert (found["n_runs"] + len(found["left_out"])) == len(made)


@pytest.mark.shared
def test_published_50_gives_the_published_tables_to_the_last_digit(
    shared: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = shared / "ledgers/published-50"
    assert print_report([folder / "runs"], "md", Wanted(strict=True)) == 0
    assert capsys.readouterr().out.startswith((folder / "expected-results.md").read_text())
    assert print_report([folder / "runs"], "json") == 0
    found = json.loads(capsys.readouterr().out)
    expected = json.loads((folder / "expected-results.json").read_text())
    assert (found["answers"], found["by_task"]) == (expected["answers"], expected["by_task"])
    for cfg, figures in expected["by_cfg"].items():
        assert {key: found["by_cfg"][cfg][key] for key in figures} == figures
    assert print_report([folder / "runs"], "table") == 0
    out = capsys.readouterr().out
    row = next(line for line in out.splitlines() if line.startswith("g1 against bare  "))
    assert row.split()[3:10] == ["10", "0", "5", "2", "0", "+14", "[0\N{EN DASH}34]"]
    assert row.split()[10] == "0.5"
    assert "g1 against bare: +14 points over 5 tasks: p = 0.5" in out


@pytest.mark.parametrize("wanted", [Wanted("stops"), Wanted(by="cfg,kind"), Wanted("gate")])
def test_unit_corpus_and_version_stand_under_rows_and_groups_too(
    corpus: Path, wanted: Wanted, capsys: pytest.CaptureFixture[str]
) -> None:
    assert print_report([corpus], "table", wanted) == 0
    *_, unit, made_of = capsys.readouterr().out.strip().splitlines()
    assert unit.startswith("Unit: ")
    assert made_of.startswith(f"Corpus: {corpus}: ")
    assert made_of.endswith(f"gateview {__version__}.")
