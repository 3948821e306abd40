"""Signs that tell what happened without colour, and the role that tells whether gate and oracle agreed."""

from collections.abc import Mapping
from dataclasses import dataclass

from gatecore.ledger.classes import StopClass
from gateview.lines.spans import Span

ROLE: Mapping[StopClass, str] = {
    "right": "agree", "clean": "agree", "false": "disagree", "missed": "disagree",
    "gave_up": "strong", "error": "strong", "killed": "strong",
    "no_oracle": "unknown", "skipped": "unknown", "other": "unknown",
}  # fmt: skip

WORDS: Mapping[StopClass, str] = {
    "right": "right block",
    "false": "false block",
    "missed": "missed",
    "clean": "clean",
    "gave_up": "gave up",
    "error": "error",
    "killed": "killed",
    "no_oracle": "no oracle",
    "skipped": "skipped",
    "other": "unknown word",
}

MEANING: Mapping[StopClass, str] = {
    "right": "blocked, and a requirement did fail",
    "false": "blocked, though every requirement was met",
    "missed": "let through, though a requirement failed",
    "clean": "let through, every requirement met",
    "gave_up": "would block, but had blocked too often",
    "error": "the gate itself broke",
    "killed": "began and never ended",
    "no_oracle": "nothing to judge the gate by",
    "skipped": "no gate ran, by rule",
    "other": "a decision this version does not know",
}


@dataclass(frozen=True, slots=True)
class Glyphs:
    """One set of signs."""

    stops: Mapping[StopClass, str]
    met: str
    failed: str
    running: str
    bar: str  # empty first, then the steps to full
    going_on: str

    def stop(self, kind: StopClass) -> Span:
        """The sign of a stop."""
        return Span(self.stops[kind], ROLE[kind])

    def strip(self, kinds: tuple[StopClass, ...], width: int) -> tuple[Span, ...]:
        """The signs of a run's stops in order; of more than `width` stops the newest."""
        if len(kinds) <= width:
            return tuple(self.stop(kind) for kind in kinds)
        return (Span(self.going_on, "dim"), *(self.stop(kind) for kind in kinds[len(kinds) - width + 1 :]))

    def legend(self) -> str:
        """All signs with their words, on one line."""
        return "  ".join(f"{self.stops[kind]} {word}" for kind, word in WORDS.items())

    def gauge(self, share: float, width: int) -> tuple[Span, Span]:
        """A bar of `width` cells: its full part and its rest."""
        steps = len(self.bar) - 1
        full, part = divmod(round(min(max(share, 0.0), 1.0) * width * steps), steps)
        filled = self.bar[-1] * full + (self.bar[part] if part else "")
        return Span(filled, "bar"), Span(self.bar[0] * (width - len(filled)), "bar-rest")


UNICODE = Glyphs(
    stops=dict(zip(ROLE, "■✓□○⊘!†?\N{EN DASH}?", strict=True)),
    met="●",
    failed="○",
    running="●",
    bar="─╸━",
    going_on="…",
)
ASCII = Glyphs(
    stops=dict(zip(ROLE, "B.bmG!k?-?", strict=True)),
    met="+",
    failed="o",
    running="*",
    bar=".#",
    going_on="~",
)
