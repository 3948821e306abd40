"""Ledgers as frames: schemas, what is null, grouping, and files."""

import io
import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from synthetic_runs import write_run

from gatecore import frames
from gatecore.analysis import results
from gatecore.frames.grouping import GroupingError, grouped
from gatecore.frames.schemas import SCHEMAS
from gatecore.ledger.folders import NoRunsError
from gatecore.ledger.reader import read_runs
from gateview.report.command import Wanted, print_report

STOP = {
    "n": 1,
    "v": 1,
    "stop_id": "s1",
    "decision": "block",
    "blocked_by": "g1",
    "repeat": False,
    "hidden": {"pass": 2, "fail": 3, "failed_reqs": ["a", "b", "c"], "state": "judged"},
    "gate1": {"ran": True, "pass": False, "suite": "pass", "acceptance": "fail", "mode": "block"},
    "checks": {
        "suite": {"verdict": "pass", "seconds": 1.5, "counts": {"passed": 3, "collected": 3}},
        "acceptance": {"verdict": "fail", "failed": ["t.py::test_x", "t.py::test_y"], "exit": 1},
    },
    "reason": "\x1b[31mE\x1b[0m\nmore",
}
REVIEW = {
    "ran": True,
    "pass": False,
    "variant": "indep",
    "reviewers": [
        {
            "id": "A",
            "approve": False,
            "cost_usd": 0.5,
            "findings": [{"severity": "blocking", "text": "boom", "line": 3}],
        },
        {"id": "B", "error": "529", "cost_usd": 0.0},
    ],
    "blocking": [{"severity": "blocking", "text": "boom", "line": 3, "by": "A"}],
}
OLD_STOP = {
    "n": 1,
    "decision": "allow",
    "hidden": {"pass": 5, "fail": 0},
    "gate1": {"ran": True, "pass": True, "suite_pass": 9, "suite_fail": 0}
    | {"gate_tests_present": True, "gate_tests_pass": 4, "gate_tests_fail": 0},
}  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    runs = tmp_path / "runs"
    mine = write_run(
        runs / "T1-g1-r1",
        ledger=[STOP, {"n": 2, "stop_id": "s2", "decision": "block", "blocked_by": "g3", "gate3": REVIEW}],
        meta={"task": "T1", "cfg": "g1", "rep": 1, "harness": "gatecore"},
        score={
            "hidden_pass": 4,
            "hidden_fail": 1,
            "failed_reqs": ["a"],
            "has_result_line": False,
            "cost_worker_usd": 0.0,
        },
    )
    checks = {
        "suite": {"tests": {"s.py::test_a": "passed", "s.py::test_b": "skipped"}},
        "odd": [1],
        "odder": {"tests": 3},
    }
    (mine / "checks-1.json").write_text(json.dumps(checks))
    lines = [
        {"stop_id": "s1", "verdict": "right", "by": "ann"},
        {"stop_id": "s1", "verdict": "false", "by": "ben"},
    ]
    (mine / "triage.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    (mine / "snap-3.diff").touch()
    write_run(runs / "T2-g1-r1", ledger=[OLD_STOP])
    write_run(runs / "T2-g1-r1-trial", ledger=[OLD_STOP])
    return runs


def rows(frame: pl.DataFrame, *columns: str) -> list[tuple[Any, ...]]:
    return frame.select(columns).rows()


def test_each_frame_has_its_schema_whatever_is_there(folder: Path, tmp_path: Path) -> None:
    kinds = {
        "text": pl.String,
        "count": pl.Int64,
        "real": pl.Float64,
        "flag": pl.Boolean,
        "texts": pl.List(pl.String),
    }
    write_run(tmp_path / "little" / "T1-bare-r1", meta={})
    for loaded in (frames.load(folder), frames.load(tmp_path / "little")):
        for name, frame in loaded._asdict().items():
            assert frame.schema == {column: kinds[kind] for column, kind in SCHEMAS[name].items()}
    with pytest.raises(NoRunsError):
        frames.load(tmp_path / "absent")


def test_runs(folder: Path) -> None:
    found = frames.load(folder).runs
    assert rows(found, "run", "task", "cfg", "rep", "counted", "scored", "tag") == [
        ("T1-g1-r1", "T1", "g1", 1, True, True, None),
        ("T2-g1-r1", "T2", "g1", 1, True, False, None),
        ("T2-g1-r1-trial", "T2", "g1", 1, False, False, "-trial"),
    ]
    first = found.row(0, named=True)
    assert first["cost_worker_usd"] is first["cost_total_usd"] is first["model_ok"] is None  # no result line
    assert (first["stops"], first["failed_reqs"], first["harness"]) == (3, ["a"], "gatecore")


def test_stops(folder: Path) -> None:
    found = frames.load(folder).stops
    assert rows(
        found.filter("counted"), "run", "n", "kind", "recorded", "g1", "suite", "acceptance", "g3"
    ) == [
        ("T1-g1-r1", 1, "right", True, "right", "missed", "right", None),
        ("T1-g1-r1", 2, "no_oracle", True, None, None, None, "no_oracle"),
        ("T1-g1-r1", 3, "killed", False, None, None, None, None),
        ("T2-g1-r1", 1, "clean", True, "clean", "clean", "clean", None),
    ]
    assert found["reason"][0] == "␛[31mE␛[0m\nmore"


def test_checks(folder: Path) -> None:
    found = frames.load(folder).checks.filter("counted")
    assert rows(found, "run", "n", "check", "verdict", "seconds", "passed", "failed", "cost_usd") == [
        ("T1-g1-r1", 1, "suite", "pass", 1.5, 3, None, None),
        ("T1-g1-r1", 1, "acceptance", "fail", None, None, None, None),
        ("T1-g1-r1", 1, "oracle", "fail", None, None, None, None),
        ("T1-g1-r1", 2, "review A", "fail", None, None, None, 0.5),
        ("T1-g1-r1", 2, "review B", "not_judged", None, None, None, None),
        ("T2-g1-r1", 1, "suite", "pass", None, 9, 0, None),
        ("T2-g1-r1", 1, "acceptance", "pass", None, 4, 0, None),
        ("T2-g1-r1", 1, "oracle", "pass", None, None, None, None),
    ]


def test_findings_tests_and_triage(folder: Path) -> None:
    found = frames.load(folder)
    assert rows(found.findings, "n", "reviewer", "severity", "line", "blocked") == [
        (2, "A", "blocking", 3, True)
    ]
    assert rows(found.tests, "n", "check", "test", "outcome") == [
        (1, "suite", "s.py::test_a", "passed"),
        (1, "suite", "s.py::test_b", "skipped"),
        (1, "acceptance", "t.py::test_x", "failed"),
        (1, "acceptance", "t.py::test_y", "failed"),
    ]
    assert rows(found.triage, "n", "kind", "by", "verdict", "last") == [
        (1, "right", "ann", "right", False),
        (1, "right", "ben", "false", True),
    ]


def test_groups_leave_out_what_does_not_count(folder: Path) -> None:
    found = frames.load(folder)
    name, groups = grouped(found, ["task"])
    assert (name, rows(groups, "task", "runs", "met", "judged")) == (
        "runs",
        [("T1", 1, 4, 5), ("T2", 1, None, None)],
    )
    name, groups = grouped(found, ["cfg", "kind"])
    assert name == "stops"
    assert rows(groups, "kind", "stops") == [("clean", 1), ("killed", 1), ("no_oracle", 1), ("right", 1)]
    assert rows(grouped(found, ["counted"])[1], "counted", "runs") == [(False, 1), (True, 2)]
    assert grouped(found, ["cfg"], "stops")[1]["stops"].to_list() == [4]
    assert "error n" in grouped(found, ["error"])[1].columns  # a column and a count of one name
    assert grouped(found, ["failed_reqs"], "stops")[1]["failed_reqs"].to_list() == ["", "a b c", None]
    with pytest.raises(GroupingError, match="no frame has the columns check, alarms"):
        grouped(found, ["check", "alarms"])


@pytest.mark.parametrize("name", list(SCHEMAS))
def test_frames_as_csv_and_parquet(
    folder: Path, name: str, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    frame: pl.DataFrame = getattr(frames.load(folder), name)
    assert print_report([folder], "csv", Wanted(name)) == 0
    out = capfdbinary.readouterr().out
    assert b"\x1b" not in out
    assert pl.read_csv(io.BytesIO(out), infer_schema=False).height == frame.height
    assert print_report([folder], "parquet", Wanted(name)) == 0
    assert pl.read_parquet(io.BytesIO(capfdbinary.readouterr().out)).equals(frame)
    for format_ in ("table", "md", "json"):
        assert print_report([folder], format_, Wanted(name)) == 0  # type: ignore[arg-type]


def test_by_prints_groups_in_any_format(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert print_report([folder], "table", Wanted(by="checks.check, verdict")) == 0
    out = capsys.readouterr().out
    assert out.startswith("checks by check, verdict\n")
    assert print_report([folder], "csv", Wanted(by="cfg")) == 0
    assert capsys.readouterr().out.splitlines()[1].startswith("g1,2,1,4,5,")


@pytest.mark.shared
@pytest.mark.parametrize("corpus", ["published-50", "gate-bench"])
def test_frames_agree_with_the_tables(shared: Path, corpus: str) -> None:
    runs = shared / "ledgers" / corpus / "runs"
    found, loaded = results({run.name: run for run in read_runs(runs)}), frames.load(runs)
    counted = loaded.stops.filter("counted")
    for cfg, figures in found["by_cfg"].items():
        for kind, n in figures["stops"].items():
            assert counted.filter(cfg=cfg, kind=kind).height == n
        of_cfg = loaded.runs.filter("counted", cfg=cfg)
        assert of_cfg["hidden_pass"].sum() == figures["hidden_reqs_passed"]
        assert of_cfg["cost_total_usd"].mean() == pytest.approx(figures["mean_cost_total_usd"], abs=5e-5)
    for gate, figures in found["by_gate"].items():
        for kind in ("right", "false", "missed", "clean", "not_judged"):
            assert counted.filter(pl.col(gate) == kind).height == figures[kind]
    assert set(loaded.runs.filter(pl.col("left_out").is_not_null())["run"]) == set(found["left_out"])
