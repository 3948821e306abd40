"""Rules of the figures, on runs made of structs."""

import json
from collections import Counter
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from synthetic_runs import runs

from gatecore.analysis import results, results_md
from gatecore.ledger.order import config_order, natural
from gatecore.ledger.records import RunMeta, Score, Stop
from gatecore.ledger.run import Activity, Entry, Loss, Run
from gatecore.ledger.tallies import tally_run, total

SCORED = Score(hidden_pass=3, hidden_fail=2, failed_reqs=("test_req1", "test_req2"), has_result_line=True)


def scored(name: str, **fields: object) -> Run:
    known = {key: getattr(SCORED, key) for key in SCORED.__struct_fields__} | fields
    return Run(name, score=Score(**known))


def by_name(*made: Run) -> dict[str, Run]:
    return {run.name: run for run in made}


@given(runs(), st.randoms(use_true_random=False))
def test_the_order_of_reading_does_not_matter(made: dict[str, Run], random) -> None:
    keys = list(made)
    random.shuffle(keys)
    one, other = results(made), results({key: made[key] for key in keys})
    assert json.dumps(one) == json.dumps(other)
    assert results_md(one) == results_md(other)


def test_a_mean_at_the_edge_of_rounding_does_not_depend_on_the_order() -> None:
    costs = (0.358833, 0.544705, 0.886337, 0.703925)  # summed one by one, some orders give 0.6234
    for order in permutations(costs):
        made = by_name(
            *(
                scored(f"T1-g1-r{i}", cost_worker_usd=cost, cost_total_usd=cost)
                for i, cost in enumerate(order)
            )
        )
        assert results(made)["by_cfg"]["g1"]["mean_cost_total_usd"] == 0.6235


@given(runs())
def test_totals_are_the_sums_of_their_parts(made: dict[str, Run]) -> None:
    found = results(made)
    cells = [cell for row in found["by_task"].values() for cell in row.values() if cell]
    for part in (found["by_cfg"].values(), found["by_task_all"].values(), cells):
        assert sum(figures["runs"] for figures in part) == found["n_runs"] == len(found["runs"])
    for part in (found["by_cfg"], found["by_task_all"]):
        stops: Counter[str] = Counter()
        for figures in part.values():
            stops.update(figures["stops"])
            known = figures["runs"] - figures["unknown"].get("runs_fully_passing", 0)
            assert (figures["runs_fully_passing"] is None) == (known == 0 < figures["runs"])
        assert +stops == +Counter(found["outcomes"]["stops"])
    whole = total(tally_run(run) for run in made.values() if run.counted)
    assert +Counter(found["outcomes"]["stops"]) == Counter(whole.stops)
    blocks = [e for run in made.values() if run.counted for e in run.entries if e.stop.decision == "block"]
    assert found["outcomes"]["blocks"] == len(blocks)
    for gate, figures in found["by_gate"].items():
        assert sum(figures["blocks"].values()) <= found["outcomes"]["blocks"]
        assert figures["right"] == whole.gates[gate].stops.get("right", 0)


@given(runs())
def test_every_run_is_either_in_the_columns_or_left_out_by_name(made: dict[str, Run]) -> None:
    found = results(made)
    assert found["n_runs"] + len(found["left_out"]) == len(made)
    assert found["left_out"].keys() == {key for key, run in made.items() if not (run.counted and run.score)}


def test_a_run_without_result_line_has_an_unknown_cost_and_model() -> None:
    silent = {"has_result_line": False, "cost_worker_usd": 0.0, "cost_total_usd": 0.0, "model_ok": False}
    made = by_name(
        scored("T1-bare-r1", **silent),
        scored("T1-bare-r2", cost_worker_usd=0.08, cost_total_usd=0.09, model_ok=True),
        scored("T2-g1-r1", **silent),
    )
    found = results(made)
    bare, g1 = found["by_cfg"]["bare"], found["by_cfg"]["g1"]
    assert (bare["mean_cost_worker_usd"], bare["mean_cost_total_usd"], bare["model_ok"]) == (0.08, 0.09, True)
    assert bare["unknown"]["mean_cost_total_usd"] == bare["unknown"]["model_ok"] == 1
    assert (g1["mean_cost_total_usd"], g1["model_ok"]) == (None, None)
    assert found["outcomes"]["no_result_line"] == ["T1-bare-r1", "T2-g1-r1"]
    assert "| g1 | 1 | 3/5 (60%) | 0 | ? | ? (? + ? + ?) | ? | ? | ?/? | ?/? | ? | ? | ? |" in results_md(
        found
    )


def test_what_no_score_tells_is_null_and_not_zero() -> None:
    found = results(by_name(Run("T1-g1-r1", score=Score())))
    figures = found["by_cfg"]["g1"]
    known = {key for key, value in figures.items() if value not in (None, {"g1": None, "g3": None})}
    # Without a writer's file there are no acceptance tests, whatever else is not known.
    assert known == {"runs", "gate_tests_total", "gate_tests_fail_final", "missed_reqs", "unknown", "stops"}


