"""Gate 3, review: two independent reviewers, or a reviewer and a challenger of the findings."""

import hashlib
import os
import re
import secrets
import threading
import time
from collections.abc import Mapping, Sequence
from typing import Any

from gatecore.agents.claude import Answer, ask, borrowed_token
from gatecore.checks.outcome import CheckResult
from gatecore.checks.run import Check
from gatecore.gates.base import FAIL, NOT_JUDGED, PASS, Judgement, Stop
from gatecore.gates.diffs import shown_diff
from gatecore.gates.findings import (
    CHALLENGER_SCHEMA,
    REVIEWER_SCHEMA,
    Review,
    blocking,
    numbered,
    read_answer,
    uphold,
)
from gatecore.hook.config import Client

_RETRY_S = 3.0
_SLOT = re.compile(r"\{(request|diff|findings|fence)\}")


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
        asked = "\0".join((stop.snapshot.tree, variant, stop.config.request))
        key = hashlib.sha256(asked.encode("utf-8", "replace")).hexdigest()
        if stop.memory.get("key") == key:
            verdict, record = (
                stop.memory["verdict"],
                {**stop.memory["record"], "reused": True, "cost_usd": 0.0},
            )
        else:
            verdict, record = _review(stop, variant)
            if verdict != NOT_JUDGED:
                stop.memory.update(key=key, verdict=verdict, record=record)
        return Judgement(verdict, record, lambda chars: _feedback(record["blocking"], chars))


def _review(stop: Stop, variant: str) -> tuple[str, dict[str, Any]]:
    """The verdict and what stands in the record."""
    copy = os.path.join(stop.config.state, "copies", "review")
    stop.store.checkout(stop.snapshot.tree, copy)
    diff = shown_diff(stop.snapshot.diff, stop.config.limits.diff_chars)
    if variant == "adv":
        a = _call(stop, "A", "reviewer", copy, diff, "")
        b = _call(stop, "B", "challenger", copy, diff, numbered(a.findings))
        a, b = uphold(a, b)
    else:
        a, b = _side_by_side(stop, copy, diff)
    found = blocking(a, b, variant)
    errors = [f"reviewer {r.id}: {r.error}" for r in (a, b) if r.error]
    verdict = FAIL if found else NOT_JUDGED if errors else PASS
    costs = [r.cost_usd for r in (a, b)]
    record: dict[str, Any] = {
        "ran": True,
        "variant": variant,
        "reviewers": [a.record(found), b.record(found)],
        "blocking_findings": len(found),
        "blocking": found,
        "pass": None if verdict == NOT_JUDGED else verdict == PASS,
        "verdict": verdict,
        "cost_usd": None if None in costs else round(sum(c for c in costs if c is not None), 6),
        "diff_chars": len(diff),
    }
    if errors:
        record["why"] = "; ".join(errors)
    return verdict, record


def _side_by_side(stop: Stop, copy: str, diff: str) -> tuple[Review, Review]:
    reviews: dict[str, Review] = {}

    def review(reviewer: str) -> None:
        reviews[reviewer] = _call(stop, reviewer, "reviewer", copy, diff, "")

    threads = [threading.Thread(target=review, args=(reviewer,), daemon=True) for reviewer in "AB"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return reviews["A"], reviews["B"]


def _call(stop: Stop, reviewer: str, role: str, copy: str, diff: str, findings: str) -> Review:
    """Ask one reviewer; once more when the client could not be started (it may just be replaced)."""
    client = stop.config.client
    if client is None:
        return Review(reviewer, error="no client is configured")
    if _left(stop) < 1:
        return Review(reviewer, error="no time was left for it")
    slots = {"request": stop.config.request, "diff": diff, "findings": findings or "(none)"}
    stop.event("check_started", check=f"review {reviewer}")
    answer, retry_after = _ask(stop, client, reviewer, role, copy, slots), None
    if not answer.started and _left(stop) > _RETRY_S + 1:
        time.sleep(_RETRY_S)
        answer, retry_after = _ask(stop, client, reviewer, role, copy, slots), answer.error
    review = _read(reviewer, answer, challenger=role == "challenger")._replace(retry_after=retry_after)
    verdict = NOT_JUDGED if review.error else PASS if review.approve_raw else FAIL
    stop.event("check_ended", check=f"review {reviewer}", verdict=verdict, seconds=answer.wall_s)
    return review


def _ask(stop: Stop, client: Client, reviewer: str, role: str, copy: str, slots: dict[str, str]) -> Answer:
    limits = stop.config.limits
    slots = {**slots, "fence": f"data-{secrets.token_hex(8)}"}
    return ask(
        client.command,
        prompt=_SLOT.sub(lambda slot: slots[slot[1]], stop.config.prompts[role]),
        schema=CHALLENGER_SCHEMA if role == "challenger" else REVIEWER_SCHEMA,
        model=client.reviewer_model,
        max_turns=limits.reviewer_turns,
        seconds=min(limits.reviewer_s, _left(stop)),
        cwd=copy,
        env={
            **client.env,
            **borrowed_token(stop.config.state),
            "GATECORE_SCRIPTED_STOP": str(stop.n),
            "GATECORE_SCRIPTED_REVIEWER": reviewer,
        },
        scratch=os.path.join(stop.config.state, f"review-{stop.n}-{reviewer}"),
    )


def _left(stop: Stop) -> float:
    return stop.deadline - time.monotonic()


def _read(reviewer: str, answer: Answer, *, challenger: bool) -> Review:
    review = read_answer(reviewer, answer.value, challenger=challenger)
    return review._replace(
        error=answer.error or review.error,
        cost_usd=answer.cost_usd,
        turns=answer.turns,
        wall_s=answer.wall_s,
        models=answer.models,
    )


def _feedback(found: Sequence[Mapping[str, Any]], chars: int) -> str:
    defects = "1 blocking defect" if len(found) == 1 else f"{len(found)} blocking defects"
    head = f"The review of this change found {defects}:\n"
    end = "\nFix every finding, run the tests again, then stop."
    body = "\n".join(f"{i}. {_place(finding)} {finding['text']}" for i, finding in enumerate(found, 1))
    room = chars - len(head) - len(end)
    if len(body) > room:
        body = body[: room - 30].rstrip() + "\n[the rest is cut off]"
    return head + body + end


def _place(finding: Mapping[str, Any]) -> str:
    return finding["file"] if finding["line"] is None else f"{finding['file']}:{finding['line']}"
