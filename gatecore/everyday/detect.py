"""Which command runs the suite of a repo: what its files say."""

import json
import shlex
import shutil
from pathlib import Path

_JUNIT = "$GATECORE_JUNIT"


def detect(folder: Path) -> str | None:
    """The command of the suite in `folder` for /bin/sh, None when its files tell of none."""
    for found in (_pytest, _node, _go):
        if command := found(folder):
            return command
    return None


def links(folder: Path) -> tuple[str, ...]:
    """Ignored folders that suites usually need."""
    names = (".venv", "venv", "node_modules")
    return tuple(name for name in names if (folder / name).is_dir())


def python_of(command: str) -> str:
    """The interpreter that a suite's command starts, for acceptance tests; "" when it starts none."""
    try:
        words = shlex.split(command)
    except ValueError:
        return ""
    first = next((word for word in words if "=" not in word), "")
    if Path(first).name.startswith("python"):
        return first
    beside = Path(first).with_name("python")
    return str(beside) if Path(first).name in ("pytest", "py.test") and "/" in first else ""


def _pytest(folder: Path) -> str | None:
    named = any((folder / name).is_file() for name in ("pytest.ini", "conftest.py", "tox.ini"))
    project = folder / "pyproject.toml"
    named = named or (project.is_file() and "pytest" in project.read_text("utf-8", "replace"))
    tests = [
        *folder.glob("test_*.py"),
        *folder.glob("tests/**/test_*.py"),
        *folder.glob("tests/**/*_test.py"),
    ]
    if not named and not tests:
        return None
    for name in (".venv", "venv"):
        if (folder / name / "bin" / "python").exists():
            return f"{name}/bin/python -m pytest -q"
    if (folder / "uv.lock").is_file() and shutil.which("uv"):
        return f"{shlex.quote(shutil.which('uv') or 'uv')} run --frozen python -m pytest -q"
    return "python3 -m pytest -q"


def _node(folder: Path) -> str | None:
    try:
        package = json.loads((folder / "package.json").read_bytes())
        script = str(package["scripts"]["test"])
    except (OSError, ValueError, KeyError, TypeError):
        return None
    if "node --test" in script:
        return f'node --test --test-reporter=junit --test-reporter-destination="{_JUNIT}"'
    if "vitest" in script:
        return f'npx vitest run --reporter=junit --outputFile="{_JUNIT}"'
    if "jest" in script and (folder / "node_modules" / "jest-junit").is_dir():
        return f'JEST_JUNIT_OUTPUT_FILE="{_JUNIT}" npx jest --reporters=default --reporters=jest-junit'
    if "mocha" in script:
        return f'npx mocha --reporter xunit --reporter-option output="{_JUNIT}"'
    return None


def _go(folder: Path) -> str | None:
    if (folder / "go.mod").is_file() and shutil.which("gotestsum"):
        return f'gotestsum --junitfile "{_JUNIT}"'
    return None


HELP = (
    "name the command with --suite: one that runs pytest, or one that leaves JUnit XML at $GATECORE_JUNIT "
    '(go: gotestsum --junitfile "$GATECORE_JUNIT"; jest: jest-junit; cargo: nextest)'
)
