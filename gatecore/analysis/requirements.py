"""Requirement by requirement: how often met, which stop repaired or broke it, what acceptance tests saw of it."""

import re
from collections import Counter
from collections.abc import Iterable
from typing import Any

from gatecore.analysis.columns import KEYS
from gatecore.analysis.digest import Digest, Move
from gatecore.analysis.rates import rate
from gatecore.ledger.order import config_order, natural

_JUDGED, _PASSED = KEYS.index("hidden_reqs_total"), KEYS.index("hidden_reqs_passed")
_NUMBERED = re.compile(r"test_req([1-9][0-9]{0,2})")
Place = tuple[str, int | None]
"""Run and stop; None is the end of the run."""


class Requirements:
    """What became of each requirement in the runs that count."""

    def __init__(self) -> None:
        self._judged: Counter[tuple[str, str]] = Counter()  # task, config -> runs whose unmet ones are named
        self._unmet: Counter[tuple[str, str, str]] = Counter()  # task, config, requirement -> runs
        self._number: dict[str, int] = {}  # task -> requirements judged in a run
        self._seen: dict[str, set[str]] = {}  # task -> names
        self._left: dict[str, tuple[str, tuple[str, ...]]] = {}  # run -> config, requirements unmet
        self._moves: dict[tuple[str, str], list[tuple[str, Move]]] = {}

    def add(self, key: str, digest: Digest) -> None:
        """Take in a run that counts."""
        task, cfg = digest.task, digest.cfg
        seen = self._seen.setdefault(task, set())
        for move in digest.moves:
            self._moves.setdefault((task, move.req), []).append((key, move))
            seen.add(move.req)
        if not digest.row or not digest.row[_JUDGED]:
            return
        judged = int(digest.row[_JUDGED] or 0)
        if judged > self._number.get(task, 0):
            self._number[task] = judged
        if digest.unmet:
            self._left[key] = cfg, digest.unmet
        if judged - int(digest.row[_PASSED] or 0) == len(digest.unmet):
            self._judged[task, cfg] += 1
            for req in digest.unmet:
                self._unmet[task, cfg, req] += 1
                seen.add(req)

    def figures(self) -> dict[str, Any]:
        """Per task and requirement: runs that met it by config, and the stops that repaired or broke it."""
        return {
            task: {req: self._requirement(task, req) for req in self._names(task)}
            for task in sorted(self._seen, key=natural)
            if task in self._number or self._seen[task]
        }

    def left(self, most: int | None = None) -> dict[str, Any]:
        """What is left for the engineer: unmet requirements at the end, per config and per run (`most` runs)."""
        by_cfg: dict[str, Any] = {}
        for cfg in sorted({cfg for _, cfg in self._judged}, key=config_order):
            runs = sum(n for (_, c), n in self._judged.items() if c == cfg)
            left = {
                f"{task}:{req}": n
                for (task, c, req), n in sorted(self._unmet.items(), key=_by_task)
                if c == cfg
            }
            unmet = sum(left.values())
            by_cfg[cfg] = {"runs": runs, "unmet": unmet, "per_run": unmet / runs, "by_requirement": left}
        return {
            "by_cfg": by_cfg,
            "by_run": {key: list(self._left[key][1]) for key in sorted(self._left)[:most]},
        }

    @property
    def runs_left(self) -> int:
        """How many runs leave something."""
        return len(self._left)

    def _names(self, task: str) -> list[str]:
        """Those that are named somewhere; where they are numbered, also those that were always met."""
        seen = self._seen.get(task, set())
        number = self._number.get(task, 0)
        every = {f"test_req{i}" for i in range(1, number + 1)}
        numbered = all(_NUMBERED.fullmatch(req) for req in seen) and seen <= every
        return sorted(every if numbered else seen, key=natural)

    def _requirement(self, task: str, req: str) -> dict[str, Any]:
        cfgs = sorted((cfg for t, cfg in self._judged if t == task), key=config_order)
        moves = self._moves.get((task, req), [])
        return {
            "by_cfg": {
                cfg: rate(n - self._unmet[task, cfg, req], n)
                for cfg in cfgs
                if (n := self._judged[task, cfg])
            },
            "repaired": _moved(moves, met=True),
            "broken": _moved(moves, met=False),
        }


class Acceptance:
    """Acceptance tests against requirements, at stops where both were judged."""

    def __init__(self) -> None:
        self._sums: dict[tuple[str, str], list[int]] = {}  # runs, red, caught, alone, alone and caught
        self._suspects: dict[tuple[str, str], dict[str, int]] = {}

    def add(self, digest: Digest) -> None:
        """Take in a run that counts."""
        for x in digest.sights:
            sums = self._sums.setdefault((digest.task, x.req), [0, 0, 0, 0, 0])
            sums[0] += 1
            sums[1] += x.red
            sums[2] += x.caught
            sums[3] += x.alone
            sums[4] += x.alone_caught
        for suspect in digest.suspects:
            for req in suspect.reqs:
                tests = self._suspects.setdefault((digest.task, req), {})
                tests[suspect.test] = tests.get(suspect.test, 0) + 1

    def figures(self) -> dict[str, Any]:
        """Per task and requirement: stops where it was unmet, of these where an acceptance test failed.

        `alone` are stops where nothing else was unmet: only there a failing test must be about it, or about
        nothing that was asked. `tests` failed in so many runs, and always while it was unmet.
        """
        result: dict[str, Any] = {}
        for task, req in sorted(self._sums, key=lambda pair: tuple(map(natural, pair))):
            runs, red, caught, alone, alone_caught = self._sums[task, req]
            tests = self._suspects.get((task, req), {})
            result.setdefault(task, {})[req] = {
                "runs": runs,
                "caught": rate(caught, red),
                "caught_alone": rate(alone_caught, alone),
                "never": not caught,
                "tests": dict(sorted(tests.items(), key=lambda item: (-item[1], item[0]))),
            }
        return result


def _by_task(item: tuple[tuple[str, str, str], int]) -> Any:
    (task, _, req), _ = item
    return natural(task), natural(req)


def _moved(moves: Iterable[tuple[str, Move]], *, met: bool) -> dict[str, Any]:
    """How often, after a block by which gate, and where."""
    chosen = [(key, move) for key, move in moves if move.met is met]
    after = Counter(move.after or "none" for _, move in chosen)
    return {
        "times": len(chosen),
        "after_block_by": dict(sorted(after.items())),
        "where": places((key, move.n) for key, move in chosen),
    }


def places(where: Iterable[Place]) -> list[str]:
    """Runs and stops as text, in their order."""
    ordered = sorted(where, key=lambda place: (place[0], place[1] is None, place[1] or 0))
    return [f"{key} {'end' if n is None else f'stop {n}'}" for key, n in ordered]
