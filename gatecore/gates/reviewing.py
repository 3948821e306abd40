"""What gates that ask reviewers have in common: the call, the record, and what the agent is told."""

import hashlib
import os
import re
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from gatecore.agents.claude import Answer, ask, borrowed_token
from gatecore.gates.base import FAIL, NOT_JUDGED, PASS, Judgement, Stop
from gatecore.gates.feedback import scrub
from gatecore.gates.findings import CHALLENGER_SCHEMA, REVIEWER_SCHEMA, Finding, Review, read_answer
from gatecore.hook.config import Client

_RETRY_S = 3.0
_SLOT = r"\{(request|diff|findings|pictures|fence)\}"


def copy_of(stop: Stop, name: str = "review") -> str:
    """The folder of the copy that reviewers read, brought up to date."""
    copy = os.path.join(stop.config.state, "copies", name)
    stop.store.checkout(stop.snapshot.tree, copy)
    return copy


def once(
    stop: Stop,
    asked: Sequence[str],
    judge: Callable[[], tuple[str, dict[str, Any]]],
    feedback: Callable[[Sequence[Finding], int], str],
) -> Judgement:
    """Have `judge` give verdict and record; where the same was `asked` of the same tree before, give those again.

    What was not judged is asked again.
    """
    words = "\0".join((stop.snapshot.tree, stop.config.request, *asked))
    key = hashlib.sha256(words.encode("utf-8", "replace")).hexdigest()
    memory = stop.memory
    if memory.get("key") == key:
        verdict, record = memory["verdict"], {**memory["record"], "reused": True, "cost_usd": 0.0}
    else:
        verdict, record = judge()
        if verdict != NOT_JUDGED:
            memory.update(key=key, verdict=verdict, record=record)
    return Judgement(verdict, record, lambda chars: feedback(record.get("blocking", ()), chars))


def call(
    stop: Stop,
    reviewer: str,
    role: str,
    copy: str,
    slots: Mapping[str, str],
    *,
    folders: Sequence[str] = (),
) -> Review:
    """Ask one reviewer; once more when the client could not be started (it may just be replaced).

    `slots` fill the prompt of its `role`; it may read in `copy` and in `folders`.
    """
    client = stop.config.client
    if client is None:
        return Review(reviewer, error="no client is configured")
    if left(stop) < 1:
        return Review(reviewer, error="no time was left for it")
    stop.event("check_started", check=f"review {reviewer}")
    answer, retry_after = _ask(stop, client, reviewer, role, copy, slots, folders), None
    if not answer.started and left(stop) > _RETRY_S + 1:
        time.sleep(_RETRY_S)
        answer, retry_after = _ask(stop, client, reviewer, role, copy, slots, folders), answer.error
    review = _read(reviewer, answer, challenger=role == "challenger")._replace(retry_after=retry_after)
    verdict = NOT_JUDGED if review.error else PASS if review.approve_raw else FAIL
    stop.event("check_ended", check=f"review {reviewer}", verdict=verdict, seconds=answer.wall_s)
    return review


def left(stop: Stop) -> float:
    """Seconds until everything must be answered."""
    return stop.deadline - time.monotonic()


def reviewed(reviews: Sequence[Review], found: Sequence[Finding], diff: str) -> tuple[str, dict[str, Any]]:
    """The verdict of some reviewers, and what stands in the record, when `found` is what blocks."""
    errors = [f"reviewer {review.id}: {review.error}" for review in reviews if review.error]
    verdict = FAIL if found else NOT_JUDGED if errors else PASS
    costs = [review.cost_usd for review in reviews]
    record: dict[str, Any] = {
        "ran": True,
        "reviewers": [review.record(list(found)) for review in reviews],
        "blocking_findings": len(found),
        "blocking": list(found),
        "pass": None if verdict == NOT_JUDGED else verdict == PASS,
        "verdict": verdict,
        "cost_usd": None if None in costs else round(sum(c for c in costs if c is not None), 6),
        "diff_chars": len(diff),
    }
    return verdict, record | ({"why": "; ".join(errors)} if errors else {})


def told(head: str, end: str, found: Sequence[Finding], chars: int) -> str:
    """The blocking findings as the agent reads them, between two lines, in so many characters at most."""
    defects = "1 blocking defect" if len(found) == 1 else f"{len(found)} blocking defects"
    head = f"{head} found {defects}:\n"
    body = "\n".join(f"{i}. {_place(finding)} {finding['text']}" for i, finding in enumerate(found, 1))
    room = chars - len(head) - len(end) - 1
    if len(body) > room:
        body = body[: room - 30].rstrip() + "\n[the rest is cut off]"
    return f"{head}{body}\n{end}"


def shown_findings(stop: Stop, found: Sequence[Finding], folders: Mapping[str, str]) -> list[Finding]:
    """Findings with every folder of the harness replaced; `folders` are some of them with a name of their own."""
    state = stop.config.state
    copy = os.path.join(state, "copies", "review")
    shown = [*folders.items(), (copy, "."), *((path, "...") for path in stop.config.hidden_paths)]
    return [
        {**f, "file": scrub(f["file"], copy, shown), "text": scrub(f["text"], copy, shown)} for f in found
    ]


def _ask(
    stop: Stop,
    client: Client,
    reviewer: str,
    role: str,
    copy: str,
    slots: Mapping[str, str],
    folders: Sequence[str],
) -> Answer:
    limits = stop.config.limits
    filled = {"findings": "(none)", "pictures": "", **slots, "fence": f"data-{os.urandom(8).hex()}"}
    return ask(
        client.command,
        prompt=re.sub(_SLOT, lambda slot: filled[slot[1]], stop.config.prompts[role]),
        schema=CHALLENGER_SCHEMA if role == "challenger" else REVIEWER_SCHEMA,
        model=client.reviewer_model,
        max_turns=limits.reviewer_turns,
        seconds=min(limits.reviewer_s, left(stop)),
        cwd=copy,
        folders=folders,
        env={
            **client.env,
            **borrowed_token(stop.config.state),
            "GATECORE_SCRIPTED_STOP": str(stop.n),
            "GATECORE_SCRIPTED_REVIEWER": reviewer,
        },
        scratch=os.path.join(stop.config.state, f"review-{stop.n}-{reviewer}"),
    )


def _read(reviewer: str, answer: Answer, *, challenger: bool) -> Review:
    review = read_answer(reviewer, answer.value, challenger=challenger)
    return review._replace(
        error=answer.error or review.error,
        cost_usd=answer.cost_usd,
        turns=answer.turns,
        wall_s=answer.wall_s,
        models=answer.models,
    )


def _place(finding: Finding) -> str:
    return finding["file"] if finding["line"] is None else f"{finding['file']}:{finding['line']}"
