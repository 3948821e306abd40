"""The table of faults, last part: numbers that say something else than they seem to, and a log that is cut."""

import json
from datetime import datetime
from pathlib import Path

from gating import DOUBLE, PAYLOAD, NewGate, answer, answering, gated, make_bench

from gatecore.analysis import results, results_md
from gatecore.harness.bench import Bench
from gatecore.harness.score import score
from gatecore.ledger.classes import classed_stops, gate_class, stop_class
from gatecore.ledger.reader import read_run
from gatecore.ledger.tallies import tally_run

FINDING = {"severity": "blocking", "file": "calc.py", "line": 1, "text": "double is not there"}


def test_count_1_2_and_6_repeats_what_was_let_through_and_given_up(tmp_path: Path) -> None:
    """Blocks on an unchanged tree diluted the rates, allows were not counted, give-ups were neither."""
    files = answering(tmp_path)
    files["bench.toml"] += "\n[limits]\ngive_up = 2\n"
    bench = make_bench(tmp_path, **files)
    gate = gated(bench, "g3")
    answer(bench, "A", approve=False, findings=[FINDING])
    answer(bench, "B", approve=True, findings=[])
    assert gate.stop() is not None
    assert gate.stop() is not None
    assert gate.stop() is None
    answer(bench, "A", approve=True, findings=[])
    gate.append("calc.py", "# tried\n")
    assert gate.stop() is None
    gate.append("calc.py", DOUBLE)
    assert gate.stop() is None
    run = read_run(gate.run)
    tally = tally_run(run)
    assert tally.stops == {"right": 2, "gave_up": 1, "missed": 1, "clean": 1}
    assert (tally.blocks, tally.repeats) == (2, 1)
    review = tally.gates["g3"]
    assert review.stops == {"right": 3, "missed": 1, "clean": 1}, "by its own verdict, give-up included"
    assert (review.blocks, review.repeats, review.gave_up) == ({"right": 2}, {"right": 1}, 1)
    assert review.cost.dollars == 0.06, "three stops on one tree are one review, of two calls"
    result = score(bench, gate.run)
    assert (result["give_up"], result["ended_blocked"], result["blocks_total"]) == (True, False, 2)
    assert (result["cost_reviewers_usd"], result["reviewer_findings_total"]) == (0.06, 1)


def test_count_3_an_oracle_that_breaks_makes_no_block_right(new: NewGate, bench: Bench) -> None:
    """A hidden run that crashed was five failed requirements: it is a state of its own, outside the rates."""
    gate = new("g3", "T1")
    answer(bench, "A", approve=False, findings=[FINDING])
    (gate.work / "colorsys.py").write_text("")
    gate.append("calc.py", "\n\nimport colorsys\n" + DOUBLE)
    assert gate.stop() is not None
    assert gate.last()["hidden"] == {"pass": None, "fail": None, "failed_reqs": [], "state": "broken"}
    assert "a new file that hides a module" in gate.last()["checks"]["oracle"]["why"]
    stop = read_run(gate.run).entries[-1].stop
    assert (stop_class(stop), gate_class(stop, "g3")) == ("no_oracle", "no_oracle")


def test_count_4_a_false_block_by_a_suite_that_really_is_red(new: NewGate) -> None:
    """Suite and acceptance are one gate, and two verdicts in the record."""
    gate = new("g1", "T1")
    gate.append("calc.py", DOUBLE)
    (gate.work / "tests" / "test_own.py").write_text("def test_own():\n    assert False\n")
    reason = gate.stop()
    assert reason is not None
    assert reason.startswith("The repository's own test suite fails (1 of 2):\n")
    assert [stop.kind for stop in classed_stops(read_run(gate.run))] == ["false"]
    told = gate.last()["gate1"]
    assert (told["suite"], told["suite_fail"]) == ("fail", 1)
    assert (told["acceptance"], told["gate_tests_fail"]) == ("pass", 0)


def test_count_5_and_6_what_is_not_known_is_not_zero(new: NewGate, bench: Bench) -> None:
    """No result line: cost 0.0 and a wrong model for the whole config. Names and configs were hard-coded."""
    gate = new("g13", "T2")
    gate.append("calc.py", DOUBLE)
    assert gate.stop() is None
    result = score(bench, gate.run)
    assert (result["cost_worker_usd"], result["cost_total_usd"], result["model_ok"]) == (None, None, None)
    assert (result["hidden_fail"], result["wall_s"], result["turns"]) == (None, None, None)
    assert (result["cost_reviewers_usd"], result["cost_testwriter_usd"]) == (0.02, 0.01)
    assert result["reviewer_models"] == ["A", "B"], "and not the writer's"
    odd = gate.run.rename(gate.run.with_name("task_x-mine-r12"))
    for name in ("meta.json", "score.json"):
        fields = json.loads((odd / name).read_bytes())
        (odd / name).write_text(json.dumps({**fields, "task": "task_x", "cfg": "mine", "rep": 12}))
    begun = new("bare", "T2").run
    runs = {path.name: read_run(path) for path in (odd, begun)}
    figures = results(runs)
    assert figures["by_cfg"]["mine"]["runs"] == figures["by_task_all"]["task_x"]["runs"] == 1
    assert figures["by_cfg"]["mine"]["mean_cost_total_usd"] is None
    assert list(figures["left_out"]) == [begun.name]
    for table in results_md(figures).split("\n\n"):
        cells = {row.count("|") for row in table.splitlines() if row.startswith("|")}
        assert len(cells) <= 1, "a row short of a cell"


def test_log_the_ledger_shows_what_the_agent_was_told(new: NewGate, bench: Bench) -> None:
    """The reason was cut at 500, time had no zone and whole seconds, the input was kept for stop 1 alone."""
    gate = new()
    answer(
        bench, "A", approve=False, findings=[{**FINDING, "text": f"{i} " + "word " * 60} for i in range(9)]
    )
    payload = {**PAYLOAD, "last_assistant_message": "Done. ✓"}
    for n in (1, 2):
        reason = gate.stop(payload)
        assert reason is not None
        assert 1400 < len(reason) <= 1500
        assert (gate.last()["reason"], gate.last()["reason_chars"]) == (reason, len(reason))
        assert json.loads((gate.run / f"hook-input-{n}.json").read_bytes()) == payload
        assert datetime.fromisoformat(gate.last()["ts"]).utcoffset() is not None
        assert "." in gate.last()["ts"]
