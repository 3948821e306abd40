"""Acceptance tests for the request that is under way."""

import json
from pathlib import Path
from typing import Any

from gatecore.everyday.install import here, installed
from gatecore.harness.errors import UsageError
from gatecore.hook.session.write import WriterError, write_tests
from gatecore.snapshot import SnapshotError


def write_for_request() -> dict[str, Any]:
    """Have them written for the newest request in the work tree here. Raises UsageError."""
    repo = here()
    home, _ = installed(repo)
    states = sorted((home / "sessions").glob("*/session.json"), key=lambda file: _used(file.parent))
    for file in reversed(states):
        if json.loads(file.read_bytes())["work"] == repo.top and (request := _request(file.parent)):
            try:
                return write_tests(str(home), str(file.parent), request)
            except (WriterError, SnapshotError, OSError) as err:
                raise UsageError(f"write-tests: {err}") from None
    raise UsageError(f"{repo.top}: no request was seen here yet")


def _used(state: Path) -> float:
    file = state / "state.json"
    return file.stat().st_mtime if file.exists() else 0.0


def _request(state: Path) -> str:
    try:
        return str(json.loads((state / "state.json").read_bytes())["session"]["request"])
    except (OSError, ValueError, KeyError, TypeError):
        return ""
