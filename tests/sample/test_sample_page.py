"""The sample with a page is what it says it is, and its matrix runs with a real browser."""

import json
import os
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import jsonschema
import pytest

from gatecore.harness.sample import PAGE, lay_out
from gatecore.ledger.classes import classed_stops, gate_class
from gatecore.ledger.reader import read_run, run_dirs
from gatecore.ledger.records import Signoff
from gatecore.ledger.schema import schema
from gateview.store.rows import row_of
from gateview.store.signoff_log import SignoffLog
from gateview.store.triage import queue
from gateview.store.triage_log import TriageLog

SCRIPTED = PAGE / "scripted"
CONFIGS = tuple(json.loads((PAGE / "configs.json").read_bytes()))
TASKS = ("V1", "V2")
ATTEMPTS = sorted((file.parent.name, file.stem) for file in SCRIPTED.glob("attempts/*/*.patch"))
PLAYED = {
    "V1-g2-r1": [("right", "right"), ("clean", "clean")],
    "V1-g2-r2": [("false", "false"), ("clean", "clean")],
    "V2-g2-r1": [("missed", "skipped")],
    "V2-g2-r2": [("clean", "skipped")],
    "V1-g1234-r1": [("right", None), ("right", "right"), ("clean", "clean")],
    "V1-g1234-r2": [("missed", "missed")],
    "V2-g1234-r2": [("right", "skipped"), ("clean", "skipped")],
}
"""Runs with gate 2: the class of each stop, and that of gate 2 at it."""


