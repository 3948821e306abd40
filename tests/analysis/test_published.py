"""The figures of the original harness, reproduced from its own ledgers."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from gatecore.analysis import analyze, results, results_md
from gatecore.ledger.reader import read_runs

pytestmark = pytest.mark.shared

NAMED_DIFFERENCES = {
    # The original hard-codes five tasks; of two of them gate-bench has no run that counts.
    "by_task.T2": "no run of T2",
    "by_task.T4": "no run of T4",
    "by_task_all.T2": "no run of T2",
    "by_task_all.T4": "no run of T4",
}


def figures(runs: Path) -> dict[str, Any]:
    return results({run.name: run for run in read_runs(runs)})


def differences(expected: Any, found: Any, path: str = "") -> dict[str, tuple[Any, Any]]:
    """What differs, by path, in the keys of `expected`; keys that are only in `found` are additions."""
    if isinstance(expected, Mapping) and isinstance(found, Mapping):
        return {
            where: pair
            for key, value in expected.items()
            for where, pair in differences(
                value, found.get(key, "absent"), f"{path}.{key}".lstrip(".")
            ).items()
        }
    return {} if expected == found else {path: (expected, found)}


def test_published_50_equals_the_published_tables_to_the_last_digit(shared: Path) -> None:
    folder = shared / "ledgers/published-50"
    expected = json.loads((folder / "expected-results.json").read_text())
    found = figures(folder / "runs")
    assert len(expected["by_cfg"]) == 5
    assert differences(expected, found) == {}
    assert list(found["by_cfg"]) == list(expected["by_cfg"])
    assert list(found["by_task"]) == list(expected["by_task"])
    assert found["by_task"] == expected["by_task"]
    assert found["answers"] == expected["answers"]
    assert found["runs"] == expected["runs"]
    assert results_md(found) == (folder / "expected-results.md").read_text()


def test_gate_bench_equals_its_results_but_for_named_differences(shared: Path) -> None:
    folder = shared / "ledgers/gate-bench"
    expected = json.loads((folder / "results.json").read_text())
    found = figures(folder / "runs")
    assert differences(expected, found).keys() == NAMED_DIFFERENCES.keys()
    assert [run["run"] for run in found["runs"]] == [run["run"] for run in expected["runs"]]
    absent = ("| T2 |", "| T4 |")
    lines = (folder / "results.md").read_text().splitlines(keepends=True)
    assert results_md(found) == "".join(line for line in lines if not line.startswith(absent))


@pytest.mark.parametrize("corpus", ["published-50", "gate-bench"])
def test_stops_and_gates_agree_with_the_originals_columns(shared: Path, corpus: str) -> None:
    found = figures(shared / "ledgers" / corpus / "runs")
    for gate in ("g1", "g3"):
        blocks = found["by_gate"][gate]["blocks"]
        for kind in ("right", "false"):
            columns = sum(figures[f"{kind}_blocks"][gate] for figures in found["by_cfg"].values())
            assert blocks[kind] == columns
    for figures_ in (*found["by_cfg"].values(), *found["by_task_all"].values()):
        stops = figures_["stops"]
        assert stops["right"] == sum(figures_["right_blocks"].values())
        assert stops["false"] == sum(figures_["false_blocks"].values())
        assert stops["gave_up"] == figures_["give_ups"]


def test_gate_bench_names_what_is_left_out_and_unreadable(shared: Path) -> None:
    found = figures(shared / "ledgers/gate-bench/runs")
    assert len(found["left_out"]) == 11
    assert found["left_out"]["T3-g1-r2-cut"] == "tagged: cut"
    assert found["unreadable"] == {"lines": 1, "files": 0, "fields": 0}
    assert found["outcomes"]["ended_blocked"] == ["T1-g1-r1"]
    assert found["outcomes"]["wrong_model"] == ["T5-bare-r2"]
    assert found["by_gate"]["g3"]["not_judged"] == 2  # a reviewer that erred approved nothing
    assert found["by_gate"]["g3"]["cost_usd"] is None  # and its cost is not known


def test_analyze_writes_both_files(shared: Path, tmp_path: Path) -> None:
    runs = shared / "ledgers/published-50/runs"
    analyze(runs, tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["results.json", "results.md"]
    assert json.loads((tmp_path / "results.json").read_text()) == figures(runs)
    expected = runs.parent / "expected-results.md"
    assert (tmp_path / "results.md").read_bytes() == expected.read_bytes()
