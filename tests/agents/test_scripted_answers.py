import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from scripted_bench import CHALLENGER, COMMAND, INDEP, WRITER, Bench

SAMPLES = Path(__file__).parents[2] / "../shared/claude-code-samples"
FINDING = {"severity": "blocking", "file": "calc.py", "line": 2, "text": "wrong sign"}
REVIEW = {"approve": False, "findings": [FINDING]}


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def test_writer_answers_with_the_file_of_its_kind(bench: Bench) -> None:
    played = bench.play({"attempts": [], "writer": "firm"}, schema=WRITER)
    text = (bench.scripted / "gate/T1/firm.py").read_text()
    assert (played.code, played.result["structured_output"]) == (0, {"file": text})
    assert json.loads(played.result["result"]) == {"file": text}
    assert "StructuredOutput" in played.of("init")[0]["tools"]
    assert 0.04 < played.result["total_cost_usd"] < 0.1


def test_writer_of_kind_fail_answers_in_prose(bench: Bench) -> None:
    played = bench.play({"attempts": [], "writer": "fail"}, schema=WRITER)
    assert (played.code, played.result["subtype"], played.result["is_error"]) == (0, "success", False)
    assert "structured_output" not in played.result


def test_writer_of_kind_empty_writes_nothing_that_pytest_collects(bench: Bench) -> None:
    played = bench.play({"attempts": [], "writer": "empty"}, schema=WRITER)
    text = played.result["structured_output"]["file"]
    assert "def test_" in text
    (bench.folder / "test_empty.py").write_text(text)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_empty.py"]
    environ = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    done = subprocess.run(command, cwd=bench.folder, env=environ, capture_output=True, check=False)
    assert (done.returncode, b"no tests ran" in done.stdout) == (5, True)


def test_writer_of_an_unknown_kind(bench: Bench) -> None:
    played = bench.play({"attempts": [], "writer": "bold"}, schema=WRITER)
    assert (played.code, played.lines) == (1, [])
    assert "gate/T1/bold.py" in played.stderr


@pytest.mark.parametrize(
    ("stop", "reviewer", "schema", "answer"),
    [
        ("1", "A", INDEP, REVIEW),
        ("1", "B", INDEP, {"approve": True, "findings": []}),
        ("2", "A", INDEP, {"approve": True, "findings": []}),
        ("2", "B", CHALLENGER, {"verdicts": [], "added_findings": [], "approve": True}),
    ],
    ids=["given", "other reviewer", "other stop", "challenger"],
)
def test_reviews_by_stop_and_reviewer(
    bench: Bench, stop: str, reviewer: str, schema: dict[str, Any], answer: dict[str, Any]
) -> None:
    played = bench.play(
        {"attempts": [], "reviews": {"1": {"A": REVIEW}}},
        schema=schema,
        GATECORE_SCRIPTED_STOP=stop,
        GATECORE_SCRIPTED_REVIEWER=reviewer,
    )
    assert (played.code, played.result["structured_output"]) == (0, answer)
    assert 0.015 < played.result["total_cost_usd"] < 0.035


def review(bench: Bench, answer: dict[str, Any], *flags: str) -> Any:
    return bench.play(
        {"attempts": [], "reviews": {"1": {"A": answer}}},
        *flags,
        schema=INDEP,
        GATECORE_SCRIPTED_STOP="1",
        GATECORE_SCRIPTED_REVIEWER="A",
    )


def test_an_answer_that_breaks_the_schema(bench: Bench) -> None:
    played = review(bench, {"approve": "yes"})
    result = played.result
    assert (played.code, result["is_error"]) == (1, True)
    assert result["subtype"] == "error_max_structured_output_retries"
    assert result["terminal_reason"] == "structured_output_retry_exhausted"
    assert "must have required property 'findings', /approve: must be boolean" in result["errors"][0]
    assert [name for name, _ in played.tools()].count("StructuredOutput") == 5
    assert not {"result", "structured_output"} & set(result)


def test_erring_reviewers(bench: Bench) -> None:
    no_json = review(bench, {"error": "nojson"})
    assert (no_json.code, no_json.result["is_error"]) == (1, True)
    assert no_json.result["terminal_reason"] == "api_error"
    prose = review(bench, {"error": "prose"})
    assert (prose.code, prose.result["subtype"], prose.result["is_error"]) == (0, "success", False)
    assert "structured_output" not in prose.result


def test_a_hanging_reviewer_hangs(bench: Bench) -> None:
    scenario = {"r1": {"attempts": [], "reviews": {"1": {"A": {"error": "hang"}}}}}
    (bench.scripted / "scenarios.json").write_text(json.dumps(scenario))
    environ = bench.environ() | {"GATECORE_SCRIPTED_STOP": "1", "GATECORE_SCRIPTED_REVIEWER": "A"}
    command = [*COMMAND, *bench.flags((), INDEP), "Review."]
    with pytest.raises(subprocess.TimeoutExpired):
        subprocess.run(command, cwd=bench.project, env=environ, capture_output=True, check=False, timeout=0.5)


def test_a_call_that_is_not_isolated_runs_the_project_s_hooks(bench: Bench) -> None:
    """As with the real client: it shows, and once the answer is given a block has no effect."""
    ran = bench.folder / "ran"
    block = f"""touch '{ran}'; echo '{{"decision":"block"}}'"""
    settings = {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": block}]}]}}
    (bench.project / ".claude").mkdir()
    (bench.project / ".claude/settings.json").write_text(json.dumps(settings))
    review(bench, REVIEW)
    assert not ran.exists()
    played = review(bench, REVIEW, "--setting-sources", "project")
    assert ran.exists()
    assert (played.code, played.result["structured_output"]) == (0, REVIEW)


def test_json_format_prints_the_one_result(bench: Bench) -> None:
    played = bench.play({"attempts": ["half"]}, "--output-format", "json", hooks=["true"])
    assert [line["type"] for line in played.lines] == ["result"]
    assert "a - b" in (bench.project / "calc.py").read_text()


@pytest.mark.shared
def test_results_have_the_structure_of_the_samples(bench: Bench) -> None:
    if not SAMPLES.exists():
        pytest.skip("the samples of the real client are not beside the repository")
    for sample, answer in (
        ("result-structured", REVIEW),
        ("result-structured-missing", {"error": "prose"}),
        ("result-structured-invalid", {}),
    ):
        theirs = json.loads((SAMPLES / f"{sample}.json").read_text())
        played = review(bench, answer)
        assert set(played.result) <= set(theirs)
        for key in ("type", "subtype", "is_error", "stop_reason", "terminal_reason"):
            assert played.result[key] == theirs[key]
        assert played.code == int(theirs["is_error"])
