"""The committed run directories: what a reader of the repository tries first."""

import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from gatecore.harness.sample import lay_out
from gatecore.ledger.classes import classed_stops
from gatecore.ledger.reader import read_runs
from gatecore.ledger.run import Run

SAMPLES = Path(__file__).parents[1] / "sample_runs"


@pytest.fixture(scope="module")
def runs() -> list[Run]:
    return read_runs(SAMPLES)


def test_every_class_of_stop_that_the_demo_plays_is_there(runs: list[Run]) -> None:
    kinds = Counter(stop.kind for run in runs for stop in classed_stops(run))
    assert len(runs) == 40
    assert {"right", "false", "missed", "clean", "gave_up", "error", "killed"} <= kinds.keys()
    assert any(r.error for run in runs for e in run.entries if e.stop.gate3 for r in e.stop.gate3.reviewers)


def test_they_are_whole_and_untouched(runs: list[Run]) -> None:
    for run in runs:
        assert run.losses == (), run.name
        assert run.score is not None, run.name
        assert run.score.tampered == (), run.name
        assert all(entry.chained for entry in run.entries), run.name


def test_no_path_of_a_machine_is_in_them_and_they_are_small() -> None:
    files = [path for path in SAMPLES.rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) < 3_000_000
    machine = [str(path).encode() for path in (SAMPLES.parent, Path.home(), Path(sys.prefix))]
    machine += [rb"/Users/", rb"/root/"]
    assert [str(f) for f in files if any(place in f.read_bytes() for place in machine)] == []


def test_every_stops_tree_is_rebuilt_from_its_snapshot(runs: list[Run], tmp_path: Path) -> None:
    lay_out(tmp_path / "bench")
    upstream = tmp_path / "bench" / "upstream"
    rebuilt = 0
    for run in runs:
        for entry in run.entries:
            stop = entry.stop
            patch = SAMPLES / run.name / f"snap-{stop.n}.diff"
            if stop.tree is None:
                continue
            assert stop.base is not None
            index = {"GIT_INDEX_FILE": str(tmp_path / "index"), "PATH": "/usr/bin:/bin:/usr/local/bin"}
            for command in (["read-tree", stop.base], ["apply", "--cached", "--allow-empty", str(patch)]):
                subprocess.run(["git", *command], cwd=upstream, env=index, check=True)
            tree = subprocess.check_output(["git", "write-tree"], cwd=upstream, env=index, text=True)
            assert tree.strip() == stop.tree, (run.name, stop.n)
            rebuilt += 1
    assert rebuilt > 50
