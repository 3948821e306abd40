"""Statistics of small samples: intervals of rates, paired tests over tasks, agreement. Pure functions."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from math import ceil, comb, lcm, sqrt
from typing import NamedTuple

_Z95 = 1.959964
"""The standard normal quantile of a two-sided 95 % interval."""
_SUMS_LIMIT = 100_000
"""Beyond this many different sums a sign-flip test draws patterns instead of counting all."""
_RESAMPLES_LIMIT = 2_000
"""Beyond this many different resamples a bootstrap draws them instead of counting all."""
_PATTERNS = 10_000
_DRAWS = 1_000
_SEED = 20_260_731


class PValue(NamedTuple):
    """A two-sided p-value; `exact` is False when it is estimated from random sign patterns."""

    p: float
    exact: bool = True


class Interval(NamedTuple):
    """A 95 % interval; `exact` is False when it is estimated from random resamples."""

    low: float
    high: float
    exact: bool = True


class Cluster(NamedTuple):
    """What one cluster (a task) adds to a ratio: numerator and denominator."""

    part: Fraction | int
    whole: Fraction | int = 1


class Agreement(NamedTuple):
    """Two raters over `n` items: how many they agree on, and Cohen's kappa (None for 0/0)."""

    agreed: int
    n: int
    kappa: float | None


def wilson(k: int, n: int, z: float = _Z95) -> tuple[float, float] | None:
    """Return the Wilson score interval of the rate k/n as fractions of 1; None for 0/0.

    Raises ValueError unless 0 <= k <= n.
    """
    if not 0 <= k <= n:
        raise ValueError(f"{k} of {n} is no rate")
    if n == 0:
        return None
    rate, square = k / n, z * z
    centre = (rate + square / (2 * n)) / (1 + square / n)
    half = z / (1 + square / n) * sqrt(rate * (1 - rate) / n + square / (4 * n * n))
    return (0.0 if k == 0 else centre - half, 1.0 if k == n else centre + half)


def sign_flip(differences: Sequence[Fraction | int], *, limit: int = _SUMS_LIMIT) -> PValue | None:
    """Test whether paired `differences` (one a task) are centred on 0; None without any.

    p is the share of all 2^k patterns of signs whose sum is at least as far from 0 as the sum seen. Every
    pattern is counted, in whole numbers; only where there are more than `limit` different sums are patterns
    drawn (10,000 with a fixed seed).
    """
    if not differences:
        return None
    values = [abs(value) for value in _whole(differences)]
    seen = abs(sum(_whole(differences)))
    sums = _sums(values, limit)
    if sums is None:
        return PValue(_drawn_p(values, seen), exact=False)
    return PValue(float(Fraction(sum(n for s, n in sums.items() if abs(s) >= seen), 2 ** len(values))))


def smallest_p(tasks: int) -> float:
    """The smallest two-sided p that a sign-flip test over `tasks` differences other than 0 can give."""
    return float(Fraction(2, 2**tasks)) if tasks else 1.0


def bootstrap(clusters: Sequence[Cluster], *, limit: int = _RESAMPLES_LIMIT) -> Interval | None:
    """Return the 95 % percentile interval of sum(part) / sum(whole) when whole clusters are resampled.

    Every resample counts with its probability, up to `limit` different ones; beyond that some are drawn with
    a fixed seed (1,000, fewer of more than 200 clusters). A resample whose wholes sum to 0 has no ratio and
    is left out; None when none has one, and when all clusters have the same ratio: resampling knows no
    spread then, which does not mean that there is none.
    """
    k = len(clusters)
    if k == 0:
        return None
    scaled = _whole([*(c.part for c in clusters), *(c.whole for c in clusters)])
    parts, wholes = scaled[:k], scaled[k:]
    if len({Fraction(part, whole) for part, whole in zip(parts, wholes, strict=True) if whole}) < 2:
        return None
    if comb(2 * k - 1, k) > limit:
        ratios = sorted(_drawn_ratios(parts, wholes))
        low, high = (ratios[ceil(len(ratios) * share / 40) - 1] for share in (1, 39))
        return Interval(low, high, exact=False)
    resamples = _every_resample(parts, wholes)
    weighted = sorted((part / whole, weight) for part, whole, weight in resamples if whole)
    return Interval(_quantile(weighted, 1, 40), _quantile(weighted, 39, 40))


