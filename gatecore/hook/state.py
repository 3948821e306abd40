"""What the gate itself remembers between the stops of a run, under a lock.

Numbers and the count of blocks come from here and not from the ledger, so that lines which the agent adds to
the ledger change neither.
"""

import fcntl
import json
import os
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

FILE = "state.json"
_SNAPSHOT = re.compile(r"snap-(\d{1,9})\.diff")


@contextmanager
def locked(state: str, run: str) -> Iterator[dict[str, Any]]:
    """Yield the run's state as a dict to change in place; it is saved when the block ends without an error.

    A state that is missing although the run has snapshots, or that is damaged, is begun anew past the
    highest number in the run directory, and says so under ``"lost"``.
    """
    fd = os.open(os.path.join(state, FILE), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX)
        memory = _load(fd, run)
        yield memory
        data = json.dumps(memory).encode()
        os.pwrite(fd, data, 0)
        os.ftruncate(fd, len(data))
    finally:
        os.close(fd)


@contextmanager
def judging(state: str, deadline: float) -> Iterator[None]:
    """Let one stop of a run be judged at a time: they share the index and the copies.

    Raises TimeoutError when the stop before has not ended by `deadline` (monotonic seconds).
    """
    fd = os.open(os.path.join(state, "judging.lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        while True:
            try:
                fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > deadline:
                    raise TimeoutError("another stop of this run was still being judged") from None
                time.sleep(0.02)
        yield
    finally:
        os.close(fd)


def _load(fd: int, run: str) -> dict[str, Any]:
    try:
        memory = json.loads(os.pread(fd, os.fstat(fd).st_size, 0))
        if isinstance(memory["n"], int) and isinstance(memory["requests"], dict):
            return dict(memory)
    except (ValueError, KeyError, TypeError):
        pass
    highest = max((int(m[1]) for name in os.listdir(run) if (m := _SNAPSHOT.fullmatch(name))), default=0)
    memory = {"n": highest, "last": "", "requests": {}, "reviews": {}}
    if highest or os.path.exists(os.path.join(run, "gate.jsonl")):
        memory["lost"] = True
    return memory
