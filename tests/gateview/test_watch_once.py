"""`gateview` as a command without a terminal: text, JSON, bad input, and what it imports."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from live_dashboard import Growing

from gateview.report.gates import gate_rows
from gateview.store.load import load


def gateview(*arguments: object, **environment: str) -> "subprocess.CompletedProcess[str]":
    """Run the command line as a user does, in a pipe."""
    return subprocess.run(
        [sys.executable, "-m", "gateview", *map(str, arguments)],
        capture_output=True,
        text=True,
        encoding="utf-8",
        env={**os.environ, **environment},
        timeout=60,
        check=False,
    )


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    """Two runs with every class of stop that a record can have."""
    folder = tmp_path / "runs"
    one, two = Growing(folder, "T1-g13-r1"), Growing(folder, "T2-g1-r1")
    review = {"ran": True, "pass": True, "reviewers": [{"id": "A", "error": "529", "cost_usd": 0}]}
    one.append(one.stop() + one.stop(failed=0) + one.stop("allow", gate3=review) + one.stop("give_up"))
    two.append(two.stop("allow", failed=0) + two.stop("error") + two.stop(hidden=None) + two.stop("skipped"))
    one.score(met=4)
    Growing(folder, "T3-bare-r1").score()
    return folder


def assert_equal_to_report(runs: Path) -> dict[str, Any]:
    """The tallies that `watch --once` prints are the report's, as text and as JSON."""
    watched: dict[str, Any] = json.loads(gateview("watch", "--once", "--json", runs).stdout)
    reported = json.loads(gateview("report", runs, "--format", "json").stdout)
    assert len(watched["gates"]) == len(reported["by_gate"])
    for row, (gate, figures) in zip(watched["gates"], reported["by_gate"].items(), strict=True):
        assert row["gate"].startswith(gate)
        for kind in ("right", "false", "missed", "clean", "not_judged", "gave_up"):
            assert row[kind] == figures[kind], (gate, kind)
    stops: dict[str, int] = {}
    for config in reported["by_cfg"].values():
        for kind, number in config["stops"].items():
            stops[kind] = stops.get(kind, 0) + number
    assert watched["stops"] == {kind: number for kind, number in sorted(stops.items()) if number}
    assert watched["unreadable"] == sum(reported["unreadable"].values())
    assert {r["run"] for r in watched["runs"] if r["left_out"]} <= reported["left_out"].keys()

    text = gateview("watch", "--once", runs).stdout
    for row in gate_rows(load([runs]).tallies):
        line = next(line for line in text.splitlines() if line.startswith(row.gate))
        figures = (row.right, row.false, row.missed, row.clean, row.not_judged, row.precision, row.catches)
        assert (
            line.split()
            == " ".join(map(str, (row.gate, *figures, row.cost, row.per_right, row.waited))).split()
        )
    return watched


def test_tallies_equal_the_reports(runs: Path) -> None:
    watched = assert_equal_to_report(runs)
    assert watched["runs"][0]["stops"] == ["right", "false", "missed", "gave_up"]
    assert [run["status"] for run in watched["runs"]] == ["scored", "open", "scored"]


@pytest.mark.shared
@pytest.mark.parametrize("ledgers", ["gate-bench", "published-50"])
def test_tallies_equal_the_reports_on_real_ledgers(shared: Path, ledgers: str) -> None:
    assert_equal_to_report(shared / "ledgers" / ledgers / "runs")


def test_text_is_plain_and_has_signs_or_ascii(runs: Path) -> None:
    done = gateview("watch", runs)
    assert done.returncode == 0
    assert "■□○⊘" in done.stdout
    assert not {c for c in done.stdout if c < " " and c != "\n"}
    for plain in (gateview("watch", runs, "--ascii"), gateview("watch", runs, PYTHONIOENCODING="ascii")):
        assert "BbmG" in plain.stdout
        assert plain.stdout.replace(str(runs), "").isascii()


def test_bad_input_is_told_in_one_line_and_exits_with_2(runs: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "file").touch()
    for arguments, says in (
        (("watch", tmp_path / "nowhere"), "nowhere: no such folder"),
        (("watch", runs, tmp_path / "file"), "file: is a file"),
        (("watch", tmp_path / "empty"), "empty: no run in it"),
        (("report", tmp_path / "nowhere"), "nowhere: no such folder"),
        (("report", tmp_path / "empty"), "empty: no run in it"),
        (("report", runs, "--format", "pdf"), "pdf"),
        (("watch", "--nonsense"), "nonsense"),
        (("demo", "--once", "--dir", runs), "not empty"),
        (("demo", "--once", "--dir", tmp_path / "file"), "file"),
        (("watch", f"{tmp_path}/\x1b[2J"), "␛[2J: no such folder"),
    ):
        done = gateview(*arguments)
        assert (done.returncode, done.stdout) == (2, ""), arguments
        assert says in done.stderr
        assert "Traceback" not in done.stderr


def test_a_reader_that_has_enough_is_no_error_to_talk_about(runs: Path) -> None:
    command = f"{sys.executable} -m gateview watch --once --json {runs} | head -c 10"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=60, check=False)
    assert (len(done.stdout), done.stderr) == (10, "")


HEAVY = ("rich", "textual", "polars")


@pytest.mark.parametrize(
    ("modules", "barred"),
    [
        ("gatecore.ledger.reader, gatecore.ledger.tallies, gatecore.ledger.classes", HEAVY),
        ("gateview.store.tail, gateview.store.view, gateview.store.order, gateview.store.progress", HEAVY),
        ("gateview.store.side, gateview.store.load, gateview.cli", HEAVY),
        ("gateview.lines.runs, gateview.lines.stop, gateview.plain", ("textual", "polars")),
        ("gateview.app", ("polars",)),
    ],
)
def test_no_part_imports_what_it_does_not_need(modules: str, barred: tuple[str, ...]) -> None:
    code = f"import {modules}, sys; print([m for m in {barred!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_help_and_version_import_nothing_heavy() -> None:
    code = (
        "import sys\nfrom gateview.cli import app\n"
        "try: app(sys.argv[1:])\nexcept SystemExit: pass\n"
        "print([m for m in ('rich', 'textual', 'polars', 'msgspec') if m in sys.modules])"
    )
    for argument in ("--help", "--version"):
        done = subprocess.run(
            [sys.executable, "-c", code, argument], capture_output=True, text=True, check=True
        )
        assert done.stdout.strip().splitlines()[-1] == "[]"
