"""The reviewers: one pair by hand on a correct change, whose answers fit the schema."""

from collections.abc import Iterator
from typing import Any

from gatecore.harness.bench import Bench
from gatecore.harness.by_hand import bench_site, review
from gatecore.harness.validate.oracle import reference_tree
from gatecore.harness.validate.step import Step

_NAME = "review: one pair by hand"


def try_review(bench: Bench) -> Iterator[Step]:
    """One step, on the reference of the first task."""
    task = bench.tasks[0]
    with bench_site(bench, task) as site:
        work = site.state / "change"
        site.store.checkout(reference_tree(bench, site, task), str(work))
        record = review(bench, work, task, "indep").record
    errors = [reviewer for reviewer in record["reviewers"] if reviewer["error"]]
    yield Step(
        _NAME, not errors, "; ".join(map(_answer, record["reviewers"])) + f"; {_usd(record['cost_usd'])}"
    )


def _answer(reviewer: dict[str, Any]) -> str:
    if reviewer["error"]:
        return f"{reviewer['id']}: {reviewer['error']}"
    word = "approves" if reviewer["approve_raw"] else "does not approve"
    return f"{reviewer['id']} {word}, findings: {len(reviewer['findings'])}"


def _usd(amount: float | None) -> str:
    return "$?" if amount is None else f"${amount:.3f}"
