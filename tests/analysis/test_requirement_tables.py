"""Requirements, what acceptance tests saw of them, what blocked, what was let through, and triage."""

from typing import Any

import pytest
from hypothesis import given
from synthetic_runs import runs

from gatecore.analysis import results
from gatecore.analysis.digest import Digest, digest
from gatecore.analysis.results import Corpus
from gatecore.ledger.packed import pack, unpack
from gatecore.ledger.records import CheckRecord, Finding, Gate1, Gate3, Hidden, Reviewer, Score, Stop, Triage
from gatecore.ledger.run import Entry, Run


def hidden(*failed: str, of: int = 3) -> Hidden:
    return Hidden(passed=of - len(failed), failed=len(failed), failed_reqs=failed)


def ran(*stops: Stop, name: str = "T1-g1-r1", end: tuple[str, ...] | None = None, of: int = 3) -> Run:
    score = None
    if end is not None:
        score = Score(hidden_pass=of - len(end), hidden_fail=len(end), failed_reqs=end, has_result_line=True)
    numbered = tuple(Entry(stop, i, 0, 0) for i, stop in enumerate(stops, 1))
    return Run(name, entries=numbered, score=score)


def acceptance(n: int, oracle: Hidden, *failed: str, by: str | None = "g1") -> Stop:
    gate = Gate1(
        ran=True,
        passed=not failed,
        gate_tests_present=True,
        gate_tests_fail=len(failed),
        gate_tests_failed=failed,
    )
    return Stop(
        n=n,
        decision="block" if failed else "allow",
        blocked_by=by if failed else None,
        gate1=gate,
        hidden=oracle,
    )


def figures(*made: Run) -> Any:
    return results({run.name: run for run in made})


@given(runs())
def test_a_digest_is_packed_without_loss(made: dict[str, Run]) -> None:
    for run in made.values():
        small = digest(run)
        assert unpack(pack(small), Digest) == small


@given(runs())
def test_no_run_counts_in_one_table_and_not_in_another(made: dict[str, Run]) -> None:
    found = results(made)
    stops = found["outcomes"]["stops"]
    assert sum(found["outcomes"]["gave_up"].values()) == stops["gave_up"]
    for kind, named in found["outcomes"]["runs_with"].items():
        assert sum(named.values()) == stops[kind]
    for gate, figures_ in found["by_gate"].items():
        for kind in ("right", "false", "missed", "clean", "no_oracle", "not_judged", "skipped"):
            assert figures_[kind] == sum(own[kind] for own in figures_["by_cfg"].values())
        assert figures_["precision"]["n"] == figures_["right"] + figures_["false"]
        assert figures_["sensitivity"]["n"] == figures_["right"] + figures_["missed"]
        assert figures_["specificity"]["n"] == figures_["clean"] + figures_["false"]
        assert (gate == "g1") == bool(figures_["parts"]) or not figures_["parts"]
    left = found["unmet"]
    assert sum(x["unmet"] for x in left["by_cfg"].values()) <= sum(map(len, left["by_run"].values()))


def test_requirements_that_were_always_met_are_there_where_they_are_numbered() -> None:
    found = figures(
        ran(name="T1-bare-r1", end=("test_req2",)),
        ran(name="T1-bare-r2", end=()),
        ran(name="T1-g1-r1", end=()),
        ran(name="T2-bare-r1", end=("odd",)),
    )
    requirements = found["requirements"]
    assert list(requirements["T1"]) == ["test_req1", "test_req2", "test_req3"]
    assert list(requirements["T2"]) == ["odd"]
    met = {cfg: (x["k"], x["n"]) for cfg, x in requirements["T1"]["test_req2"]["by_cfg"].items()}
    assert met == {"bare": (1, 2), "g1": (1, 1)}
    assert found["unmet"]["by_cfg"]["bare"] == {
        "runs": 3,
        "unmet": 2,
        "per_run": pytest.approx(2 / 3),
        "by_requirement": {"T1:test_req2": 1, "T2:odd": 1},
    }
    assert found["unmet"]["by_run"] == {"T1-bare-r1": ["test_req2"], "T2-bare-r1": ["odd"]}


def test_a_run_that_does_not_name_what_it_missed_is_left_out_of_the_rate() -> None:
    silent = Run("T1-g1-r2", score=Score(hidden_pass=1, hidden_fail=2, has_result_line=True))
    found = figures(ran(name="T1-g1-r1", end=("test_req1",)), silent)["requirements"]["T1"]["test_req1"]
    assert (found["by_cfg"]["g1"]["k"], found["by_cfg"]["g1"]["n"]) == (0, 1)


