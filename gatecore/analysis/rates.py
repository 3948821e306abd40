"""How a rate is told in JSON."""

from collections.abc import Iterable
from typing import Any

from gatecore.stats import Cluster, bootstrap, wilson


def rate(k: int | None, n: int | None) -> dict[str, Any]:
    """k of n with its 95 % Wilson interval as fractions of 1; what is 0/0 or not known is None."""
    interval = None if k is None or n is None else wilson(k, n)
    known = k is not None and n
    return {
        "k": k,
        "n": n,
        "rate": k / n if k is not None and n and known else None,
        "low": interval[0] if interval else None,
        "high": interval[1] if interval else None,
    }


def clustered(parts: Iterable[tuple[int, int]]) -> dict[str, Any]:
    """The sum of the parts' k of n as `rate` tells it, and the interval when the parts (tasks) are resampled."""
    parts = [(k, n) for k, n in parts if n]
    over = bootstrap([Cluster(k, n) for k, n in parts])
    return {
        **rate(sum(k for k, _ in parts), sum(n for _, n in parts)),
        "tasks": len(parts),
        "task_low": over.low if over else None,
        "task_high": over.high if over else None,
    }
