"""What blocked, what was let through, and what people said of it."""

from collections import Counter
from collections.abc import Callable, Iterable
from heapq import nsmallest
from sys import intern
from typing import Any, NamedTuple, TypeVar

from gatecore.analysis.digest import Digest, LetThrough
from gatecore.analysis.rates import rate
from gatecore.analysis.requirements import places
from gatecore.ledger.classes import STOP_CLASSES
from gatecore.ledger.order import natural
from gatecore.stats import agreement

T = TypeVar("T")
_VERDICTS = ("right", "false", "unsure")
_Finding = tuple[str, tuple[str, ...], str, str, str]
"""Task, requirements that were unmet, severity, place, text."""


class _Block(NamedTuple):
    """Where something blocked, without what it was."""

    run: str
    n: int | None
    kind: str
    repeat: bool | None
    verdict: str | None


class Blocks:
    """The failing tests and findings that blocked."""

    def __init__(self) -> None:
        self._alike: dict[tuple[str, str, str, str], list[_Block]] = {}

    def add(self, key: str, digest: Digest) -> None:
        """Take in a run that counts."""
        for x in digest.grounds:
            block = _Block(key, x.n, intern(x.kind), x.repeat, x.verdict)
            alike = x.gate, x.part, digest.task, x.what
            self._alike.setdefault(alike, []).append(block)

    def figures(self, most: int | None = None) -> list[dict[str, Any]]:
        """One entry a test or finding, the most frequent first, of equals the one with more false blocks."""

        def order(alike: tuple[str, str, str, str]) -> Any:
            gate, part, task, what = alike
            blocks = self._alike[alike]
            false = sum(1 for block in blocks if block.kind == "false")
            return -len(blocks), -false, gate, part, natural(task), what

        return [
            {
                **dict(zip(("gate", "part", "task", "what"), alike, strict=True)),
                **_figures(self._alike[alike]),
            }
            for alike in _first(self._alike, order, most)
        ]

    def __len__(self) -> int:
        return len(self._alike)


class LetThroughs:
    """Findings that did not block although the oracle was red."""

    def __init__(self) -> None:
        self._alike: dict[_Finding, list[tuple[str, int | None, str]]] = {}  # run, stop, reviewer
        self._by_requirement: dict[tuple[str, str], list[int]] = {}  # findings, stops

    def add(self, key: str, digest: Digest) -> None:
        """Take in a run that counts."""
        stop: LetThrough | None = None
        for x in digest.let_through:
            alike = digest.task, x.reqs, x.severity, x.place, x.text
            self._alike.setdefault(alike, []).append((key, x.n, intern(x.by)))
            another = stop is None or x.n != stop.n
            for req in x.reqs:
                sums = self._by_requirement.setdefault((digest.task, req), [0, 0])
                sums[0] += 1
                sums[1] += another
            stop = x

    def by_requirement(self) -> dict[str, Any]:
        """Findings and stops for each requirement that was unmet.

        A finding counts under every requirement that was unmet at its stop: whether it speaks of that one is
        for a reader to say.
        """
        result: dict[str, Any] = {}
        for task, req in sorted(self._by_requirement, key=lambda pair: tuple(map(natural, pair))):
            findings, stops = self._by_requirement[task, req]
            result.setdefault(task, {})[req] = {"findings": findings, "stops": stops}
        return result

    def findings(self, most: int | None = None) -> list[dict[str, Any]]:
        """Each finding with the requirements that were unmet, the most frequent first, and where it was made."""

        def order(alike: _Finding) -> Any:
            task, reqs, *rest = alike
            return -len(self._alike[alike]), natural(task), reqs, *rest

        return [
            {
                **dict(zip(("task", "reqs", "severity", "place", "text"), alike, strict=True)),
                "reqs": list(alike[1]),
                "times": len(self._alike[alike]),
                "by": dict(sorted(Counter(by for *_, by in self._alike[alike]).items())),
                "where": places({(key, n) for key, n, _ in self._alike[alike]}),
            }
            for alike in _first(self._alike, order, most)
        ]

    def __len__(self) -> int:
        return len(self._alike)


class Triaged:
    """Verdicts of people on stops, beside the oracle's."""

    def __init__(self) -> None:
        self._said: list[tuple[str, int | None, str, str, str, str | None]] = []

    def add(self, key: str, digest: Digest) -> None:
        """Take in a run that counts."""
        for said in digest.judgements:
            self._said.append((key, said.n, said.gate or "?", said.kind, said.verdict, said.cause))

    def figures(self) -> dict[str, Any]:
        """Verdicts, causes, and the agreement with the oracle over blocks that both call right or false."""
        both = [x for x in self._said if x[3] in ("right", "false") and x[4] in ("right", "false")]
        found = agreement((x[3], x[4]) for x in both)
        differ = sorted((x for x in both if x[3] != x[4]), key=lambda x: (x[0], x[1] is None, x[1] or 0))
        verdicts = Counter(x[4] for x in self._said)
        return {
            "judged": len(self._said),
            "verdicts": {**dict.fromkeys(_VERDICTS, 0), **dict(sorted(verdicts.items()))},
            "by_class": {
                kind: dict(sorted(Counter(x[4] for x in self._said if x[3] == kind).items()))
                for kind in STOP_CLASSES
                if any(x[3] == kind for x in self._said)
            },
            "by_gate": {
                gate: {said: [x[2] for x in self._said if x[4] == said].count(gate) for said in _VERDICTS}
                for gate in sorted({x[2] for x in self._said} - {"?"})
            },
            "causes": dict(sorted(Counter(x[5] or "?" for x in self._said).items())),
            "agreement": {**rate(found.agreed, found.n), "kappa": found.kappa},
            "false_by_oracle": rate(sum(1 for x in both if x[3] == "false"), len(both)),
            "false_by_person": rate(sum(1 for x in both if x[4] == "false"), len(both)),
            "differ": [
                {"run": key, "n": n, "gate": gate, "oracle": kind, "person": verdict, "cause": cause}
                for key, n, gate, kind, verdict, cause in differ
            ],
        }


def _first(alike: Iterable[T], order: Callable[[T], Any], most: int | None) -> list[T]:
    """The first `most` in this order, or all."""
    return sorted(alike, key=order) if most is None else nsmallest(most, alike, key=order)


def _figures(blocks: list[_Block]) -> dict[str, Any]:
    kinds = Counter(block.kind for block in blocks)
    said = Counter(block.verdict for block in blocks)
    return {
        "blocks": len(blocks),
        **{kind: kinds[kind] for kind in ("right", "false", "no_oracle")},
        "repeats": sum(1 for block in blocks if block.repeat),
        "repeats_unknown": sum(1 for block in blocks if block.repeat is None),
        "triage": {verdict: said[verdict] for verdict in _VERDICTS},
        "where": places((block.run, block.n) for block in blocks),
    }
