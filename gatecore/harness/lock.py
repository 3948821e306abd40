"""A lock that the system takes from a process that dies."""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from gatecore.harness.errors import UsageError

_POLL_S = 0.1


@contextmanager
def holding(path: Path, busy: str, *, patience: float = 0.0) -> Iterator[int]:
    """Hold the lock file `path`; yields its descriptor, which a child may be given to hold it too.

    Raises UsageError with `busy` when somebody else still holds it after `patience` seconds.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    deadline = time.monotonic() + patience
    try:
        while True:
            try:
                fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() >= deadline:
                    raise UsageError(busy) from None
                time.sleep(_POLL_S)
        yield fd
    finally:
        os.close(fd)
