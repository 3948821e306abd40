"""Lay out a bench that comes with the package: a small repo, tasks, an oracle, scripted agents."""

import shutil
from pathlib import Path

from gatecore.harness import git
from gatecore.harness.errors import UsageError

SAMPLE = Path(__file__).parent.parent / "sample" / "bench"
PAGE = SAMPLE.with_name("page")
"""One with a page, for gate 2."""

_MARK = ".gatecore-sample"
_WHEN = "2026-01-01T00:00:00+00:00"
_README = """# A bench

- `upstream/`: the repository to work on, as a git clone; every run begins at its HEAD
- `tasks/<task>.md`: a request, as people type it
- `hidden/test_<task>.py`: the oracle, one `test_req<n>` per requirement; never shown to the agent
- `reference/<task>.patch`: a solution that meets them all
- `inject/`: patches that break something, for `gatecore run --inject`
- `bench.toml`, `configs.json`: settings, where the defaults do not fit
"""
_CONFTEST = '''"""The tree under test comes first on sys.path."""

import os
import sys

sys.path.insert(0, os.environ.get("GATECORE_TREE") or os.getcwd())
'''


def lay_out(folder: Path, sample: Path = SAMPLE) -> None:
    """Copy a sample bench into `folder` (new, empty, or laid out before) and commit its upstream.

    The commit is the same on every machine. Raises UsageError when the folder holds something else.
    """
    git.require()
    if (folder / _MARK).exists() and (folder / _MARK).read_text(encoding="utf-8") == sample.name:
        return
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{folder}: is not empty; name a new folder")
    shutil.copytree(sample, folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
    upstream = folder / "upstream"
    who = {f"GIT_{role}_{what}": value for role in ("AUTHOR", "COMMITTER") for what, value in (
        ("NAME", "sample"), ("EMAIL", "sample@example.invalid"), ("DATE", _WHEN),
    )}  # fmt: skip
    git.run("init", "--quiet", "--initial-branch=main", cwd=upstream)
    git.run("add", "--all", "--force", cwd=upstream)
    git.run("commit", "--quiet", "--message=sample", cwd=upstream, env=who)
    (folder / _MARK).write_text(sample.name, encoding="utf-8")


def lay_out_empty(folder: Path) -> None:
    """Make the folders of a bench in `folder`, new or empty. Raises UsageError when it holds something."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{folder}: is not empty; name a new folder")
    for name in ("upstream", "tasks", "hidden", "reference", "inject"):
        (folder / name).mkdir(parents=True)
    (folder / "README.md").write_text(_README, encoding="utf-8")
    (folder / "hidden" / "conftest.py").write_text(_CONFTEST, encoding="utf-8")
    (folder / "hidden" / "pytest.ini").write_text("[pytest]\naddopts =\n", encoding="utf-8")
