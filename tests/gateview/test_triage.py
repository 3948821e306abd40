"""The queue of blocks, what is written of them, and how much of a failure was echoed."""

import hashlib
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from live_dashboard import Growing

from gatecore.ledger.reader import read_run
from gatecore.ledger.records import Triage
from gateview.store.assertions import echoed, parse
from gateview.store.rows import row_of
from gateview.store.triage import Block, alike, count, disagreements, queue
from gateview.store.triage_log import TriageLog

OUTPUT = """\
.F.E                                                                     [100%]
==================================== ERRORS ====================================
_______________________ ERROR at setup of test_fixture _________________________
conftest.py:3: in db
    raise OSError("gone")
E   OSError: gone
=================================== FAILURES ===================================
______________________________ test_one[a b-1.5] _______________________________
acceptance/test_T1.py:7: in test_one
    assert f() == 1
E   assert 2 == 1
E    +  where 2 = f()
_________________________________ Test.test_two ________________________________

    def test_two():
>       rename('a', 'a')

tests/test_x.py:7:
_ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _
E       KeyError: 'a'
=========================== short test summary info ============================
FAILED acceptance/test_T1.py::test_one[a b-1.5] - assert 2 == 1
FAILED tests/test_x.py::Test::test_two - KeyError: 'a'
2 failed, 1 passed, 1 error in 0.05s
"""


def block(number: int, kind: str = "right", said: str | None = None, signature: str = "") -> Block:
    """A block with as much as the queue looks at."""
    return Block(
        id=str(number),
        key="run",
        place=number,
        n=number,
        when=float(number),
        kind=kind,  # type: ignore[arg-type]
        gate="g1",
        found="",
        signature=("g1", signature or str(number)),
        said=Triage(verdict=said) if said else None,
    )


def test_false_blocks_come_first_then_those_without_an_oracle_and_alike_ones_together() -> None:
    blocks = [
        block(1, "right"),
        block(2, "no_oracle"),
        block(3, "false", signature="x"),
        block(4, "right", signature="x"),
        block(5, "false"),
        block(6, "false", signature="x"),
    ]
    assert [b.id for b in queue(blocks)] == ["3", "6", "4", "5", "2", "1"]
    assert [b.id for b in alike(blocks, blocks[3])] == ["3", "4", "6"]


@given(
    st.lists(
        st.tuples(st.sampled_from(("right", "false", "no_oracle")), st.sampled_from("abcdef")), max_size=12
    )
)
def test_a_queue_holds_every_block_once_and_no_group_is_torn(drawn: list[tuple[str, str]]) -> None:
    blocks = [block(i, kind, signature=signature) for i, (kind, signature) in enumerate(drawn)]
    ordered = queue(blocks)
    assert sorted(b.id for b in ordered) == sorted(b.id for b in blocks)
    signatures = [b.signature for b in ordered]
    starts = [s for i, s in enumerate(signatures) if not i or signatures[i - 1] != s]
    assert len(starts) == len(set(starts))
    ranks = [
        min(("false", "no_oracle", "right").index(b.kind) for b in blocks if b.signature == s) for s in starts
    ]
    assert ranks == sorted(ranks)


def test_agreement_counts_right_and_false_where_an_oracle_judged() -> None:
    blocks = [
        block(1, "right", "right"),
        block(2, "false", "false"),
        block(3, "false", "right"),
        block(4, "no_oracle", "false"),
        block(5, "false", "unsure"),
        block(6, "false"),
    ]
    counts = count(blocks)
    assert (counts.left, counts.done) == ({"false": 1}, 5)
    assert counts.agreement[:2] == (2, 3)
    assert counts.agreement.kappa == pytest.approx(0.4)
    assert [b.id for b in disagreements(blocks)] == ["3"]
    assert count([]).agreement == (0, 0, None)


def test_a_verdict_lies_beside_the_ledger_under_the_id_of_its_stop_and_the_last_one_wins(
    tmp_path: Path,
) -> None:
    run = Growing(tmp_path / "runs")
    old = run.stop(failed=0)
    run.append(run.stop(stop_id="abc") + b"not json\n" + old)
    log = TriageLog(tmp_path / "state", "ada")

    def blocks() -> tuple[Block, ...]:
        return log.blocks(row_of(run.name, read_run(run.path)), run.path)

    first, second = sorted(blocks(), key=lambda b: b.n or 0, reverse=True)
    assert (first.id, second.id) == ("abc", hashlib.sha256(old.rstrip(b"\n")).hexdigest())
    file = log.append(run.path, second, Triage(verdict="false", cause="flaky", note="x\x1b"))
    assert file == run.path / "triage.jsonl"
    written = json.loads(file.read_text())
    assert written.pop("ts")
    assert written == {
        "v": 1,
        "by": "ada",
        "stop_id": second.id,
        "n": second.n,
        "verdict": "false",
        "cause": "flaky",
        "note": "x\x1b",
    }
    assert [b.said.verdict for b in blocks() if b.said] == ["false"]
    log.append(run.path, second, Triage(verdict="right"))
    assert [b.said.verdict for b in blocks() if b.said] == ["right"]
    log.append(run.path, second, Triage(verdict=None))
    assert not any(b.said for b in blocks())
    assert len(file.read_text().splitlines()) == 3


def test_where_the_run_cannot_be_written_to_the_users_folder_keeps_the_verdict(tmp_path: Path) -> None:
    run = Growing(tmp_path / "runs")
    run.append(run.stop(stop_id="abc"))
    victim = tmp_path / "victim"
    victim.touch()
    (run.path / "triage.jsonl").symlink_to(victim)
    log = TriageLog(tmp_path / "state", "ada")
    row = row_of(run.name, read_run(run.path))
    log.has_news()
    assert not log.has_news()
    file = log.append(run.path, log.blocks(row, run.path)[0], Triage(verdict="unsure"))
    assert file.parent == tmp_path / "state"
    assert victim.read_bytes() == b""
    assert log.has_news()
    said = log.blocks(row, run.path)[0].said
    assert said
    assert (said.verdict, said.by) == ("unsure", "ada")


def test_output_of_pytest_is_read_with_assertion_lines() -> None:
    found = parse(OUTPUT)
    assert [failure.test for failure in found.failures] == [
        "ERROR at setup of test_fixture",
        "test_one[a b-1.5]",
        "Test.test_two",
    ]
    assert found.failures[1].source == "assert f() == 1"
    assert found.failures[1].errors[0] == "assert 2 == 1"
    assert found.failures[2] == ("Test.test_two", "rename('a', 'a')", found.failures[2].errors)
    assert found.failures[2].errors[0].strip() == "KeyError: 'a'"
    assert found.named == {"test_one", "test_two"}


def test_how_much_of_each_failure_was_echoed() -> None:
    failures = parse(OUTPUT).failures

    def states(reason: str, *, whole: bool = True) -> list[str]:
        return [state for _, state in echoed(failures, reason, whole=whole)]

    assert states(OUTPUT) == ["told"] * 3
    assert states(OUTPUT[OUTPUT.index("E    +  where") :]) == ["cut off", "in part", "told"]
    assert states(OUTPUT[OUTPUT.index("FAILED") :]) == ["cut off", "name only", "name only"]
    assert states(OUTPUT[: OUTPUT.index("E    +  where")], whole=False) == ["told", "in part", "?"]
    assert states("") == ["cut off"] * 3


@given(st.text(alphabet="_=E> \nFAILED:test[].", max_size=200))
def test_whatever_an_output_is_it_is_read(text: str) -> None:
    found = parse(text)
    assert all(failure.test for failure in found.failures)
