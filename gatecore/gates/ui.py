"""Gate 2, UI review: one reviewer who sees the request, the diff, and the pages before and after as pictures."""

import os
from collections.abc import Mapping, Sequence
from typing import Any

from gatecore.checks.outcome import CheckResult
from gatecore.checks.run import Check
from gatecore.gates.base import NOT_JUDGED, PASS, SKIPPED, Judgement, Stop
from gatecore.gates.diffs import shown_diff
from gatecore.gates.findings import Finding, blocking_of
from gatecore.gates.globs import matching
from gatecore.gates.pictures import Rendered, listed, render
from gatecore.gates.reviewing import call, copy_of, once, reviewed, shown_findings, told

REVIEWER = "UI"
"""How its reviewer is called in the record."""


class UiGate:
    """Fails when the reviewer of the rendered pages found a defect that blocks."""

    name = "g2"
    key = "gate2"

    def checks(self, stop: Stop) -> Sequence[Check]:
        """None: pages are rendered only once the gates before have let the stop pass."""
        return ()

    def judge(self, stop: Stop, results: Mapping[str, CheckResult]) -> Judgement:
        """Render and review, unless the change is of no page; what cannot be rendered is not judged."""
        paths = stop.config.render.paths if stop.config.render else ()
        if not matching(stop.snapshot.changed, paths):
            why = f"no changed path matches {', '.join(paths)}"
            return Judgement(SKIPPED, {"ran": False, "verdict": SKIPPED, "why": why}, lambda _: "")
        return once(stop, (), lambda: _review(stop), lambda found, chars: _feedback(stop, found, chars))


def _review(stop: Stop) -> tuple[str, dict[str, Any]]:
    """The verdict and what stands in the record."""
    before = _of_the_base(stop)
    after = _rendered(stop, stop.snapshot.tree, f"render-{stop.n}.txt", "after")
    pages = {
        "before": list(before.pictures),
        "before_why": before.why,
        "after": list(after.pictures),
        "render_s": round(before.seconds + after.seconds, 1),
    }
    if after.why:
        record = {"ran": True, "reviewers": [], "blocking": [], "blocking_findings": 0, "cost_usd": 0.0}
        return NOT_JUDGED, {**record, "pass": None, "verdict": NOT_JUDGED, "why": after.why, **pages}
    diff = shown_diff(stop.snapshot.diff, stop.config.limits.diff_chars)
    slots = {"request": stop.config.request, "diff": diff, "pictures": _words(stop, before, after)}
    review = call(stop, REVIEWER, "ui", copy_of(stop), slots, folders=(_folder(stop),))
    found = [{**finding, "by": REVIEWER} for finding in blocking_of(review)]
    verdict, record = reviewed((review,), found, diff)
    return verdict, {**record, **pages}


def _of_the_base(stop: Stop) -> Rendered:
    """The pages before the change: rendered at the first stop that needs them, and kept."""
    kept = stop.memory.get("before")
    if kept and os.path.isdir(_folder(stop, "before")):
        return Rendered(tuple(kept), "", 0.0)
    before = _rendered(stop, stop.config.base.tree, "render-base.txt", "before")
    stop.memory["before"] = list(before.pictures)
    return before


def _rendered(stop: Stop, tree: str, output: str, which: str) -> Rendered:
    check = f"render {which}"
    stop.event("check_started", check=check)
    rendered = render(stop, tree, output, _folder(stop, which))
    verdict = NOT_JUDGED if rendered.why else PASS
    stop.event("check_ended", check=check, verdict=verdict, seconds=rendered.seconds)
    return rendered


def _words(stop: Stop, before: Rendered, after: Rendered) -> str:
    old = listed(before.pictures, _folder(stop, "before")) or f"(none: {before.why})"
    new = listed(after.pictures, _folder(stop, "after"), before.pictures)
    return f"After the change:\n{new}\n\nBefore the change:\n{old}"


def _folder(stop: Stop, *which: str) -> str:
    return os.path.join(stop.config.state, "pictures", *which)


def _feedback(stop: Stop, found: Sequence[Finding], chars: int) -> str:
    shown = shown_findings(stop, found, {_folder(stop): "pictures"})
    end = "Fix every finding, look at the pages again, then stop."
    return told("The review of the rendered pages", end, shown, chars)