def test_an_oracle_that_judged_nothing_is_no_passing_run() -> None:
    made = by_name(
        scored("T1-g1-r1", hidden_pass=0, hidden_fail=0), scored("T1-g1-r2", hidden_pass=5, hidden_fail=0)
    )
    figures = results(made)["by_cfg"]["g1"]
    assert (figures["hidden_reqs_passed"], figures["hidden_reqs_total"]) == (5, 5)
    assert (figures["runs_fully_passing"], figures["unknown"]["runs_fully_passing"]) == (1, 1)


@pytest.mark.parametrize(
    ("run", "why"),
    [
        (Run("T1-g1-r1-trial", score=SCORED), "tagged: trial"),
        (Run("_probe", score=SCORED), "tagged: _probe"),
        (Run("T1-g1-r1", meta=RunMeta(task="T1", cfg="g1", rep=1, tag="x"), score=SCORED), "tagged: x"),
        (scored("T1-g1-r1", invalid="usage limit"), "invalid, ended by an outage: usage limit"),
        (Run("T1-g1-r1", activity=Activity(invalid="killed")), "invalid, ended by an outage: killed"),
        (Run("T1-g1-r1"), "no score.json: still running, or died"),
        (Run("T1-g1-r1", over=True), "no score.json: it ended unscored"),
        (
            Run("T1-g1-r1", over=True, losses=(Loss("score.json", None, "is empty"),)),
            "no score.json that can be read: is empty",
        ),
    ],
)
def test_a_run_that_is_left_out_is_named_with_its_reason(run: Run, why: str) -> None:
    found = results(by_name(run))
    assert (found["left_out"], found["n_runs"]) == ({run.name: why}, 0)


def test_stops_of_a_run_that_is_not_scored_count() -> None:
    stop = Stop(n=1, decision="block", blocked_by="g1")
    found = results(by_name(Run("T1-g1-r1", entries=(Entry(stop, 1, 0, 9),))))
    assert (
        found["by_cfg"]["g1"]["stops"]["no_oracle"] == found["by_task_all"]["T1"]["stops"]["no_oracle"] == 1
    )
    assert found["by_gate"]["g1"]["blocks"] == {"right": 0, "false": 0, "no_oracle": 1}
    assert "| g1 |" not in results_md(found)


@pytest.mark.parametrize(
    ("fields", "alarm"),
    [
        (
            {"is_error": False, "hook_calls": 0},
            ["the client ended in success, but no stop of this gated run is recorded"],
        ),
        (
            {"is_error": True, "subtype": "error_max_turns", "hook_calls": 3},
            ["gate.jsonl holds 0 records, score.json counts 3"],
        ),
        ({"is_error": True, "subtype": "error_max_turns", "hook_calls": 0}, []),
        ({"alarm": "the settings were changed"}, ["the settings were changed"]),
    ],
)
def test_what_does_not_fit_together_raises_an_alarm(fields: dict[str, object], alarm: list[str]) -> None:
    gated, bare = scored("T1-g1-r1", **fields), scored("T1-bare-r1", is_error=False, hook_calls=0)
    alarms = results(by_name(gated, bare))["outcomes"]["alarms"]
    assert alarms == ({"T1-g1-r1": alarm} if alarm else {})


def test_configs_and_tasks_are_found_and_ordered() -> None:
    names = ["T10-zeta-r1", "T2-g13adv-r1", "T1-bare-r1", "T2-g3-r1", "T2-alpha-r1", "T2-g1-r1", "T2-g13-r1"]
    found = results(by_name(*map(scored, names)))
    assert list(found["by_cfg"]) == ["bare", "g1", "g3", "g13", "g13adv", "alpha", "zeta"]
    assert list(found["by_task"]) == list(found["by_task_all"]) == ["T1", "T2", "T10"]
    assert found["by_task"]["T1"]["g1"] is None


@given(st.lists(st.text("T019-²٣é", max_size=30)))
def test_strange_names_have_an_order_and_their_own_place(names: list[str]) -> None:
    for key in (natural, config_order):
        ordered = sorted(set(names), key=key)
        assert len({key(name) for name in ordered}) == len(ordered)


def test_a_record_that_cannot_be_read_is_a_record_all_the_same() -> None:
    score = Score(hook_calls=2, has_result_line=True)
    entry = Entry(Stop(n=1, decision="allow"), 1, 0, 0)
    for losses, fits in (
        ((Loss("gate.jsonl", 2, "is no JSON"),), True),
        ((Loss("gate.jsonl", None, "Permission denied"),), True),  # how many there are is not known
        ((Loss("gate.jsonl", 1, "wall_s", fields_only=True),), False),
        ((Loss("events.jsonl", 2, "is no JSON"),), False),
    ):
        run = Run("T1-g1-r1", score=score, entries=(entry,), losses=losses)
        assert results(by_name(run))["outcomes"]["alarms"] == (
            {} if fits else {"T1-g1-r1": ["gate.jsonl holds 1 records, score.json counts 2"]}
        )
