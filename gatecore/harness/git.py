"""The few git calls of the harness outside the gate's own store."""

import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

from gatecore.harness.errors import UsageError


def require() -> None:
    """Raise UsageError when there is no git."""
    if shutil.which("git") is None:
        raise UsageError("git: not found on PATH; install git")


def run(*args: str, cwd: Path, env: Mapping[str, str] | None = None) -> str:
    """Run git with no config but the repository's and return its stdout. Raises UsageError with git's words."""
    done = subprocess.run(
        ["git", *args],
        cwd=cwd,
        env={**_env(cwd), **(env or {})},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    if done.returncode:
        words = done.stderr.decode("utf-8", "replace").strip()
        raise UsageError(f"git {' '.join(args)} in {cwd}: {words or f'exit code {done.returncode}'}")
    return done.stdout.decode("utf-8", "surrogateescape")


def is_repository(path: Path) -> bool:
    """Whether `path` itself, and not a folder above it, is the top of a git repository with a commit."""
    try:
        return run("rev-parse", "--verify", "-q", "HEAD^{commit}", cwd=path).strip() != ""
    except UsageError:
        return False


def head(path: Path) -> str:
    """The commit at HEAD."""
    return run("rev-parse", "HEAD", cwd=path).strip()


def clone(upstream: Path, work: Path) -> None:
    """Clone HEAD of `upstream` so that nothing in `work` tells where it came from."""
    work.parent.mkdir(parents=True, exist_ok=True)
    run("clone", "--quiet", "--no-hardlinks", "--no-tags", str(upstream), str(work), cwd=work.parent)
    run("remote", "remove", "origin", cwd=work)
    shutil.rmtree(work / ".git" / "logs", ignore_errors=True)


def _env(cwd: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return {
        **kept,
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CEILING_DIRECTORIES": str(cwd.resolve().parent),
        "GIT_TERMINAL_PROMPT": "0",
        "LC_ALL": "C",
    }
