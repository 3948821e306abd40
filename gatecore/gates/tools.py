"""What several gates need: a check on a copy of the judged tree."""

import os

from gatecore.checks.env import check_env
from gatecore.checks.run import Check
from gatecore.gates.base import Stop


def check(
    stop: Stop, name: str, output: str, command: tuple[str, ...], env: tuple[str, ...], seconds: float
) -> Check:
    """A check named `name` on a copy of its own of the stop's tree, brought up to date here.

    `output` is the stem of its output file in the run directory; `env` names variables that are given the
    copy's path.
    """
    config = stop.config
    copy = os.path.join(config.state, "copies", name)
    stop.store.checkout(stop.snapshot.tree, copy)
    report = os.path.join(config.state, f"report-{name}.jsonl")
    return Check(
        name=name,
        argv=command,
        tree=copy,
        env=check_env(config.state, config.pass_env, {**config.env, **dict.fromkeys(env, copy)}),
        seconds=seconds,
        output=os.path.join(config.run, f"{output}-{stop.n}.txt"),
        report=report,
        base_modules=config.base.modules,
    )
