"""Figures as spans."""

from gateview.lines.spans import Span, Spans, say


def share(part: int | None, whole: int | None) -> str:
    """``2/5``; ``n/a`` of nothing, ``?`` of what is not known."""
    if part is None or whole is None:
        return "?"
    return f"{part}/{whole}" if whole else "n/a"


def rate_spans(text: str, *, interval: bool) -> Spans:
    """A rate of the report with its interval dim, or left out where there is no room."""
    rate, bracket, bounds = text.partition(" [")
    return say(rate, Span(bracket + bounds, "dim")) if interval else say(rate)


def counted(number: int, noun: str) -> str:
    """``1 stop``, ``1,200 stops``."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
