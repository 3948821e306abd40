"""Bounds that a pipeline holds a gate to: ``false_rate(g1) > 0.2`` and the like, each refused when it is hit."""

import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from gatecore.analysis import Results
from gatecore.ledger.classes import GATES, PARTS

_BOUND = re.compile(
    r"\s*(?P<name>[a-z_]+)\s*(?:\(\s*(?P<of>[^()]*?)\s*\))?\s*(?P<op><=|>=|==|!=|<|>)\s*"
    r"(?P<limit>[0-9]*\.?[0-9]+)\s*(?P<percent>%?)\s*"
)
_DIGITS = 9
"""Figures are compared to so many decimals: 0.3 / 3 is not to miss 0.1."""
_OPERATORS: dict[str, Callable[[float, float], bool]] = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "==": operator.eq, "!=": operator.ne,
}  # fmt: skip


class BoundError(ValueError):
    """A bound that cannot be read, or that names what is not there; the message says what there is."""


class Value(NamedTuple):
    """A figure; None is unknown. At least that much where `at_least`."""

    known: float | None
    at_least: bool = False


class Verdict(NamedTuple):
    """Whether a bound was hit, or (None) cannot be told; and a sentence."""

    bound: str
    hit: bool | None
    said: str


@dataclass(frozen=True, slots=True)
class Bound:
    """A figure, what it is of (a gate, a config, or nothing), and the comparison that is refused."""

    text: str
    name: str
    of: str | None
    op: str
    limit: float

    def judge(self, results: Results) -> Verdict:
        """Compare. A figure that is not known holds no bound. Raises BoundError for a config that is not there."""
        value = self._value(results)
        shown = (
            "is not known" if value.known is None else f"is {'≥' if value.at_least else ''}{value.known:.4g}"
        )
        hit = _compare(value, self.op, self.limit)
        outcome = {True: "refused", False: "holds", None: "cannot be told, so it is refused"}[hit]
        return Verdict(self.text, hit, f"{self.text}: {self._figure} {shown}; {outcome}")

    @property
    def _figure(self) -> str:
        return f"{self.name}({self.of})" if self.of else self.name

    def _value(self, results: Results) -> Value:
        if self.name in _OF_GATE:
            return _OF_GATE[self.name](_gate(results, self.of or ""))
        if self.name in _OF_CONFIG:
            by_cfg = results["by_cfg"]
            if self.of not in by_cfg:
                raise BoundError(f"{self.text}: there is no config {self.of}; there are {', '.join(by_cfg)}")
            return _OF_CONFIG[self.name](by_cfg[self.of])
        return _OF_ALL[self.name](results)


def parse(text: str) -> Bound:
    """Read a bound. Raises BoundError."""
    match = _BOUND.fullmatch(text)
    if not match:
        raise BoundError(f"{text}: write FIGURE(GATE) > NUMBER, as in false_rate(g1) > 0.2; {_FIGURES}")
    name, of = match["name"], match["of"]
    if name not in _OF_GATE and name not in _OF_CONFIG and name not in _OF_ALL:
        raise BoundError(f"{text}: there is no figure {name}; {_FIGURES}")
    if name in _OF_GATE and of not in (*GATES, *PARTS):
        raise BoundError(f"{text}: {name} is of a gate: {name}(g1); gates are {', '.join((*GATES, *PARTS))}")
    if name in _OF_CONFIG and not of:
        raise BoundError(f"{text}: {name} is of a config: {name}(g1)")
    if name in _OF_ALL and of is not None:
        raise BoundError(f"{text}: {name} is of all runs: leave out ({of})")
    return Bound(
        text.strip(), name, of, match["op"], float(match["limit"]) / (100 if match["percent"] else 1)
    )


def _compare(value: Value, op: str, limit: float) -> bool | None:
    if value.known is None:
        return None
    known = round(value.known, _DIGITS)
    hit = _OPERATORS[op](known, limit)
    if not value.at_least:
        return hit
    above = known > limit or (known == limit and op in (">=", "<"))
    return hit if above and op not in ("==", "!=") else None


