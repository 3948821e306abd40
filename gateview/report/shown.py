"""The tables of the report as text, for the dashboard: its only contact with how a report is made."""

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

_PATIENCE = 300  # seconds


def report_text(folders: Sequence[Path]) -> str:
    """Return what `gateview report` prints, or why it prints nothing; made by a child."""
    command = [sys.executable, "-m", "gateview", "report", *map(str, folders)]
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_PATIENCE,
            start_new_session=True,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as err:
        return f"The report could not be made: {err}"
    return (done.stdout or done.stderr).decode("utf-8", "replace")
