"""The publication's five questions, answered from the columns per config."""

from collections.abc import Iterable, Mapping
from typing import Any

_COSTS = (
    "mean_cost_total_usd",
    "mean_cost_worker_usd",
    "mean_cost_gate1_usd",
    "mean_cost_gate3_usd",
    "mean_wall_s",
)


def answers(by_cfg: Mapping[str, Mapping[str, Any]], with_gate1: Iterable[str]) -> dict[str, Any]:
    """Return q1 to q5; None where a config is not there. `with_gate1`: the configs that gate 1 judged."""
    bare, g1, g3, g13, adv = (
        by_cfg[cfg]["hidden_rate"] if cfg in by_cfg else None for cfg in ("bare", "g1", "g3", "g13", "g13adv")
    )
    return {
        "q1_gate1_vs_bare": {"bare": bare, "g1": g1, "delta": _difference(g1, bare)},
        "q2_gate3_over_g1": {
            "g1": g1,
            "g13": g13,
            "delta": _difference(g13, g1),
            "g3_alone": g3,
            "g3_vs_bare": _difference(g3, bare),
        },
        "q3_adv_vs_indep": {
            "g13": g13,
            "g13adv": adv,
            "delta": _difference(adv, g13),
            "false_blocks_g3": {
                cfg: by_cfg[cfg]["false_blocks"]["g3"] if cfg in by_cfg else None for cfg in ("g13", "g13adv")
            },
        },
        "q4_false_block_rate": {cfg: columns["false_block_rate"] for cfg, columns in by_cfg.items()},
        "q4_gate1_false_blocks": {
            cfg: {"false": by_cfg[cfg]["false_blocks"]["g1"], "right": by_cfg[cfg]["right_blocks"]["g1"]}
            for cfg in with_gate1
        },
        "q5_cost": {cfg: {key: columns[key] for key in _COSTS} for cfg, columns in by_cfg.items()},
    }


def _difference(rate: float | None, other: float | None) -> float | None:
    return None if rate is None or other is None else round(rate - other, 4)
