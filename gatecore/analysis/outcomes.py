"""How runs ended, what was left out, and what a person should look at."""

from typing import Any

from gatecore.analysis.cells import stops_by_class
from gatecore.analysis.digest import Digest, Unread
from gatecore.analysis.ending import Ending, LeftOut
from gatecore.analysis.rates import rate
from gatecore.ledger.tallies import SLOTS, Tally

_NAMED = ("gave_up", "killed", "error", "no_oracle", "other")
"""Classes of stops whose runs are named."""
_AT = tuple((kind, SLOTS.index(kind)) for kind in _NAMED)


class Outcomes:
    """Ends of runs, by key."""

    def __init__(self) -> None:
        self._scored = 0
        self._counted = 0
        self._endings: dict[str, Ending] = {}
        self._unlooked = 0  # runs that count and of which nothing like that is known
        self._left_out: dict[str, LeftOut] = {}
        self._with: dict[str, dict[str, int]] = {kind: {} for kind in _NAMED}
        self._unread: dict[str, tuple[Unread, ...]] = {}

    def add(self, key: str, digest: Digest) -> None:
        """Take in a run, whether it counts or not."""
        if digest.left_out:
            self._left_out[key] = digest.left_out
        if digest.unread:
            self._unread[key] = digest.unread
        if not digest.counted:
            return
        self._counted += 1
        self._scored += bool(digest.row)
        if digest.ending:
            self._endings[key] = digest.ending
        for kind, at in _AT:
            if digest.tally[at]:
                self._with[kind][key] = digest.tally[at]

    def figures(self, tally: Tally) -> dict[str, Any]:
        """How the runs that count ended; `tally` is theirs."""
        ends = {key: self._endings[key] for key in sorted(self._endings)}
        tampered = [end.tampered for end in ends.values()]
        return {
            "runs": self._counted,
            "scored": self._scored,
            "stops": stops_by_class(tally),
            "blocks": tally.blocks,
            "blocks_per_stop": rate(tally.blocks, sum(tally.stops.values())),
            "repeats": None if tally.repeats_unknown else tally.repeats,
            "repeats_unknown": tally.repeats_unknown,
            "gave_up": {
                "oracle_red": tally.gave_up.get("right", 0),
                "oracle_green": tally.gave_up.get("false", 0),
                "no_oracle": tally.gave_up.get("no_oracle", 0),
            },
            "runs_with": {kind: dict(sorted(runs.items())) for kind, runs in self._with.items()},
            "ended_blocked": [key for key, end in ends.items() if end.ended_blocked],
            "cut_by_cap": [key for key, end in ends.items() if end.cut == "cap"],
            "cut_by_limit": [key for key, end in ends.items() if end.cut == "limit"],
            "invalid": sorted(key for key, out in self._left_out.items() if out.kind == "invalid"),
            "no_result_line": [key for key, end in ends.items() if end.no_result_line],
            "wrong_model": [key for key, end in ends.items() if end.wrong_model],
            "hunted": {key: end.hunted for key, end in ends.items() if end.hunted},
            "hunted_unknown": self._scored - sum(1 for end in ends.values() if end.hunted is not None),
            "tampered": [key for key, end in ends.items() if end.tampered],
            "tampered_unknown": self._counted - sum(1 for known in tampered if known is not None),
            "alarms": {key: list(end.alarms) for key, end in ends.items() if end.alarms},
        }

    def left_out(self) -> dict[str, str]:
        """Why each run that is not in the original's columns is not in them."""
        return {key: self._left_out[key].why for key in sorted(self._left_out)}

    def left_out_kinds(self) -> dict[str, str]:
        """Of which kind each of these reasons is."""
        return {key: self._left_out[key].kind for key in sorted(self._left_out)}

    def unreadable(self) -> dict[str, int]:
        """How many lines, whole files and single fields could not be read, over all runs."""
        losses = [loss for unread in self._unread.values() for loss in unread]
        return {
            "lines": sum(1 for x in losses if x.line is not None and not x.fields_only),
            "files": sum(1 for x in losses if x.line is None and not x.fields_only),
            "fields": sum(1 for x in losses if x.fields_only),
        }

    def losses(self) -> list[dict[str, Any]]:
        """Each line, file and field that could not be read."""
        return [
            {"run": key, "file": x.file, "line": x.line, "why": x.why, "field_only": x.fields_only}
            for key in sorted(self._unread)
            for x in self._unread[key]
        ]
