"""The Wilson interval against its definition."""

from math import isclose, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gatecore.stats import wilson


@given(st.integers(1, 5000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_bounds_are_the_rates_that_lie_z_standard_errors_away(case: tuple[int, int]) -> None:
    k, n = case
    interval = wilson(k, n)
    assert interval is not None
    low, high = interval
    assert 0 <= low <= k / n <= high <= 1
    for bound, at_edge in ((low, k == 0), (high, k == n)):
        if not at_edge:
            distance = 1.959964 * sqrt(bound * (1 - bound) / n)
            assert isclose(abs(bound - k / n), distance, rel_tol=1e-6, abs_tol=1e-9)
    assert (low == 0) == (k == 0)
    assert (high == 1) == (k == n)


@pytest.mark.parametrize("n", [1, 2, 10, 1000])
def test_none_and_all_have_closed_forms(n: int) -> None:
    square = 1.959964**2
    assert wilson(n, n) == pytest.approx((n / (n + square), 1.0))
    assert wilson(0, n) == pytest.approx((0.0, square / (n + square)))


def test_nothing_has_no_rate_and_nonsense_is_refused() -> None:
    assert wilson(0, 0) is None
    for k, n in ((2, 1), (-1, 3), (1, 0)):
        with pytest.raises(ValueError, match="is no rate"):
            wilson(k, n)
