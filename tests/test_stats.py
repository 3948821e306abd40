"""Every statistic against an independent implementation: scipy, statsmodels, or plain enumeration."""

from fractions import Fraction
from itertools import product
from math import isclose, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as scipy_stats
from statsmodels.stats.inter_rater import cohens_kappa
from statsmodels.stats.proportion import proportion_confint

from gatecore.stats import Cluster, agreement, bootstrap, sign_flip, smallest_p, wilson

SMALL = st.integers(-10, 10).map(lambda n: Fraction(n, 10))
PUBLISHED = [Fraction(0), Fraction(0), Fraction(0), Fraction(1, 2), Fraction(1, 5)]
"""Requirements met under g1 less those under bare, for each of the publication's five tasks."""


@pytest.mark.parametrize(
    ("k", "n"), [(0, 1), (1, 1), (0, 10), (10, 10), (3, 10), (28, 33), (0, 5000), (5000, 5000), (2499, 5000)]
)
def test_the_wilson_interval_is_that_of_statsmodels(k: int, n: int) -> None:
    assert wilson(k, n) == pytest.approx(proportion_confint(k, n, 0.05, "wilson"), abs=1e-6)


@given(st.integers(1, 5000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_its_bounds_are_the_rates_that_lie_z_standard_errors_away(case: tuple[int, int]) -> None:
    k, n = case
    interval = wilson(k, n)
    assert interval is not None
    low, high = interval
    assert 0 <= low <= k / n <= high <= 1
    for bound, at_edge in ((low, k == 0), (high, k == n)):
        if not at_edge:
            distance = 1.959964 * sqrt(bound * (1 - bound) / n)
            assert isclose(abs(bound - k / n), distance, rel_tol=1e-6, abs_tol=1e-9)


def test_nothing_has_no_rate_and_nonsense_is_refused() -> None:
    assert wilson(0, 0) is None
    for k, n in ((2, 1), (-1, 3), (1, 0)):
        with pytest.raises(ValueError, match="is no rate"):
            wilson(k, n)


@settings(max_examples=40)
@given(st.lists(SMALL, min_size=2, max_size=9))  # scipy wants two
def test_the_sign_flip_test_is_scipys_over_all_patterns(differences: list[Fraction]) -> None:
    found = sign_flip(differences)
    assert found is not None
    assert found.exact
    reference = scipy_stats.permutation_test(
        ([float(10 * value) for value in differences],),  # whole numbers: floats would hide ties
        lambda x, axis: np.sum(x, axis=axis),
        permutation_type="samples",
        n_resamples=2**9,
        vectorized=True,
    )
    assert found.p == pytest.approx(reference.pvalue)


@settings(max_examples=40)
@given(st.lists(SMALL, min_size=1, max_size=9))
def test_and_that_of_counting_them(differences: list[Fraction]) -> None:
    seen = abs(sum(differences))
    patterns = list(product((1, -1), repeat=len(differences)))
    hits = sum(
        1 for signs in patterns if abs(sum(s * d for s, d in zip(signs, differences, strict=True))) >= seen
    )
    found = sign_flip(differences)
    assert found is not None
    assert found.p == hits / len(patterns)


def test_p_at_the_edges() -> None:
    assert sign_flip([]) is None
    assert sign_flip([Fraction(0)]) == sign_flip([Fraction(3, 5)]) == (1.0, True)
    assert sign_flip(PUBLISHED) == (0.5, True)
    assert sign_flip([Fraction(1, 5)] * 5) == (2 / 32, True)
    assert [smallest_p(n) for n in (0, 1, 2, 5, 6)] == [1.0, 1.0, 0.5, 0.0625, 0.03125]
    many = sign_flip([Fraction(1, 5)] * 1000)
    assert many is not None
    assert many.exact
    assert many.p == pytest.approx(2.0**-999)


def test_where_patterns_are_too_many_some_are_drawn_the_same_ones_each_time() -> None:
    differences = [Fraction(n * n, 97) for n in range(-3, 12)]
    exact, drawn = sign_flip(differences), sign_flip(differences, limit=10)
    assert exact is not None
    assert drawn is not None
    assert (exact.exact, drawn.exact) == (True, False)
    assert drawn.p == pytest.approx(exact.p, abs=0.015)
    assert sign_flip(differences, limit=10) == drawn


def enumerated(clusters: list[Cluster]) -> tuple[float, float] | None:
    """The percentile interval over all k^k resamples, counted one by one."""
    ratios = [
        float(Fraction(sum(c.part for c in drawn)) / sum(c.whole for c in drawn))
        for drawn in product(clusters, repeat=len(clusters))
        if sum(c.whole for c in drawn)
    ]
    if len(set(ratios)) < 2:
        return None
    low, high = np.quantile(ratios, [0.025, 0.975], method="inverted_cdf")
    return float(low), float(high)


@settings(max_examples=30)
@given(
    st.lists(
        st.integers(0, 4).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), min_size=1, max_size=5
    )
)
def test_the_bootstrap_of_a_rate_over_clusters_counts_every_resample(cases: list[tuple[int, int]]) -> None:
    clusters = [Cluster(k, n) for k, n in cases]
    found, expected = bootstrap(clusters), enumerated(clusters)
    assert (found is None) == (expected is None)
    if found is not None:
        assert (found.low, found.high) == pytest.approx(expected)
        assert found.exact


@given(st.lists(SMALL, min_size=1, max_size=5))
def test_the_bootstrap_of_a_mean_counts_every_resample(values: list[Fraction]) -> None:
    clusters = [Cluster(value) for value in values]
    found, expected = bootstrap(clusters), enumerated(clusters)
    assert (found is None) == (expected is None)
    if found is not None:
        assert (found.low, found.high) == pytest.approx(expected)


def test_the_published_difference() -> None:
    found = bootstrap([Cluster(value) for value in PUBLISHED])
    assert found is not None
    assert (found.low, found.high) == pytest.approx((0.0, 0.34))


@pytest.mark.parametrize("tasks", [7, 12, 40])
def test_the_bootstrap_is_about_scipys(tasks: int) -> None:
    values = [Fraction((7 * i * i) % 23 - 6, 10) for i in range(tasks)]
    found = bootstrap([Cluster(value) for value in values])
    assert found is not None
    assert found.exact == (tasks <= 7)
    reference = scipy_stats.bootstrap(
        ([float(value) for value in values],),
        np.mean,
        method="percentile",
        n_resamples=20_000,
        rng=np.random.default_rng(1),
    ).confidence_interval
    spread = reference.high - reference.low
    assert found.low == pytest.approx(reference.low, abs=0.1 * spread)
    assert found.high == pytest.approx(reference.high, abs=0.1 * spread)
    assert bootstrap([Cluster(value) for value in values]) == found


@pytest.mark.parametrize(
    "clusters",
    [[], [Cluster(1, 2)], [Cluster(0, 0)], [Cluster(0, 3), Cluster(0, 7)], [Cluster(3, 3), Cluster(7, 7)]],
    ids=["none", "one", "0/0", "0/n", "n/n"],
)
def test_without_a_difference_between_clusters_there_is_no_interval(clusters: list[Cluster]) -> None:
    assert bootstrap(clusters) is None


WORDS = st.sampled_from(("right", "false"))


@given(st.lists(st.tuples(WORDS, WORDS), min_size=1, max_size=30))
def test_kappa_is_that_of_statsmodels(pairs: list[tuple[str, str]]) -> None:
    table = np.zeros((2, 2))
    for a, b in pairs:
        table[int(a == "false"), int(b == "false")] += 1
    found = agreement(pairs)
    assert (found.agreed, found.n) == (table.trace(), len(pairs))
    by_chance = float(table.sum(axis=1) @ table.sum(axis=0)) / len(pairs) ** 2
    if by_chance == 1:
        assert found.kappa is None
    else:
        assert found.kappa == pytest.approx(cohens_kappa(table, return_results=False))


def test_kappa_at_the_edges() -> None:
    assert agreement([]) == (0, 0, None)
    assert agreement([("right", "right")] * 4) == (4, 4, None)
    assert agreement([("right", "false")]) == (0, 1, 0.0)
    assert agreement([("right", "right"), ("false", "false")]) == (2, 2, 1.0)
    assert agreement([("right", "false"), ("false", "right")]) == (0, 2, -1.0)