def test_which_stop_repaired_or_broke_a_requirement() -> None:
    run = ran(
        acceptance(1, hidden("test_req1", "test_req2"), "test_a"),
        acceptance(2, hidden("test_req2", "test_req3"), "test_a", by="g3"),
        acceptance(3, Hidden(), "test_a"),  # nothing is known of it
        acceptance(4, hidden("test_req3")),
        end=("test_req1",),
    )
    found = figures(run)["requirements"]["T1"]
    assert found["test_req1"]["repaired"] == {
        "times": 1,
        "after_block_by": {"g1": 1},
        "where": ["T1-g1-r1 stop 2"],
    }
    assert found["test_req1"]["broken"] == {
        "times": 1,
        "after_block_by": {"none": 1},
        "where": ["T1-g1-r1 end"],
    }
    assert found["test_req2"]["repaired"]["where"] == ["T1-g1-r1 stop 4"]
    assert found["test_req3"]["broken"]["where"] == ["T1-g1-r1 stop 2"]
    assert found["test_req3"]["repaired"]["where"] == ["T1-g1-r1 end"]


def test_a_requirement_that_no_acceptance_test_ever_failed_on() -> None:
    found = figures(
        ran(
            acceptance(1, hidden("test_req1", "test_req2"), "test_a", "test_b"),
            acceptance(2, hidden("test_req1"), "test_a"),
            acceptance(3, hidden()),
        ),
        ran(acceptance(1, hidden("test_req3")), name="T1-g1-r2"),
    )["acceptance"]["T1"]
    one, two, three = (found[f"test_req{i}"] for i in (1, 2, 3))
    assert (one["caught"]["k"], one["caught"]["n"], one["caught_alone"]["k"], one["never"]) == (
        2,
        2,
        1,
        False,
    )
    assert one["tests"] == {"test_a": 1, "test_b": 1}  # both failed only while it was unmet
    assert two["tests"] == {"test_b": 1}  # test_a failed without it as well
    assert (three["runs"], three["caught"]["k"], three["caught_alone"]["n"], three["never"]) == (
        1,
        0,
        1,
        True,
    )


def test_what_blocked_most_often_comes_first() -> None:
    check = CheckRecord(verdict="fail", failed=("tests/test_s.py::test_s[1]", "tests/test_s.py::test_s[2]"))
    suite = Gate1(ran=True, passed=False, suite="fail", acceptance="pass")
    dumb = CheckRecord(verdict="fail", why="no test was collected")
    review = Gate3(ran=True, passed=False, blocking=(Finding(file="a.py", line=3, text="boom", by="A"),))
    found = figures(
        ran(
            acceptance(1, hidden("test_req1"), "test_a"),
            acceptance(2, hidden(), "test_a", "test_b"),
            Stop(
                n=3,
                decision="block",
                blocked_by="g1",
                gate1=suite,
                checks={"suite": check},
                hidden=hidden(),
                repeat=True,
            ),
            Stop(
                n=4, decision="block", blocked_by="g1", gate1=suite, checks={"suite": dumb}, hidden=hidden()
            ),
            Stop(n=5, decision="block", blocked_by="g3", gate3=review),
            Stop(
                n=6,
                decision="block",
                blocked_by="g1",
                gate1=Gate1(ran=True, passed=False, suite_fail=2),
                hidden=hidden(),
            ),
        )
    )["blocks"]
    assert [(x["part"], x["what"], x["blocks"], x["right"], x["false"], x["no_oracle"]) for x in found] == [
        ("acceptance", "test_a", 2, 1, 1, 0),
        ("acceptance", "test_b", 1, 0, 1, 0),
        ("suite", "no test was collected", 1, 0, 1, 0),
        ("suite", "tests that the ledger does not name", 1, 0, 1, 0),
        ("suite", "tests/test_s.py::test_s", 1, 0, 1, 0),
        ("review A", "a.py:3 boom", 1, 0, 0, 1),
    ]
    assert found[0]["where"] == ["T1-g1-r1 stop 1", "T1-g1-r1 stop 2"]
    assert [x["repeats"] for x in found] == [0, 0, 0, 0, 1, 0]
    assert found[0]["repeats_unknown"] == 2


def test_findings_that_were_let_through_although_the_oracle_was_red() -> None:
    minor, upheld = (
        Finding(severity="minor", file="a.py", line=1, text="crashes"),
        Finding(severity="blocking", text="x"),
    )
    rejected = Finding(severity="blocking", text="y", challenge="rejected")
    reviewers = (Reviewer(id="A", findings=(minor, upheld, rejected)), Reviewer(id="B", findings=(minor,)))
    review = Gate3(ran=True, passed=True, reviewers=reviewers)
    found = figures(
        ran(
            Stop(n=1, decision="block", gate3=review, hidden=hidden("test_req1", "test_req2")),
            Stop(n=2, decision="allow", gate3=review, hidden=hidden()),
        )
    )["let_through"]
    assert found["by_requirement"]["T1"] == {
        "test_req1": {"findings": 3, "stops": 1},
        "test_req2": {"findings": 3, "stops": 1},
    }
    first, second = found["findings"]
    assert (first["place"], first["text"], first["times"], first["by"]) == (
        "a.py:1",
        "crashes",
        2,
        {"A": 1, "B": 1},
    )
    assert (second["severity"], second["place"], second["where"]) == ("rejected", "?:?", ["T1-g1-r1 stop 1"])