def failed_requirements(bench: Path, tree: Path, task: str) -> set[str]:
    report = tree.parent / "report.xml"
    command = [sys.executable, "-m", "pytest", "-q", "--tb=no", "-c", str(bench / "hidden" / "pytest.ini")]
    environ = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    environ |= {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "GATECORE_TREE": str(tree)}
    hidden = bench / "hidden" / f"test_{task}.py"
    done = subprocess.run(
        [*command, f"--junitxml={report}", str(hidden), str(tree / "tests")],
        env=environ, check=False, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode in (0, 1), done.stdout + done.stderr
    return {case.get("name", "") for case in ET.parse(report).iter("testcase") if len(case)}


@pytest.mark.parametrize(("task", "name"), [*ATTEMPTS, *((task, None) for task in TASKS)])
def test_an_attempt_misses_what_its_name_says(task: str, name: str | None, tmp_path: Path) -> None:
    bench = tmp_path / "bench"
    lay_out(bench, PAGE)
    tree = bench / "upstream"
    if name:
        patch = SCRIPTED / "attempts" / task / f"{name}.patch"
        command = ["git", "apply", "--whitespace=error-all", str(patch)]
        subprocess.run(command, cwd=tree, check=True)
        missed = re.match(r"m([1-4]+)", name)
        expected = {f"test_req{n}" for n in (missed[1] if missed else "")}
    else:
        guards = json.loads((PAGE / "hidden" / "guards.json").read_bytes())[task]
        every = re.findall(
            r"^def (test_req\d)", (PAGE / "hidden" / f"test_{task}.py").read_text(), re.MULTILINE
        )
        expected = set(every) - set(guards)
    assert failed_requirements(bench, tree, task) == expected


def test_the_scenarios_fill_the_matrix_and_name_what_is_there() -> None:
    scenarios = json.loads((SCRIPTED / "scenarios.json").read_bytes())
    assert sorted(scenarios) == sorted(f"{t}-{c}-r{rep}" for t in TASKS for c in CONFIGS for rep in (1, 2))
    for run, scenario in scenarios.items():
        assert {(run.partition("-")[0], name) for name in scenario["attempts"]} <= set(ATTEMPTS), run
    for task in TASKS:
        assert (PAGE / "reference" / f"{task}.patch").read_bytes() == (
            SCRIPTED / "attempts" / task / "ref.patch"
        ).read_bytes()


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The runs of `PLAYED`, with a real browser."""
    bench = tmp_path_factory.mktemp("page") / "bench"
    lay_out(bench, PAGE)
    plan = "".join(f"{cfg} {task} {rep[1:]}\n" for task, cfg, rep in (name.split("-") for name in PLAYED))
    (bench / "plan.txt").write_text(plan)
    command = [sys.executable, "-m", "gatecore", "matrix", "--list", "plan.txt", "--jobs", "2"]
    done = subprocess.run(command, cwd=bench, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "awaiting engineer: V1-g1234-r1, V1-g1234-r2, V2-g1234-r2" in done.stderr
    return bench / "runs"


@pytest.mark.browser
def test_the_engineer_has_the_last_word(runs: Path, tmp_path: Path) -> None:
    signed = tmp_path / "runs"
    shutil.copytree(runs, signed)
    assert "3 awaiting engineer" in gateview("watch", "--once", signed)
    words = {"V1-g1234-r1": "approve", "V1-g1234-r2": "send_back"}
    for run, verdict in words.items():
        SignoffLog().append(signed / run, Signoff(verdict=verdict, reason="see there", seconds=60))
    assert "1 awaiting engineer" in gateview("watch", "--once", signed)
    figures = json.loads(gateview("report", signed, "--format", "json"))["signoff"]
    cfg = figures["by_cfg"]["g1234"]
    assert [cfg[kind] for kind in ("approved", "sent_back", "awaiting", "clean", "right")] == [1, 1, 1, 1, 1]
    assert cfg["seconds_known"] == 120
    table = gateview("report", signed, "--table", "signoff", "--format", "md")
    assert "| g1234 | 3 | 1 | 1 | 1 | 1 | 0 | 0 | 1 | 0 | 1/1 100%" in table


@pytest.mark.browser
def test_validation_renders_a_page_and_has_it_looked_at(runs: Path) -> None:
    command = [sys.executable, "-m", "gatecore", "validate", "review"]
    done = subprocess.run(command, cwd=runs.parent, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert "pages rendered and looked at: pictures: 1, 1 before the change; UI approves" in done.stdout


def validator(name: str) -> jsonschema.Draft202012Validator:
    whole = schema()
    return jsonschema.Draft202012Validator({**whole["properties"][name], "$defs": whole["$defs"]})


def gateview(*args: str | Path) -> str:
    command = [sys.executable, "-m", "gateview", *map(str, args)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


@pytest.mark.browser
def test_stops_are_right_false_missed_and_skipped(runs: Path) -> None:
    found = {path.name: read_run(path) for path in run_dirs(runs)}
    classes = {
        name: [(s.kind, s.entry and gate_class(s.entry.stop, "g2")) for s in classed_stops(run)]
        for name, run in found.items()
    }
    assert classes == PLAYED
    for name in PLAYED:
        for line in (runs / name / "gate.jsonl").read_text().splitlines():
            validator("gate.jsonl").validate(json.loads(line))
    stop = found["V1-g2-r1"].entries[0].stop
    assert stop.gate2 is not None
    (before,), (after,) = stop.gate2.before, stop.gate2.after
    assert (after.page, after.width, after.height) == ("index.png", 640, 480)
    assert before.file != after.file
    again = found["V1-g2-r1"].entries[1].stop.gate2
    assert again is not None
    assert again.before == (before,), "the base is rendered once"
    score = found["V1-g1234-r1"].score
    assert score is not None
    assert score.blocks_by_gate == {"g1": 1, "g2": 1, "g3": 0}


@pytest.mark.browser
def test_gate_2_is_in_watch_triage_and_report_like_the_others(runs: Path) -> None:
    line = next(x for x in gateview("watch", "--once", runs).splitlines() if x.startswith("g2 UI review"))
    assert line.split()[3:8] == ["2", "1", "1", "3", "0"]
    figures = json.loads(gateview("report", runs, "--format", "json"))
    g2 = figures["by_gate"]["g2"]
    assert [g2[kind] for kind in ("right", "false", "missed", "clean", "skipped")] == [2, 1, 1, 3, 4]
    assert g2["cost_usd"] > 0
    assert g2["waited_s"] > 0
    assert g2["blocks"] == {"right": 2, "false": 1, "no_oracle": 0}
    assert figures["by_cfg"]["g2"]["right_blocks"] == {"g1": 0, "g2": 1, "g3": 0}
    assert figures["by_cfg"]["g2"]["mean_cost_gate2_usd"] > 0
    grounds = [block for block in figures["blocks"] if block["gate"] == "g2"]
    assert {block["part"] for block in grounds} == {"review UI"}
    assert sum(block["false"] for block in grounds) == 1
    log = TriageLog(runs.parent / "none")
    blocks = [b for path in run_dirs(runs) for b in log.blocks(row_of(path.name, read_run(path)), path)]
    first, *_ = [block for block in queue(blocks) if block.gate == "g2"]
    assert (first.key, first.kind, first.found) == ("V1-g2-r2", "false", "index.html:17")
