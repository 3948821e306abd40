"""The queue of blocks for a person to judge: which come first, which are alike, and agreement with the oracle."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from gatecore.ledger.classes import REVIEWS, StopClass, oracle_red, review_of, sent_back_by
from gatecore.ledger.records import Stop, Triage
from gatecore.ledger.run import Entry
from gatecore.stats import Agreement, agreement
from gateview.store.assertions import bare, parse
from gateview.store.rows import Row, decisions_of

_RANK: Mapping[StopClass, int] = {"false": 0, "no_oracle": 1}
_LAST = 2


@dataclass(frozen=True, slots=True)
class Block:
    """One block. `id` is how triage names its stop, `said` the verdict in force, None when there is none."""

    id: str
    key: str
    place: int  # among the run's stops
    n: int | None
    when: float
    kind: StopClass  # right, false or no_oracle
    gate: str
    found: str  # failing tests or places of findings, for showing
    signature: tuple[str, ...]  # equal for blocks that are alike
    said: Triage | None = None

    @property
    def agrees(self) -> bool | None:
        """Whether person and oracle say the same, None where one of them says neither right nor false."""
        if self.said is None or self.said.verdict not in ("right", "false") or self.kind == "no_oracle":
            return None
        return self.said.verdict == self.kind


class Counts(NamedTuple):
    """Blocks without a verdict by class, blocks with one, and how verdicts agree with the oracle's."""

    left: Mapping[StopClass, int]
    done: int
    agreement: Agreement


def blocks_of(
    row: Row, entries: Iterable[Entry], ids: Mapping[int, str], said: Iterable[Triage]
) -> tuple[Block, ...]:
    """The blocks of a run, whose records are `entries`.

    `ids` are the names of its stops by line of the ledger, `said` all lines on the run. A stop without a name,
    because its line cannot be read any more, is passed over.
    """
    last = {line.stop_id: line for line in said if line.stop_id}
    blocks = []
    for decision in decisions_of(row, entries):
        entry = decision.stop.entry
        gate = sent_back_by(entry.stop) if entry else None
        if entry is None or gate is None or not (name := ids.get(entry.line)):
            continue
        judged = last.get(name)
        parts = findings(entry.stop)
        blocks.append(
            Block(
                id=name,
                key=row.key,
                place=decision.place,
                n=entry.stop.n,
                when=decision.when,
                kind=_kind(decision.stop.kind, entry.stop),
                gate=gate,
                found=", ".join(parts) or "not named",
                signature=(gate, *parts) if parts else (gate, "", name),
                said=judged if judged and judged.verdict else None,
            )
        )
    return tuple(blocks)


def _kind(kind: StopClass, stop: Stop) -> StopClass:
    """The class of a block, and of one that was only observed: what it would have been."""
    red = oracle_red(stop.hidden)
    return kind if stop.decision == "block" else "no_oracle" if red is None else "right" if red else "false"


def findings(stop: Stop) -> tuple[str, ...]:
    """What the gate that blocked found: names of failing tests, or places of blocking findings, sorted."""
    if stop.blocked_by in REVIEWS:
        review = review_of(stop, stop.blocked_by)
        blocking = review.blocking if review else ()
        return tuple(sorted({f"{f.file or '?'}:{f.line if f.line is not None else '?'}" for f in blocking}))
    names = set(stop.gate1.gate_tests_failed) if stop.gate1 else set()
    for name in ("suite", "acceptance"):
        if name in stop.checks:
            names |= {bare(test) for test in stop.checks[name].failed}
    if not names:
        sent = parse(stop.reason)
        names = {bare(failure.test) for failure in sent.failures} | sent.named
    return tuple(sorted(names))


def queue(blocks: Iterable[Block]) -> list[Block]:
    """Order blocks: the oracle's false ones first, then those without an oracle, then the rest.

    Blocks that are alike are side by side, where the first of them belongs.
    """
    groups: defaultdict[tuple[str, ...], list[Block]] = defaultdict(list)
    for block in blocks:
        groups[block.signature].append(block)
    ordered = sorted((sorted(group, key=_order) for group in groups.values()), key=lambda g: _order(g[0]))
    return [block for group in ordered for block in group]


def alike(blocks: Iterable[Block], block: Block) -> list[Block]:
    """The blocks with the same signature, `block` itself among them."""
    return [other for other in blocks if other.signature == block.signature]


def count(blocks: Sequence[Block]) -> Counts:
    """Count what is left and done, and how far verdicts agree with the oracle."""
    left = Counter(block.kind for block in blocks if block.said is None)
    pairs = [(b.kind, b.said.verdict or "") for b in blocks if b.said and b.agrees is not None]
    return Counts(left, sum(1 for block in blocks if block.said), agreement(pairs))


def disagreements(blocks: Iterable[Block]) -> list[Block]:
    """Blocks that a person judged otherwise than the oracle."""
    return [block for block in blocks if block.agrees is False]


def _order(block: Block) -> tuple[int, float, str, int]:
    return _RANK.get(block.kind, _LAST), block.when, block.key, block.place
