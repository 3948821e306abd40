"""The rows of the gate table: unknown is never 0, nothing has no rate."""

from gatecore.ledger.records import Gate1, Gate3, Hidden, Reviewer, Stop, WriterRecord
from gatecore.ledger.run import Entry, Run
from gatecore.ledger.tallies import Amount, Tally, tally_run
from gateview.report.figures import lower_bound, minutes, money, rate
from gateview.report.gates import gate_rows

RED, GREEN = Hidden(passed=2, failed=3), Hidden(passed=5, failed=0)


def run(*stops: Stop, writer: WriterRecord | None = None) -> Run:
    return Run("T1-g13-r1", entries=tuple(Entry(s, i, 0, 0) for i, s in enumerate(stops, 1)), writer=writer)


def test_figures_as_text() -> None:
    assert rate(28, 33) == "28/33 85% [69\N{EN DASH}93]"
    assert rate(0, 0) == "n/a"
    assert rate(None, 3) == rate(3, None) == "?"
    assert lower_bound(5, unknown=0) == "5"
    assert lower_bound(5, unknown=2) == "≥5"
    assert lower_bound(0, unknown=2) == lower_bound(None, unknown=0) == "?"
    assert money(Amount()) == "0.00"
    assert money(Amount(1_500_000_000, 2)) == "1.50"
    assert money(Amount(1_500_000_000, 2), 3) == "0.50"
    assert money(Amount(1_500_000_000, 2), 0) == "n/a"
    assert money(Amount(1_500_000_000, 2, 1)) == "≥1.50"
    assert money(Amount(0, 0, 1)) == money(Amount(0, 0, 1), 2) == "?"
    assert minutes(Amount(90_000, 1)) == "1.5 min"
    assert minutes(Amount(900_000, 1, 1)) == "≥15 min"


def test_a_gate_over_the_stops_that_it_judged() -> None:
    fails, passes = Gate1(ran=True, passed=False), Gate1(ran=True, passed=True)
    stops = (
        Stop(decision="block", blocked_by="g1", gate1=fails, hidden=RED, wall_s=60, repeat=False),
        Stop(decision="block", blocked_by="g1", gate1=fails, hidden=RED, wall_s=60, repeat=True),
        Stop(decision="block", blocked_by="g1", gate1=fails, hidden=GREEN, wall_s=60, repeat=False),
        Stop(decision="block", blocked_by="g1", gate1=fails, hidden=None, wall_s=60, repeat=False),
        Stop(decision="give_up", blocked_by="g1", gate1=fails, hidden=RED, wall_s=60),
        Stop(decision="allow", gate1=passes, hidden=RED, wall_s=60),
        Stop(decision="allow", gate1=Gate1(suite="skipped"), hidden=RED, wall_s=60),
        Stop(decision="allow", gate1=Gate1(ran=True), hidden=GREEN, wall_s=60),
    )
    (row,) = gate_rows({"g1": tally_run(run(*stops, writer=WriterRecord(cost_usd=0.3)))})
    assert (row.gate, row.right, row.false, row.missed, row.clean) == ("g1 behaviour", 3, 1, 1, 0)
    assert (row.not_judged, row.gave_up, row.repeats) == (1, 1, "1")
    assert row.precision == "3/4 75% [30\N{EN DASH}95]"
    assert row.catches == "3/4 75% [30\N{EN DASH}95]"
    assert (row.cost, row.per_right) == ("0.30", "0.15")  # for each of two right blocks
    assert (row.waited, row.waited_per_right) == ("8.0 min", "4.0 min")


def test_what_is_not_known_of_a_gate_is_not_zero() -> None:
    failed_call = Reviewer(error="529", cost_usd=0.0)
    review = Gate3(ran=True, passed=False, reviewers=(failed_call, Reviewer(cost_usd=0.5, wall_s=30)))
    (row,) = gate_rows({"g3": tally_run(run(Stop(decision="block", blocked_by="g3", gate3=review)))})
    assert (row.gate, row.right, row.false) == ("g3 review", 0, 0)
    assert (row.cost, row.waited, row.repeats) == ("≥0.50", "?", "?")
    assert (row.per_right, row.precision, row.catches) == ("n/a", "n/a", "n/a")


def test_gates_are_summed_over_configs_and_those_that_never_ran_have_no_row() -> None:
    one = tally_run(run(Stop(decision="allow", gate1=Gate1(ran=True, passed=True), hidden=GREEN)))
    assert [(row.gate, row.clean) for row in gate_rows({"a": one, "b": one})] == [("g1 behaviour", 2)]
    assert gate_rows({"bare": Tally()}) == gate_rows({}) == []
