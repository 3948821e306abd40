"""Two corpora side by side."""

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
from synthetic_runs import write_run

from gateview.report.command import Wanted, print_comparison


def corpus(folder: Path, met: dict[str, int], cost: float, *, cfg: str = "g1") -> Path:
    for task, passed in met.items():
        fields: dict[str, Any] = {"hidden_pass": passed, "hidden_fail": 5 - passed, "has_result_line": True}
        fields |= {"cost_worker_usd": cost, "cost_total_usd": cost, "wall_s": 60}
        write_run(folder / f"{task}-{cfg}-r1", score=fields)
    return folder


@pytest.fixture
def old(tmp_path: Path) -> Path:
    return corpus(tmp_path / "old", {"T1": 3, "T2": 5, "T3": 1}, 0.2)


@pytest.fixture
def new(tmp_path: Path) -> Path:
    return corpus(tmp_path / "new", {"T1": 5, "T2": 5, "T4": 0}, 0.1)


def test_configs_stand_side_by_side_with_what_their_tasks_can_show(
    old: Path, new: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert print_comparison(old, new, "table", Wanted()) == 0
    out = capsys.readouterr().out
    row = next(line for line in out.splitlines() if line.startswith("g1 ")).split("   ")
    cells = [cell.strip() for cell in row if cell.strip()]
    assert cells[:3] == ["g1", "3", "3"]
    assert cells[5:] == ["2", "+20", "[0\N{EN DASH}40]", "1", "0.200", "0.100", "60", "60"]
    assert "g1: +20 points over 2 tasks: p = 1 (sign-flip test over tasks)" in out
    assert f"old corpus: {old}: 3 runs scored" in out
    assert "\x1b" not in out


def test_json_holds_both(old: Path, new: Path, capsys: pytest.CaptureFixture[str]) -> None:
    corpus(new, {"T1": 2}, 0.1, cfg="g3")
    assert print_comparison(old, new, "json", Wanted()) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["old"]["n_runs"], found["new"]["n_runs"]) == (3, 4)
    assert found["comparisons"].keys() == {"g1"}
    assert found["comparisons"]["g1"]["by_task"] == {"T1": 0.4, "T2": 0.0}


def test_a_config_of_one_side_is_there_without_a_difference(
    old: Path, new: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    corpus(new, {"T1": 2}, 0.1, cfg="g3")
    assert print_comparison(old, new, "md", Wanted()) == 0
    out = capsys.readouterr().out
    row = next(line for line in out.splitlines() if line.startswith("| g3 |")).split(" | ")
    assert row[:4] == ["| g3", "0", "1", "n/a"]
    assert row[5:9] == ["0", "n/a", "n/a", "n/a"]


def test_wrong_use(old: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert print_comparison(old, tmp_path / "absent", "table", Wanted()) == 2
    assert print_comparison(old, old, "csv", Wanted()) == 2
    assert "csv holds one table" in capsys.readouterr().err


def test_one_table_or_every_one_as_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old, new = (corpus(tmp_path / name, {"T1": n, "T2": n}, 0.1) for name, n in (("old", 3), ("new", 5)))
    assert print_comparison(old, new, "csv", Wanted("compare_config")) == 0
    (row,) = csv.DictReader(io.StringIO(capsys.readouterr().out))
    assert (row["tasks in both"], row["requirements old k"], row["requirements new n"]) == ("2", "6", "10")
    assert print_comparison(old, new, "parquet", Wanted(out=tmp_path / "files")) == 0
    assert {path.name for path in (tmp_path / "files").iterdir()} == {
        "compare_config.parquet",
        "compare_gate.parquet",
    }