def _gate(results: Results, name: str) -> Mapping[str, Any] | None:
    """The figures of a gate, or of a check of gate 1; None where it did not run."""
    gates: Mapping[str, Mapping[str, Any]] = results["by_gate"]
    return gates["g1"]["parts"].get(name) if name in PARTS and "g1" in gates else gates.get(name)


def _share(part: str, rest: str) -> Callable[[Mapping[str, Any] | None], Value]:
    def share(gate: Mapping[str, Any] | None) -> Value:
        whole = gate[part] + gate[rest] if gate else 0
        return Value(gate[part] / whole if gate and whole else None)

    return share


def _count(name: str) -> Callable[[Mapping[str, Any] | None], Value]:
    return lambda gate: Value(gate[name] if gate else None)


def _per_right(known: str, unknown: str, unit: float) -> Callable[[Mapping[str, Any] | None], Value]:
    def per_right(gate: Mapping[str, Any] | None) -> Value:
        right = gate["blocks"]["right"] if gate and "blocks" in gate else 0
        if not gate or not right or gate[known] is None:
            return Value(None)
        return Value(gate[known] / unit / right, bool(gate[unknown]))

    return per_right


def _of_score(key: str) -> Callable[[Mapping[str, Any]], Value]:
    return lambda figures: Value(figures[key])


def _clean_runs(figures: Mapping[str, Any]) -> Value:
    judged = figures["runs"] - figures["unknown"].get("runs_fully_passing", 0)
    return Value(figures["runs_fully_passing"] / judged if judged else None)


def _stops(kind: str) -> Callable[[Results], Value]:
    return lambda results: Value(results["outcomes"]["stops"][kind])


def _runs(key: str, unknown: str | None = None) -> Callable[[Results], Value]:
    def runs(results: Results) -> Value:
        found, dark = results["outcomes"], results["outcomes"][unknown] if unknown else 0
        return Value(len(found[key]) or (None if dark else 0), bool(dark))

    return runs


_OF_GATE: dict[str, Callable[[Mapping[str, Any] | None], Value]] = {
    "precision": _share("right", "false"),
    "false_rate": _share("false", "right"),
    "sensitivity": _share("right", "missed"),
    "missed_rate": _share("missed", "right"),
    "specificity": _share("clean", "false"),
    "not_judged": _count("not_judged"),
    "cost_per_right": _per_right("cost_known_usd", "cost_unknown", 1),
    "minutes_per_right": _per_right("waited_known_s", "waited_unknown", 60),
}
_OF_CONFIG: dict[str, Callable[[Mapping[str, Any]], Value]] = {
    "requirements": _of_score("hidden_rate"),
    "clean_runs": _clean_runs,
    "cost": _of_score("mean_cost_total_usd"),
    "seconds": _of_score("mean_wall_s"),
}
_OF_ALL: dict[str, Callable[[Results], Value]] = {
    "left_out": lambda results: Value(len(results["left_out"])),
    "absent": lambda results: Value(len(results["planned"]["absent"])),
    "unreadable": lambda results: Value(sum(results["unreadable"].values())),
    "killed": _stops("killed"),
    "errors": _stops("error"),
    "gave_up": _stops("gave_up"),
    "no_oracle": _stops("no_oracle"),
    "blocks_per_stop": lambda results: Value(results["outcomes"]["blocks_per_stop"]["rate"]),
    "invalid": _runs("invalid"),
    "ended_blocked": _runs("ended_blocked"),
    "no_result_line": _runs("no_result_line"),
    "wrong_model": _runs("wrong_model"),
    "hunted": _runs("hunted", "hunted_unknown"),
    "tampered": _runs("tampered", "tampered_unknown"),
    "alarms": _runs("alarms"),
}
_FIGURES = (
    f"figures of a gate: {', '.join(_OF_GATE)}; of a config: {', '.join(_OF_CONFIG)}; "
    f"of all runs: {', '.join(_OF_ALL)}"
)
