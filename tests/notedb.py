"""Somebody else's bench, which lies beside the repository, laid out to be used."""

import json
import shutil
import sys
from pathlib import Path

from gating import git

# The repo's own settings ask for pytest-cov, which need not be there.
SETTINGS = f"""
[client]
kind = "scripted"

[suite]
command = [{json.dumps(sys.executable)}, "-m", "pytest", "-q", "-o", "addopts="]

[oracle]
env = ["TINYDB_TREE"]

[checks.env]
PYTEST_DISABLE_PLUGIN_AUTOLOAD = "1"
"""


def lay_out(shared: Path, root: Path) -> Path:
    """Copy the bench to `root`, its upstream as a repository."""
    shutil.copytree(shared / "bench-notedb", root, copy_function=shutil.copyfile)
    upstream = root / "upstream"
    git(upstream, "init", "-q", "-b", "main")
    git(upstream, "add", "-A")
    git(upstream, "commit", "-q", "-m", "base")
    (root / "bench.toml").write_text(SETTINGS)
    return root
