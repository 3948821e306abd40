"""What several gates need: a check on a copy of the judged tree."""

import os

from gatecore.checks.env import check_env
from gatecore.checks.run import Check
from gatecore.gates.base import Stop


def check(
    stop: Stop,
    name: str,
    output: str,
    command: tuple[str, ...],
    env: tuple[str, ...],
    seconds: float,
    *,
    folder: str = "",
    tree: str | None = None,
) -> Check:
    """A check named `name` on a copy of its own of the stop's tree (or of `tree`), brought up to date here.

    `output` is the stem of its output file in the run directory; `env` names variables that are given the
    copy's path. `folder` is where in the tree the command runs.
    """
    config = stop.config
    copy = config.work if config.inplace and tree is None else _copy(stop, name, tree or stop.snapshot.tree)
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
        folder=folder,
    )


def _copy(stop: Stop, name: str, tree: str) -> str:
    """The folder that holds `tree`, and links to what the work tree has besides."""
    copy = os.path.join(stop.config.state, "copies", name)
    stop.store.checkout(tree, copy)
    for path in stop.config.link:
        source, link = os.path.join(stop.config.work, path), os.path.join(copy, path)
        if os.path.lexists(source) and os.path.isdir(os.path.dirname(link)) and not os.path.lexists(link):
            os.symlink(source, link)
    return copy
