"""What a person can say of a block."""

from typing import Literal

Verdict = Literal["right", "false", "unsure"]
VERDICTS: tuple[Verdict, ...] = ("right", "false", "unsure")
CAUSES = (
    "over-specified test",
    "request silent",
    "oracle gap",
    "flaky",
    "environment",
    "reviewer wrong",
    "not the agent's change",
)
