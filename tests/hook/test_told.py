"""What a blocked agent reads: within its bounds, the total first, and no path of the harness."""

from gating import DOUBLE, Gated, NewGate, answer

from gatecore.harness.bench import Bench

LONG = "x" * 60 + "\\n"


def _red(gate: Gated, *, suite: bool, acceptance: bool) -> str:
    if not acceptance:
        gate.append("calc.py", DOUBLE)
    if suite:
        text = f"def test_long():\n    print('{LONG}' * 60)\n    assert 'the suite' == 'green'\n"
        (gate.work / "tests" / "test_long.py").write_text(text)
    reason = gate.stop()
    assert reason is not None
    return reason


def test_both_red_share_the_room(new: NewGate) -> None:
    tests = f"def test_accepted():\n    print('{LONG}' * 60)\n    from calc import double\n"
    reason = _red(new("g1", "T2", tests), suite=True, acceptance=True)
    assert len(reason) <= 1500
    accepted, suite = reason.split("\n\nThe repository's own test suite fails too (1 of 2):\n")
    head, _, accepted = accepted.partition("\n")
    assert head == "The acceptance tests for this change fail (1 of 1):"
    assert (len(accepted), len(suite)) == (800, 550)
    ends = ("FAILED acceptance/test_T2.py::test_accepted", "FAILED tests/test_long.py::test_long")
    for text, end in zip((accepted, suite), ends, strict=True):
        assert text.startswith("[the last part of ")
        assert text.splitlines()[-2].startswith(end)


def test_one_alone_has_more_of_it(new: NewGate) -> None:
    head, _, text = _red(new("g1", "T2"), suite=True, acceptance=False).partition("\n")
    assert head == "The repository's own test suite fails (1 of 2):"
    assert len(text) == 1400


def test_a_review_says_how_many_defects_before_it_is_cut(new: NewGate, bench: Bench) -> None:
    finding = {"severity": "blocking", "text": "漢字 " * 60 + "\x1b[2J"}
    findings = [{**finding, "file": f"größe_{i}.py", "line": i} for i in range(12)]
    answer(bench, "A", approve=False, findings=findings)
    reason = _red(new("g3", "T2"), suite=False, acceptance=True)
    assert len(reason) <= 1500
    first, second, *_ = reason.splitlines()
    assert first == "The review of this change found 12 blocking defects:"
    assert second.startswith("1. größe_0.py:0 漢字")
    assert reason.splitlines()[-2:] == [
        "[the rest is cut off]",
        "Fix every finding, run the tests again, then stop.",
    ]
    assert "\x1b" not in reason