def agreement(pairs: Iterable[tuple[str, str]]) -> Agreement:
    """Compare two raters, item by item. Kappa is 0/0, hence None, where chance alone would agree on all."""
    counts = Counter(pairs)
    n, agreed = counts.total(), sum(count for (a, b), count in counts.items() if a == b)
    first, second = Counter[str](), Counter[str]()
    for (a, b), count in counts.items():
        first[a] += count
        second[b] += count
    by_chance = sum(first[word] * second[word] for word in first)  # times n squared
    kappa = None if n * n == by_chance else (n * agreed - by_chance) / (n * n - by_chance)
    return Agreement(agreed, n, kappa)


def _whole(values: Sequence[Fraction | int]) -> list[int]:
    """`values` times their least common denominator, so that sums of them are exact and fast."""
    scale = lcm(*(value.denominator for value in values))
    return [value.numerator * (scale // value.denominator) for value in values]


def _sums(values: Iterable[int], limit: int) -> dict[int, int] | None:
    """How many patterns of signs give each sum; None when there are more than `limit` sums."""
    sums = {0: 1}
    for value in values:
        after: dict[int, int] = {}
        for s, n in sums.items():
            after[s + value] = after.get(s + value, 0) + n
            after[s - value] = after.get(s - value, 0) + n
        if len(after) > limit:
            return None
        sums = after
    return sums


def _drawn_p(values: Sequence[int], seen: int) -> float:
    """The share of random patterns as far out as `seen`; the pattern seen is one of them."""
    from random import Random

    random, total = Random(_SEED), sum(values)
    hits = 1
    for _ in range(_PATTERNS):
        minus = sum(value for value in values if random.getrandbits(1))
        hits += abs(total - 2 * minus) >= seen
    return hits / (_PATTERNS + 1)


def _every_resample(parts: Sequence[int], wholes: Sequence[int]) -> Iterator[tuple[int, int, int]]:
    """Sums of each way to draw k of k clusters with replacement, and in how many orders it can be drawn."""
    k = len(parts)

    def draw(i: int, left: int, part: int, whole: int, orders: int) -> Iterator[tuple[int, int, int]]:
        if i == k - 1:
            yield part + left * parts[i], whole + left * wholes[i], orders
            return
        for times in range(left + 1):
            yield from draw(
                i + 1,
                left - times,
                part + times * parts[i],
                whole + times * wholes[i],
                orders * comb(left, times),
            )

    return draw(0, k, 0, 0, 1)


def _drawn_ratios(parts: Sequence[int], wholes: Sequence[int]) -> list[float]:
    k = len(parts)
    base = 1 + k * max(wholes)  # a part and a whole in one number, so that one sum adds both
    codes = [part * base + whole for part, whole in zip(parts, wholes, strict=True)]
    chosen = map(codes.__getitem__, _drawn(k))
    sums = map(sum, zip(*[chosen] * k, strict=True))
    return [code // base / whole for code in sums if (whole := code % base)]


@lru_cache(8)
def _drawn(k: int) -> list[int]:
    """Which of `k` clusters are drawn, resample after resample: the same for everything that has so many."""
    from random import Random

    draws = min(_DRAWS, max(500, 200 * _DRAWS // k))
    return Random(_SEED).choices(range(k), k=k * draws)


def _quantile(weighted: Sequence[tuple[float, int]], part: int, whole: int) -> float:
    """The smallest value at or below which lies at least part/whole of the weight."""
    need, below = part * sum(weight for _, weight in weighted), 0
    for value, weight in weighted:
        below += weight
        if below * whole >= need:
            return value
    return weighted[-1][0]
