"""What one look at the watched folders brought."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from gatecore.ledger.records import MatrixEvent
from gatecore.ledger.run import Batch


class PlanNews(NamedTuple):
    """New lines of one folder's `matrix.jsonl`; `anew` when the file began again."""

    events: tuple[MatrixEvent, ...]
    anew: bool = False


@dataclass(frozen=True, slots=True)
class News:
    """By run key: the folder's name, with as much of its path before it as tells watched folders apart.

    `plans` is by what goes before the names of a folder's runs.
    """

    batches: Mapping[str, Batch] = field(default_factory=dict)
    gone: frozenset[str] = frozenset()
    plans: Mapping[str, PlanNews] = field(default_factory=dict)
    replays: tuple[MatrixEvent, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.batches or self.gone or self.plans or self.replays)
