"""One thing that was tried."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Step:
    """What came of it; when it is not `ok`, `said` is what is wrong."""

    name: str
    ok: bool
    said: str = ""
