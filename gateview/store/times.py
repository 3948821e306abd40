"""Points in time as the ledgers write them: ISO 8601, with an offset or (original harness) without one."""

from datetime import datetime


def epoch(ts: str | None) -> float | None:
    """Seconds since the epoch, None when `ts` is no time. Without an offset it is local time."""
    if not ts:
        return None
    try:
        return datetime.fromisoformat(ts).timestamp()
    except (ValueError, OverflowError, OSError):
        return None


def clock(seconds: float) -> str:
    """Return local time of day as ``14:02:11``, ``?`` when it is out of any calendar's range."""
    try:
        return datetime.fromtimestamp(seconds).strftime("%H:%M:%S")
    except (ValueError, OverflowError, OSError):
        return "?"


def span(seconds: float) -> str:
    """Return a length of time in the unit in which it reads best: ``12 s``, ``24 min``, ``1.5 h``."""
    seconds = max(0.0, seconds)
    if seconds < 90:
        return f"{seconds:.0f} s"
    if seconds < 90 * 60:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"