def test_suite_and_acceptance_tests_apart() -> None:
    old = Gate1(ran=True, passed=False, suite_fail=0, gate_tests_present=True, gate_tests_fail=2)
    unwritten = Gate1(ran=True, passed=True, suite_fail=0, gate_tests_present=False)
    mine = Gate1(ran=True, passed=False, suite="not_judged", acceptance="fail")
    red = hidden("test_req1")
    found = figures(ran(*(Stop(decision="block", gate1=gate, hidden=red) for gate in (old, unwritten, mine))))
    parts = found["by_gate"]["g1"]["parts"]
    assert {kind: n for kind, n in parts["suite"].items() if n and isinstance(n, int)} == {
        "missed": 2,
        "not_judged": 1,
    }
    assert {kind: n for kind, n in parts["acceptance"].items() if n and isinstance(n, int)} == {"right": 2}


def test_triage_beside_the_oracle() -> None:
    stops = [
        acceptance(n, hidden("test_req1") if red else hidden(), "test_a")
        for n, red in enumerate([1, 1, 0, 0], 1)
    ]
    run = ran(*stops, acceptance(5, Hidden(), "test_a"), acceptance(6, hidden(), "test_a"))
    words = {1: "right", 2: "false", 3: "false", 4: "false", 5: "right", 6: "unsure"}
    corpus = Corpus()
    corpus.add(
        run.name, digest(run, {line: Triage(verdict=word, cause="flaky") for line, word in words.items()})
    )
    found = corpus.results()
    triage = found["triage"]
    assert (triage["judged"], triage["verdicts"]) == (6, {"right": 2, "false": 3, "unsure": 1})
    assert triage["causes"] == {"flaky": 6}
    assert (triage["agreement"]["k"], triage["agreement"]["n"], triage["agreement"]["kappa"]) == (3, 4, 0.5)
    assert (triage["false_by_oracle"]["rate"], triage["false_by_person"]["rate"]) == (0.5, 0.75)
    assert triage["differ"] == [
        {"run": "T1-g1-r1", "n": 2, "gate": "g1", "oracle": "right", "person": "false", "cause": "flaky"}
    ]
    (block,) = found["blocks"]
    assert (block["blocks"], block["triage"]) == (6, {"right": 2, "false": 3, "unsure": 1})


def test_without_a_verdict_there_is_no_agreement() -> None:
    triage = figures(ran(acceptance(1, hidden("test_req1"), "test_a")))["triage"]
    assert (triage["judged"], triage["agreement"]["n"], triage["agreement"]["kappa"]) == (0, 0, None)


def test_give_ups_by_what_the_oracle_said() -> None:
    stops = [
        Stop(n=n, decision="give_up", blocked_by="g1", hidden=h)
        for n, h in enumerate((hidden("a"), hidden(), None), 1)
    ]
    found = figures(ran(*stops))["outcomes"]
    assert found["gave_up"] == {"oracle_red": 1, "oracle_green": 1, "no_oracle": 1}
    assert found["runs_with"]["gave_up"] == {"T1-g1-r1": 3}


@pytest.mark.parametrize(
    ("fields", "key"),
    [
        ({"ended_blocked": True, "subtype": "success", "is_error": False}, "cut_by_cap"),
        ({"ended_blocked": True, "subtype": "error_max_turns", "is_error": True}, "cut_by_limit"),
        ({"ended_blocked": False, "subtype": "error_max_budget", "is_error": True}, "cut_by_limit"),
    ],
)
def test_what_the_client_cut(fields: dict[str, Any], key: str) -> None:
    found = figures(Run("T1-g1-r1", score=Score(has_result_line=True, **fields)))["outcomes"]
    assert {name: found[name] for name in ("cut_by_cap", "cut_by_limit")} == {
        name: ["T1-g1-r1"] if name == key else [] for name in ("cut_by_cap", "cut_by_limit")
    }
    assert found["ended_blocked"] == (["T1-g1-r1"] if fields["ended_blocked"] else [])


def test_runs_that_are_missing_from_the_grid_of_the_others() -> None:
    names = ["T1-bare-r1", "T1-bare-r2", "T2-bare-r1", "T1-g1-r1", "T1-g1-r2", "T2-g1-r1", "T2-g1-r2-trial"]
    made = {name: Run(name, score=Score(hidden_pass=1, hidden_fail=0)) for name in names}
    assert results(made)["missing"] == ["T2-bare-r2", "T2-g1-r2"]
    assert results({f"a/{name}": run for name, run in made.items()})["missing"] == ["T2-bare-r2", "T2-g1-r2"]
    scattered = [f"T{i}-c{i}-r{i}" for i in range(1, 5)]
    assert results({name: Run(name) for name in scattered})["missing"] == []  # no grid at all


def test_a_run_of_an_unknown_config_belongs_to_no_grid() -> None:
    made = {name: Run(name) for name in ("T1-bare-r1", "T1-g1-r1", "T2-bare-r1", "T2-g1-r1", "damaged")}
    assert results(made)["missing"] == []
