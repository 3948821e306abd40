"""Run git on a directory of the gate's own, apart from everybody else's configuration and environment."""

import os
import subprocess
from typing import NamedTuple

from gatecore.text import line

GIT_SECONDS = 120.0
"""Deadline of one git process: only something wrong in the tree (a pipe in place of a file) takes that long."""


_SETTINGS = (
    "core.attributesFile=/dev/null",
    "core.excludesFile=/dev/null",
    "core.hooksPath=/dev/null",
    "core.quotePath=false",
    "core.protectNTFS=false",  # a repository may hold such names; copies of it are no repositories
    "core.protectHFS=false",
    "gc.auto=0",
    "maintenance.auto=false",
)


class SnapshotError(Exception):
    """git or the file system refused; the text says what, in their own words."""


class Output(NamedTuple):
    """What one git process wrote."""

    out: bytes
    err: str


def environment(index: str | None = None, config: str = os.devnull) -> dict[str, str]:
    """The environment for a git process: ours without any `GIT_*`, then what shuts out all outside settings.

    The file `config` takes the place of the user's configuration.
    """
    env = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    env |= {
        "GIT_CONFIG_GLOBAL": config,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_ATTR_NOSYSTEM": "1",
        "GIT_LITERAL_PATHSPECS": "1",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
        "LC_ALL": "C",
    }
    if index is not None:
        env["GIT_INDEX_FILE"] = index
    return env


def command(git_dir: str, work: str | None, args: tuple[str, ...]) -> list[str]:
    """The argument vector; without a work tree git is given its own directory, which holds no attribute files."""
    settings = [word for setting in _SETTINGS for word in ("-c", setting)]
    return ["git", *settings, f"--git-dir={git_dir}", f"--work-tree={work or git_dir}", *args]


def git(
    git_dir: str,
    *args: str,
    work: str | None = None,
    index: str | None = None,
    config: str = os.devnull,
    stdin: bytes = b"",
) -> Output:
    """Run `git ARGS` in `work` (default: in `git_dir`).

    Raises SnapshotError with git's message when git is missing, fails or takes longer than GIT_SECONDS.
    """
    call = line(f"git {args[0]} {args[-1]}")
    try:
        done = subprocess.run(
            command(git_dir, work, args),
            cwd=work or git_dir,
            env=environment(index, config),
            input=stdin,
            capture_output=True,
            timeout=GIT_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise SnapshotError(f"{call}: did not end within {GIT_SECONDS:.0f} s in {work or git_dir}") from None
    except OSError as error:
        raise SnapshotError(f"{call}: cannot be started: {error}") from error
    err = os.fsdecode(done.stderr)
    if done.returncode != 0:
        raise SnapshotError(f"{call}: {line(err)[:600] or f'exit code {done.returncode}'}")
    return Output(done.stdout, err)


def existing(folder: str) -> str:
    """The absolute path of a folder. Raises SnapshotError when it is not there."""
    if not os.path.isdir(folder):
        raise SnapshotError(f"no such folder: {folder}")
    return os.path.abspath(folder)
