"""A gate: checks with a verdict that can block. A gate is a plug; the stop knows gates by this face only."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from gatecore.checks.outcome import CheckResult
from gatecore.checks.run import Check
from gatecore.hook.config import Config
from gatecore.snapshot import Snapshot, Store

PASS, FAIL, NOT_JUDGED, SKIPPED = "pass", "fail", "not_judged", "skipped"


class Stop(NamedTuple):
    """The stop under judgement."""

    config: Config
    n: int
    store: Store
    snapshot: Snapshot
    deadline: float  # monotonic seconds by which everything must be answered
    event: Callable[..., None]  # event(kind, check=..., ...) appends to events.jsonl
    memory: dict[str, Any]  # what earlier stops left for this gate; may be changed, and is kept as JSON


class Judgement(NamedTuple):
    """What a gate said: its verdict, what stands in the record, and what the agent is told of a failure."""

    verdict: str
    record: dict[str, Any]
    feedback: Callable[[int], str]  # in so many characters at most


class Gate(Protocol):
    """One gate of a config."""

    name: str  # g1, g2, g3: the name in `blocked_by`
    key: str  # gate1, gate2, gate3: its key in the record and in the config

    def checks(self, stop: Stop) -> Sequence[Check]:
        """The commands it needs run; they run side by side with those of the other gates."""

    def judge(self, stop: Stop, results: Mapping[str, CheckResult]) -> Judgement:
        """Judge the stop from the results of the checks, by name."""
