"""Attempts as patches: change the work tree from one attempt to the next, and tell what that edited."""

import os
import subprocess
from pathlib import Path
from typing import NamedTuple

from gatecore.agents.scripted.scenario import ScenarioError


class Change(NamedTuple):
    """One file that differs between two attempts; None where it does not exist."""

    path: str
    before: bytes | None
    after: bytes | None


def switch(tree: Path, old: Path | None, new: Path) -> list[Change]:
    """Take the attempt `old` back and apply `new`; both are patches against the same base.

    Raises ScenarioError with git's message when one does not apply; the tree may then be half way.
    """
    patches = [new] if old is None else [old, new]
    paths = sorted({path for patch in patches for path in _paths(tree, patch)})
    before = {path: _content(tree / path) for path in paths}
    if old is not None:
        _git_apply(tree, "-R", "--whitespace=nowarn", str(old.resolve()))
    _git_apply(tree, "--whitespace=nowarn", str(new.resolve()))
    changes = [Change(path, before[path], _content(tree / path)) for path in paths]
    return [change for change in changes if change.before != change.after]


def _paths(tree: Path, patch: Path) -> list[str]:
    rows = _git_apply(tree, "--numstat", "-z", str(patch.resolve())).split(b"\0")
    return [os.fsdecode(row.split(b"\t", 2)[2]) for row in rows if row]


def _content(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except OSError:
        return None


def _git_apply(tree: Path, *args: str) -> bytes:
    """`git apply` as if no repository and no configuration were there: the tree may lie inside somebody
    else's repository, where git would silently skip every file, or bring rules of its own."""
    environ = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    environ |= {
        "GIT_DIR": os.path.join(os.devnull, "none"),  # noqa: PTH118 -- not a file's path
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
    }
    done = subprocess.run(["git", "apply", *args], cwd=tree, env=environ, capture_output=True, check=False)
    if done.returncode:
        message = done.stderr.decode("utf-8", "replace").strip()
        raise ScenarioError(f"{args[-1]}: git apply {' '.join(args[:-1])} in {tree}: {message}")
    return done.stdout
