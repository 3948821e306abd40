"""Where the gate of somebody's own repo keeps its things: in the user's state folder, by repository.

All work trees of a repository share one such home. Standard library only: the hook uses it.
"""

import hashlib
import os
import re
from typing import NamedTuple

_NAME = re.compile(r"[^\w.]+")


class Repo(NamedTuple):
    """A work tree: its top folder, and the git directory that it shares with the repository's others."""

    top: str
    common: str

    @property
    def name(self) -> str:
        """What the repository is called, as part of a run's name."""
        folder = os.path.dirname(self.common) if os.path.basename(self.common) == ".git" else self.common
        name = os.path.basename(folder).removesuffix(".git")
        return _NAME.sub("_", name).strip("_.")[:40] or "repo"

    @property
    def home(self) -> str:
        """Where its gate keeps everything; there only once it was installed."""
        key = hashlib.sha256(os.fsencode(self.common)).hexdigest()[:10]
        return os.path.join(state_home(), "repos", f"{self.name}-{key}")


def state_home() -> str:
    """The folder of all such homes."""
    base = os.environ.get("XDG_STATE_HOME", "")
    if not os.path.isabs(base):
        base = os.path.join(os.path.expanduser("~"), ".local", "state")
    return os.path.join(base, "gatecore")


def find_repo(path: str) -> Repo | None:
    """The work tree that `path` lies in; None when it lies in none, or in the git directory itself."""
    folder = os.path.realpath(path)
    while True:
        git = os.path.join(folder, ".git")
        if os.path.isdir(git):
            return Repo(folder, git)
        if os.path.isfile(git):
            common = _common(git)
            return Repo(folder, common) if common else None
        above = os.path.dirname(folder)
        if above == folder:
            return None
        folder = above


def ledger_of(path: str) -> str | None:
    """The runs folder of the gate that is or was installed in the repo around `path`; None when there is none."""
    repo = find_repo(path)
    runs = os.path.join(repo.home, "runs") if repo else ""
    return runs if os.path.isdir(runs) else None


def _common(file: str) -> str | None:
    """The git directory that a work tree's `.git` file leads to: the one it shares with the others."""
    try:
        with open(file, encoding="utf-8", errors="surrogateescape") as stream:
            line = stream.read(4096)
    except OSError:
        return None
    if not line.startswith("gitdir:"):
        return None
    git = os.path.join(os.path.dirname(file), line.removeprefix("gitdir:").strip())
    try:
        with open(os.path.join(git, "commondir"), encoding="utf-8", errors="surrogateescape") as stream:
            git = os.path.join(git, stream.read(4096).strip())
    except OSError:
        pass  # a submodule, or a git directory that lies elsewhere
    return os.path.realpath(git)
