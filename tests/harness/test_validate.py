"""`gatecore validate` on a bench that is right, and on benches that are not."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from gating import make_bench

from gatecore.harness.bench import Bench
from gatecore.harness.sample import lay_out
from gatecore.harness.validate import validate
from gatecore.ledger.reader import read_run

REFERENCE = """\
diff --git a/calc.py b/calc.py
--- a/calc.py
+++ b/calc.py
@@ -1,2 +1,6 @@
 def add(a, b):
     return a + b
+
+
+def double(n):
+    return n * 2
"""
BREAK = """\
diff --git a/calc.py b/calc.py
--- a/calc.py
+++ b/calc.py
@@ -1,2 +1,2 @@
 def add(a, b):
-    return a + b
+    return a - b
"""
STRICT = """
    import pytest


    def test_doubles():
        from calc import double
        assert double(4) == 8


    def test_refuses_text():
        from calc import double
        with pytest.raises(TypeError):
            double("a")


    def test_adds():
        from calc import add
        assert add(1, 1) == 2
    """
GUARD = "\n\ndef test_req3():\n    from calc import add\n    assert add(1, 1) == 2\n"
ORACLE = "def test_req1():\n    from calc import double\n    assert double(2) == 4\n"


def bench_with(root: Path, **files: str) -> Bench:
    """A bench that is right, but for `files`."""
    right = {"reference/T1.patch": REFERENCE, "inject/break.patch": BREAK, "hidden/test_T1.py": ORACLE}
    return make_bench(root, **{**right, **files})


def wrong(bench: Bench, part: str) -> dict[str, str]:
    return {step.name: step.said for step in validate(bench, part) if not step.ok}


def scenarios(**entries: object) -> dict[str, str]:
    return {"scripted/scenarios.json": json.dumps(entries)}


def test_the_sample_bench_is_right(tmp_path: Path) -> None:
    lay_out(tmp_path / "b")
    command = [sys.executable, "-m", "gatecore", "validate"]
    done = subprocess.run(command, cwd=tmp_path / "b", capture_output=True, text=True, check=False)
    lines = done.stdout.splitlines()
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    assert len(lines) == 19
    assert [line for line in lines if not line.startswith("OK    ")] == []
    assert "OK    oracle T1: fails on upstream: 4 requirements fail; guards: test_req5" in lines
    run = read_run(tmp_path / "b" / "runs" / "T1-g1-r1-val2")
    assert run.tag == "val2"
    assert {entry.stop.decision for entry in run.entries} == {"block", "give_up"}
    recorded = json.loads((tmp_path / "b" / "validation" / "hook.json").read_bytes())
    assert recorded["client_version"] == "2.1.332 (scripted)"
    assert "stop_hook_active" in recorded["hook_input_keys"]
    assert Path(recorded["settings"]).is_file()

    again = subprocess.run(
        [*command, "writer"], cwd=tmp_path / "b", capture_output=True, text=True, check=True
    )
    rows = again.stdout.splitlines()
    assert rows == [line.replace("; written, ", "; kept, ") for line in lines if " writer T" in line]


def test_a_stray_pass_is_named_with_what_to_do(tmp_path: Path) -> None:
    bench = bench_with(tmp_path, **{"hidden/test_T1.py": ORACLE + GUARD})
    said = wrong(bench, "oracle")
    assert said == {
        "oracle T1: fails on upstream": "test_req3 passes (a guard of existing behaviour? "
        "name it in hidden/guards.json)"
    }
    (bench.root / "hidden" / "guards.json").write_text('{"T1": ["test_req3"]}')
    assert wrong(bench, "oracle") == {}
    (bench.root / "hidden" / "guards.json").write_text('{"T1": ["test_req3", "test_req1"]}')
    assert list(wrong(bench, "oracle").values()) == [
        "test_req1 is named in hidden/guards.json and does not pass"
    ]
    (bench.root / "hidden" / "guards.json").write_text('["T1"]')
    assert "guards.json: must be an object of lists" in wrong(bench, "oracle")["oracle"]


@pytest.mark.parametrize(
    ("files", "name", "words"),
    [
        (
            {"reference/T1.patch": BREAK},
            "the reference passes",
            "oracle: test_req1 fail; suite: 1 tests fail",
        ),
        ({"reference/T1.patch": "no patch"}, "the reference passes", "patch"),
        ({"hidden/test_T1.py": "def test_req1(:\n"}, "fails on upstream", "the oracle is broken"),
        ({"hidden/test_T1.py": "def test_it(): pass\n"}, "fails on upstream", "the oracle is absent"),
        ({"upstream/tests/test_calc.py": "def test_red(): assert 0\n"}, "suite: green on", "1 tests fail"),
    ],
)
def test_a_wrong_oracle_or_reference_is_told(
    tmp_path: Path, files: dict[str, str], name: str, words: str
) -> None:
    said = {
        step: text for step, text in wrong(bench_with(tmp_path, **files), "oracle").items() if name in step
    }
    assert [words in text for text in said.values()] == [True], said


def test_what_is_missing_is_named(tmp_path: Path) -> None:
    bench = bench_with(tmp_path, **{"tasks/T2.md": "more\n"})
    (bench.root / "reference" / "T1.patch").unlink()
    (bench.root / "inject" / "break.patch").unlink()
    said = wrong(bench, "oracle")
    assert f"{bench.root}/reference/T1.patch: missing" in said["oracle T1: the reference passes"]
    assert said["oracle T2"] == f"{bench.root}/hidden/test_T2.py is missing"
    assert f"{bench.root}/inject/break.patch is missing" in wrong(bench, "hook")["hook"]


def test_an_agent_that_goes_on_after_a_red_start(tmp_path: Path) -> None:
    played = scenarios(**{"T1-g1-r1-val2": {"attempts": [None], "refuse": True}})
    bench = bench_with(tmp_path, **played)
    steps = list(validate(bench, "hook"))
    assert [step for step in steps if not step.ok] == []
    assert len(steps) == 5
    red = read_run(bench.runs / "T1-g1-r1-val3red").entries[0].stop
    assert red.reason.startswith("The repository's own test suite fails (1 of 1)")
    assert (red.gate1 and red.gate1.gate_tests_present) is False


def test_a_start_that_is_not_red_is_no_trial(tmp_path: Path) -> None:
    played = scenarios(**{"T1-g1-r1-val2": {"attempts": [None]}})
    bench = bench_with(tmp_path, **played, **{"inject/break.patch": REFERENCE})
    assert list(wrong(bench, "hook")) == [
        "hook: a red start is blocked (T1-g1-r1-val2)",
        "hook: the agent goes on after the feedback",
        "hook by hand: a red copy is blocked with the suite's summary",
    ]


def test_reviewers_whose_answer_is_none_are_wrong(tmp_path: Path) -> None:
    answers = {"A": {"approve": False, "findings": []}, "B": {"error": "prose"}}
    bench = bench_with(tmp_path, **scenarios(change={"reviews": {"1": answers}}))
    (said,) = wrong(bench, "review").values()
    assert said.startswith("A does not approve, findings: 0; B: answered without the structured output")


def test_predicted_false_blocks_are_named_and_are_not_wrong(tmp_path: Path) -> None:
    bench = bench_with(
        tmp_path, **scenarios(none={"writer": "strict"}), **{"scripted/gate/T1/strict.py": STRICT}
    )
    (step,) = validate(bench, "writer")
    assert step.ok
    assert step.said.startswith(
        " 3 tests,  1 passing on upstream (what is there already), "
        "1 failing on the reference (predicted false blocks: test_refuses_text); written, $0."
    )
    assert (bench.validation("T1") / "gate_tests" / "test_T1.py").is_file()


def test_a_writer_that_writes_nothing_is_wrong_and_fresh_asks_again(tmp_path: Path) -> None:
    bench = bench_with(tmp_path, **scenarios(none={"writer": "fail"}))
    (said,) = wrong(bench, "writer").values()
    assert said.startswith("no tests that may judge: answered without the structured output")
    (bench.root / "scripted" / "scenarios.json").write_text("{}")
    assert [step.ok for step in validate(bench, "writer")] == [True]
    (bench.root / "scripted" / "scenarios.json").write_text('{"none": {"writer": "fail"}}')
    assert [step.ok for step in validate(bench, "writer")] == [True]
    assert [step.ok for step in validate(bench, "writer", fresh=True)] == [False]


def test_a_step_that_is_wrong_exits_with_1(tmp_path: Path) -> None:
    bench = bench_with(tmp_path, **{"hidden/test_T1.py": ORACLE + GUARD})
    command = [sys.executable, "-m", "gatecore", "validate", "oracle", "--bench", str(bench.root)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout.splitlines()[-1] == "1 step is wrong"
    assert [line[:6] for line in done.stdout.splitlines()[:-1]] == ["OK    ", "WRONG ", "OK    "]
