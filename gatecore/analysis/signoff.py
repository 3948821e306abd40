"""Gate 4: what reached the engineer, what was sent back, what the oracle says of it, and the minutes it took."""

from math import fsum
from typing import Any

from gatecore.analysis.digest import Digest, Signed
from gatecore.analysis.rates import rate
from gatecore.ledger.order import config_order
from gatecore.ledger.signoffs import APPROVE, SEND_BACK

_CLASSES = ("right", "false", "missed", "clean", "no_oracle")


class Signoffs:
    """The engineer's words on runs that count."""

    def __init__(self) -> None:
        self._words: list[tuple[str, str, Signed]] = []  # run, config
        self._awaiting: list[tuple[str, str]] = []

    def add(self, key: str, digest: Digest) -> None:
        """Take in a run that counts."""
        self._words += [(key, digest.cfg, word) for word in digest.signed]
        if digest.awaiting:
            self._awaiting.append((key, digest.cfg))

    def figures(self) -> dict[str, Any]:
        """Ends of runs by config, words on stops in all, every word by itself, and who waits.

        A word is right where what the oracle calls red is sent back, missed where it is approved.
        """
        cfgs = {cfg for _, cfg, _ in self._words} | {cfg for _, cfg in self._awaiting}
        ends = [(cfg, word) for _, cfg, word in self._words if word.at_end]
        order = sorted(self._words, key=lambda x: (x[0], x[2].at_end, x[2].n is None, x[2].n or 0))
        return {
            "by_cfg": {
                cfg: {
                    "awaiting": sum(1 for _, of in self._awaiting if of == cfg),
                    **_figures([word for of, word in ends if of == cfg]),
                }
                for cfg in sorted(cfgs, key=config_order)
            },
            "stops": _figures([word for *_, word in self._words if not word.at_end]),
            "awaiting": sorted(key for key, _ in self._awaiting),
            "words": [
                {
                    "run": key,
                    "cfg": cfg,
                    "n": word.n,
                    "at_end": word.at_end,
                    "verdict": word.verdict,
                    "class": word.kind,
                    "reason": word.reason,
                    "seconds": word.seconds,
                }
                for key, cfg, word in order
            ],
        }


def _figures(words: list[Signed]) -> dict[str, Any]:
    kinds = {kind: sum(1 for word in words if word.kind == kind) for kind in _CLASSES}
    seconds = [word.seconds for word in words if word.seconds is not None]
    return {
        "approved": sum(1 for word in words if word.verdict == APPROVE),
        "sent_back": sum(1 for word in words if word.verdict == SEND_BACK),
        **kinds,
        "precision": rate(kinds["right"], kinds["right"] + kinds["false"]),
        "sensitivity": rate(kinds["right"], kinds["right"] + kinds["missed"]),
        "seconds_known": fsum(seconds) if seconds or not words else None,
        "seconds_unknown": len(words) - len(seconds),
    }
