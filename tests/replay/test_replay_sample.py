"""Replays of the committed runs: their own oracle says what it said, another one changes what it should."""

import json
import re
import shutil
from hashlib import sha256
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from replaying import gatecore, labels, lines, report

from gatecore.analysis import results
from gatecore.harness.sample import lay_out
from gatecore.ledger.reader import read_runs

SAMPLE = Path(__file__).parents[2] / "sample_runs"
SCHEMA = json.loads((SAMPLE.parent / "gatecore/ledger/schema.json").read_bytes())


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("sample") / "bench"
    lay_out(root)
    return root


@pytest.fixture(scope="module")
def runs(bench: Path) -> Path:
    """The committed runs after a replay with the oracle that judged them."""
    folder = bench.parent / "kept"
    shutil.copytree(SAMPLE, folder)
    done = gatecore(bench, "replay", folder, "--jobs", "2", "--name", "own")
    assert done.returncode == 0, done.stderr
    assert "replay own: 59 stops judged, 1 not replayed\n" in done.stdout
    assert "T4-g1-r2 stop 1: not replayed: no tree of it was kept" in done.stderr
    return folder


def hashes(folder: Path) -> dict[str, str]:
    files = {path.relative_to(folder): path for path in folder.rglob("*") if path.is_file()}
    return {
        str(name): sha256(path.read_bytes()).hexdigest()
        for name, path in files.items()
        if "replay" not in name.parts
    }


def test_its_own_oracle_reproduces_every_label(runs: Path) -> None:
    recorded = labels(sorted(runs.glob("T*")))
    assert len(recorded) == 58  # of 59 records one has no tree; a 60th stop, killed, has a tree and no record
    assert labels(sorted(runs.glob("T*")), "own") == recorded
    (killed,) = lines(runs / "T4-g13adv-r2/replay/own")
    assert (killed["line"], killed["n"], killed["hidden"]["failed_reqs"]) == (None, 1, ["test_req5"])


def test_nothing_of_the_runs_is_changed(runs: Path) -> None:
    after = hashes(runs)
    assert after.pop("replays.jsonl")
    assert after == hashes(SAMPLE)


def test_every_line_is_as_the_schema_says(runs: Path) -> None:
    for name in ("replay.jsonl", "replay.json", "events.jsonl", "replays.jsonl"):
        validator = jsonschema.Draft202012Validator({**SCHEMA["properties"][name], "$defs": SCHEMA["$defs"]})
        files = [runs / name] if name == "replays.jsonl" else sorted(runs.glob(f"*/replay/own/{name}"))
        texts = [file.read_text() for file in files]
        values = [json.loads(x) for text in texts for x in (text.splitlines() if name[-1] == "l" else [text])]
        assert len(values) >= 32
        for value in values:
            validator.validate(value)


def test_the_figures_are_those_of_the_report(runs: Path) -> None:
    found = json.loads(report(runs, "--replay", "own", "--format", "json").stdout)
    by_gate = results({run.name: run for run in read_runs(runs)})["by_gate"]
    assert len(found["gates"]) == 4
    for row in found["gates"]:
        expected: dict[str, Any] = by_gate[row["gate"]]
        for key in ("right", "false", "missed", "clean", "precision", "sensitivity"):
            assert row[key] == expected[key], row
    assert found["changed"] == found["differ"] == found["flaky"] == []
    assert found["not_replayed"][0]["run"] == "T4-g1-r2"


def test_another_oracle_changes_exactly_the_stops_that_it_should(bench: Path, runs: Path) -> None:
    repaired = bench.parent / "repaired"
    shutil.copytree(bench / "hidden", repaired)
    test = repaired / "test_T1.py"
    test.write_text(
        test.read_text().replace(
            "def test_req4(shares, error):\n", "def test_req4(shares, error):\n    return\n"
        )
    )
    chosen = [path for path in sorted(runs.glob("T1-*")) if (path / "snap-1.diff").is_file()]
    expected = {}
    for stop, (kind, unmet) in labels(chosen).items():
        still = tuple(req for req in unmet if req != "test_req4")
        green = {"right": "false", "missed": "clean"}
        expected[stop] = (kind if still else green.get(kind, kind), still)
    changed = sorted(stop for stop, label in labels(chosen).items() if label[0] != expected[stop][0])
    assert changed == [("T1-g13adv-r1", 2), ("T1-g13adv-r2", 1)]

    done = gatecore(bench, "replay", *chosen, "--jobs", "2", "--oracle", repaired)
    assert done.returncode == 0, done.stderr
    assert labels(chosen, "repaired") == expected
    text = report(*chosen, "--replay", "repaired").stdout
    assert f"2 of {len(expected)} stops changed class" in text
    assert re.search(r"^T1-g13adv-r1 +2 +g1 +right +false +test_req4 +none$", text, re.MULTILINE)
    assert re.search(r"^T1-g13adv-r2 +1 +missed +clean +test_req4 +none$", text, re.MULTILINE)
