"""Reviewers' answers: their schemas, how they are read, and which findings block."""

from typing import Any, NamedTuple

from gatecore.text import line

Finding = dict[str, Any]

_FINDING_SCHEMA = {
    "type": "object",
    "properties": {
        "severity": {"type": "string", "enum": ["blocking", "minor"]},
        "file": {"type": "string"},
        "line": {"type": "integer"},
        "text": {"type": "string"},
    },
    "required": ["severity", "file", "line", "text"],
    "additionalProperties": False,
}
REVIEWER_SCHEMA = {
    "type": "object",
    "properties": {
        "approve": {"type": "boolean"},
        "findings": {"type": "array", "items": _FINDING_SCHEMA},
    },
    "required": ["approve", "findings"],
    "additionalProperties": False,
}
CHALLENGER_SCHEMA = {
    "type": "object",
    "properties": {
        "verdicts": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "id": {"type": "integer"},
                    "verdict": {"type": "string", "enum": ["upheld", "rejected"]},
                    "reason": {"type": "string"},
                },
                "required": ["id", "verdict", "reason"],
                "additionalProperties": False,
            },
        },
        "added_findings": {"type": "array", "items": _FINDING_SCHEMA},
        "approve": {"type": "boolean"},
    },
    "required": ["verdicts", "added_findings", "approve"],
    "additionalProperties": False,
}


class Review(NamedTuple):
    """One reviewer's answer. With `error` there is no answer, and nothing in it counts."""

    id: str
    approve_raw: bool | None = None
    findings: tuple[Finding, ...] = ()
    verdicts: tuple[dict[str, Any], ...] | None = None  # the challenger's
    error: str | None = None
    cost_usd: float | None = None
    turns: int | None = None
    wall_s: float = 0.0
    models: tuple[str, ...] = ()
    retry_after: str | None = None  # the error after which it was called once more

    def record(self, found: list[Finding]) -> dict[str, Any]:
        """What stands under `reviewers` in the ledger. `approve` is effective: see the data contract."""
        nothing_blocks = not found if self.verdicts is not None else not blocking_of(self)
        record = {
            "id": self.id,
            "approve": None if self.error else nothing_blocks,
            "findings": list(self.findings),
            "cost_usd": self.cost_usd,
            "turns": self.turns,
            "wall_s": self.wall_s,
            "error": self.error,
            "models": list(self.models),
            "approve_raw": self.approve_raw,
        }
        if self.verdicts is not None:
            record["verdicts"] = list(self.verdicts)
        return {**record, "retry_after": self.retry_after} if self.retry_after else record


def read_answer(reviewer: str, value: dict[str, Any] | None, *, challenger: bool) -> Review:
    """Read a structured answer; what does not fit the schema makes the whole answer an error."""
    if value is None:
        return Review(reviewer, verdicts=() if challenger else None)
    try:
        findings = tuple(_finding(item) for item in value["added_findings" if challenger else "findings"])
        verdicts = tuple(_verdict(item) for item in value["verdicts"]) if challenger else None
        return Review(reviewer, _is(value["approve"], bool), findings, verdicts)
    except (KeyError, TypeError, ValueError) as err:
        return Review(
            reviewer,
            verdicts=() if challenger else None,
            error=f"the answer does not fit the schema: {err!r}",
        )


def uphold(a: Review, b: Review) -> tuple[Review, Review]:
    """Note on each of A's findings what the challenger B said of it."""
    said = {v["id"]: v["verdict"] for v in b.verdicts or ()}
    answers = ["error" if b.error else said.get(i, "unanswered") for i in range(1, len(a.findings) + 1)]
    noted = tuple({**f, "challenge": answer} for f, answer in zip(a.findings, answers, strict=True))
    return a._replace(findings=noted), b


def blocking(a: Review, b: Review, variant: str) -> list[Finding]:
    """The findings that block: of either reviewer, or A's upheld ones and B's added ones."""
    of_b = [{**finding, "by": "B"} for finding in blocking_of(b)]
    if variant == "adv":
        upheld = [f for f in blocking_of(a) if f["challenge"] == "upheld"]
        return [{**finding, "by": "A", "upheld_by": "B"} for finding in upheld] + of_b
    return [{**finding, "by": "A"} for finding in blocking_of(a)] + of_b


def blocking_of(review: Review) -> list[Finding]:
    """One reviewer's findings that block by their severity."""
    return [finding for finding in review.findings if finding["severity"] == "blocking"]


def numbered(findings: tuple[Finding, ...]) -> str:
    """Findings as the challenger is given them."""
    return "\n".join(
        f"{i}. [{f['severity']}] {f['file']}:{f['line']} {f['text']}" for i, f in enumerate(findings, 1)
    )


def _finding(value: Any) -> Finding:
    if value["severity"] not in ("blocking", "minor"):
        raise ValueError(f"severity {value['severity']!r}")
    place = value.get("line")
    return {
        "severity": value["severity"],
        "file": line(_is(value["file"], str)),
        "line": None if place is None else _is(place, int),
        "text": line(_is(value["text"], str)),
    }


def _verdict(value: Any) -> dict[str, Any]:
    if value["verdict"] not in ("upheld", "rejected"):
        raise ValueError(f"verdict {value['verdict']!r}")
    return {
        "id": _is(value["id"], int),
        "verdict": value["verdict"],
        "reason": line(_is(value["reason"], str)),
    }


def _is(value: Any, kind: type) -> Any:
    if not isinstance(value, kind):
        raise TypeError(f"{value!r} is no {kind.__name__}")
    return value
