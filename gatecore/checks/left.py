"""What the checks and the client of a run leave behind when whoever started them was killed."""

import os
from contextlib import suppress

from gatecore.checks.env import owner
from gatecore.checks.process import kill_left
from gatecore.checks.scratch import prefix, root
from gatecore.snapshot.folders import remove


def end_checks(state: str) -> None:
    """Kill the checks that are left of the run with this state directory (on Linux), and drop their folders.

    For one that holds the run's judging lock: none of them can belong to a stop that goes on.
    """
    kill_left(f"{owner(state)}.")
    _drop_scratch(state)


def end_all(state: str) -> None:
    """The same for the run's client, its hooks and all that they started."""
    kill_left(owner(state))
    _drop_scratch(state)


def _drop_scratch(state: str) -> None:
    folder, begin = root(), prefix(owner(state))
    with suppress(OSError):
        for name in os.listdir(folder):
            if name.startswith(begin):
                remove(f"{folder}/{name}")
