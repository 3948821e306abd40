"""Gate 3, review: two independent reviewers, or a reviewer and a challenger of the findings."""

import threading
from collections.abc import Mapping, Sequence
from typing import Any

from gatecore.checks.outcome import CheckResult
from gatecore.checks.run import Check
from gatecore.gates.base import Judgement, Stop
from gatecore.gates.diffs import shown_diff
from gatecore.gates.findings import Finding, Review, blocking, numbered, uphold
from gatecore.gates.reviewing import call, copy_of, once, reviewed, told


class ReviewGate:
    """Fails when a reviewer found a defect that blocks (`indep`), or one that the challenger upholds (`adv`)."""

    name = "g3"
    key = "gate3"

    def checks(self, stop: Stop) -> Sequence[Check]:
        """None: reviewers read, they run nothing."""
        return ()

    def judge(self, stop: Stop, results: Mapping[str, CheckResult]) -> Judgement:
        """Review the change; on a tree and request that were judged before, give that verdict again."""
        variant = stop.config.gates[self.key].variant
        return once(stop, (variant,), lambda: _review(stop, variant), _feedback)


def _review(stop: Stop, variant: str) -> tuple[str, dict[str, Any]]:
    """The verdict and what stands in the record."""
    copy = copy_of(stop)
    diff = shown_diff(stop.snapshot.diff, stop.config.limits.diff_chars)
    slots = {"request": stop.config.request, "diff": diff}
    if variant == "adv":
        a = call(stop, "A", "reviewer", copy, slots)
        findings = {"findings": numbered(a.findings) or "(none)"}
        b = call(stop, "B", "challenger", copy, {**slots, **findings})
        a, b = uphold(a, b)
    else:
        a, b = _side_by_side(stop, copy, slots)
    verdict, record = reviewed((a, b), blocking(a, b, variant), diff)
    return verdict, {"variant": variant, **record}


def _side_by_side(stop: Stop, copy: str, slots: Mapping[str, str]) -> tuple[Review, Review]:
    reviews: dict[str, Review] = {}

    def review(reviewer: str) -> None:
        reviews[reviewer] = call(stop, reviewer, "reviewer", copy, slots)

    threads = [threading.Thread(target=review, args=(reviewer,), daemon=True) for reviewer in "AB"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return reviews["A"], reviews["B"]


def _feedback(found: Sequence[Finding], chars: int) -> str:
    end = "Fix every finding, run the tests again, then stop."
    return told("The review of this change", end, found, chars)
