"""The reviewers: one pair by hand on a correct change, whose answers fit the schema; and one of its pages."""

from collections.abc import Iterator
from typing import Any

from gatecore.gates.base import FAIL, NOT_JUDGED, PASS, SKIPPED, Judgement
from gatecore.harness.bench import Bench
from gatecore.harness.by_hand import bench_site, look, review
from gatecore.harness.validate.oracle import reference_tree
from gatecore.harness.validate.step import Step

_NAME = "review: one pair by hand"
_PAGES = "review: pages rendered and looked at"


def try_review(bench: Bench) -> Iterator[Step]:
    """On the reference of the first task; of its pages only where the bench says how they are rendered."""
    task = bench.tasks[0]
    with bench_site(bench, task) as site:
        work = site.state / "change"
        site.store.checkout(reference_tree(bench, site, task), str(work))
        record = review(bench, work, task, "indep").record
        pages = look(bench, work, task) if bench.settings.gate2.command else None
    errors = [reviewer for reviewer in record["reviewers"] if reviewer["error"]]
    yield Step(
        _NAME, not errors, "; ".join(map(_answer, record["reviewers"])) + f"; {_usd(record['cost_usd'])}"
    )

    if pages:
        yield Step(_PAGES, pages.verdict in (PASS, FAIL, SKIPPED), _looked(pages))


def _looked(pages: Judgement) -> str:
    record = pages.record
    if pages.verdict in (NOT_JUDGED, SKIPPED):
        return f"{pages.verdict.replace('_', ' ')}: {record['why']}"
    before = (
        f", {len(record['before'])} before the change" if record["before"] else f"; {record['before_why']}"
    )
    said = "; ".join(map(_answer, record["reviewers"]))
    return f"pictures: {len(record['after'])}{before}; {said}; {_usd(record['cost_usd'])}"


def _answer(reviewer: dict[str, Any]) -> str:
    if reviewer["error"]:
        return f"{reviewer['id']}: {reviewer['error']}"
    word = "approves" if reviewer["approve_raw"] else "does not approve"
    return f"{reviewer['id']} {word}, findings: {len(reviewer['findings'])}"


def _usd(amount: float | None) -> str:
    return "$?" if amount is None else f"${amount:.3f}"
