"""Ledgers that the original harness wrote, without trees and stores, judged again on somebody else's bench."""

import shutil
from pathlib import Path

import pytest
from notedb import lay_out
from replaying import gatecore, labels, lines

pytestmark = pytest.mark.shared


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory, shared: Path) -> Path:
    return lay_out(shared, tmp_path_factory.mktemp("notedb") / "bench")


@pytest.fixture(scope="module")
def runs(bench: Path, shared: Path) -> Path:
    """The runs after a replay with the bench's oracle; the tagged ones are left out."""
    folder = bench.parent / "kept"
    shutil.copytree(shared / "ledgers/gate-bench/runs", folder, copy_function=shutil.copyfile)
    done = gatecore(bench, "replay", folder, "--jobs", "2")
    assert done.returncode == 0, done.stderr
    assert "replay hidden: 43 stops judged, 0 not replayed\n" in done.stdout
    assert done.stderr.count("left out: tagged") == 11
    return folder


def test_every_label_of_the_original_is_reproduced_from_the_diffs(runs: Path) -> None:
    counted = [path.parents[1] for path in runs.glob("*/replay/hidden")]
    recorded = labels(counted)
    assert len(recorded) == 43
    assert labels(counted, "hidden") == recorded
    assert {line["source"] for path in counted for line in lines(path / "replay/hidden")} == {"diff"}


def test_a_tagged_run_that_is_named_is_judged_also_where_its_record_was_cut_or_its_hook_killed(
    bench: Path, runs: Path
) -> None:
    named = [runs / name for name in ("T3-g1-r2-cut", "T3-g1-r1-killed", "T1-g1-r1-val2")]
    done = gatecore(bench, "replay", *named, "--jobs", "2", "--name", "named")
    assert done.returncode == 0, done.stderr
    found = [[(line["line"], line["n"]) for line in lines(path / "replay/named")] for path in named]
    assert found == [[(None, 1)], [(None, 1)], [(n, n) for n in range(1, 8)]]
    assert labels(named[2:], "named") == labels(named[2:])


def test_another_oracle_changes_only_what_it_should(bench: Path, runs: Path) -> None:
    """Without its fourth requirement, a stop that failed on it alone is green."""
    other = bench.parent / "other"
    shutil.copytree(bench / "hidden", other)
    test = other / "test_T5.py"
    test.write_text(test.read_text().replace("def test_req4", "def no_test_req4"))
    chosen = [path.parents[1] for path in sorted(runs.glob("T5-*/replay/hidden"))]
    done = gatecore(bench, "replay", *chosen, "--jobs", "2", "--oracle", other)
    assert done.returncode == 0, done.stderr
    green = {"right": "false", "missed": "clean"}
    expected = {
        stop: (
            green.get(kind, kind) if unmet == ("test_req4",) else kind,
            tuple(r for r in unmet if r != "test_req4"),
        )
        for stop, (kind, unmet) in labels(chosen).items()
    }
    assert labels(chosen, "other") == expected
    assert expected != labels(chosen)
