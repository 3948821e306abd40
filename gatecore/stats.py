"""Statistics of small samples."""

from math import sqrt

_Z95 = 1.959964
"""The standard normal quantile of a two-sided 95 % interval."""


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
