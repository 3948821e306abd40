"""Folders in which checks keep temporary files. Without `tempfile`, which costs a stop milliseconds to load."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from gatecore.snapshot.folders import remove

PATTERN = r"gatecore-\w*-[0-9a-f]{8}"
"""A regular expression that the folders' names match."""


def root() -> str:
    """Where the folders lie: in the system's, not beside the state. A socket's path has about 100 bytes."""
    own = os.environ.get("TMPDIR", "")
    return own if os.path.isdir(own) else "/tmp"


def prefix(owner: str) -> str:
    """What the names of an owner's folders begin with."""
    return f"gatecore-{owner}-"


@contextmanager
def scratch(owner: str) -> Iterator[str]:
    """A new folder, gone afterwards. Raises OSError."""
    path = os.path.join(root(), prefix(owner) + os.urandom(4).hex())
    os.mkdir(path, 0o700)
    try:
        yield path
    finally:
        with suppress(OSError):
            remove(path)
