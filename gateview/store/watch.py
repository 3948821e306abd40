"""When to look at watched folders: as soon as the system tells of a change, or again and again where it cannot."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event

from gateview.store.tail import Tailer

Touched = frozenset[str] | None
"""Paths that changed, for a look at these alone; None for a look at everything that may have changed."""

# Milliseconds: changes are told once none came for a step, after a debounce at last.
_STEP, _DEBOUNCE = 10, 30
_TICK = 200  # milliseconds between two chances to end, or to sweep
_SWEEP = 1.5  # seconds between two looks at all that may grow, whatever was told
_BURST = 4096  # so many changes at once may be all that was left of more
_LOOKS_EVERY = 0.04  # seconds between two looks without help of the system
_PART_OF_TIME = 10  # looking may take at most one part in so many of a processor's
_AGAIN = 2.0  # seconds until folders that could not be watched are tried again
_REMOTE = {"nfs", "nfs4", "cifs", "smb3", "9p", "fuse.sshfs", "afs", "ceph", "lustre", "glusterfs", "vboxsf"}


def looks(tailer: Tailer, ended: Event, say: Callable[[str], None]) -> Iterator[Touched]:
    """Yield whenever it is time for the tailer to look, until `ended`.

    `say` gets a word on how the folders are watched: nothing, or why they are polled.
    """
    folders = tailer.folders
    yield None
    while not ended.is_set():
        if any(_remote(folder) for folder in folders):
            say("polling: network folder")
            yield from _polled(ended, float("inf"))
            return
        try:
            yield from _told(tailer, ended, say)
        except FileNotFoundError:
            yield from _polled(ended, _AGAIN)
        except (OSError, RuntimeError) as err:
            say("polling: watch limit" if "limit" in str(err).lower() else "polling: no watch")
            yield from _polled(ended, float("inf"))


def _told(tailer: Tailer, ended: Event, say: Callable[[str], None]) -> Iterator[Touched]:
    from watchfiles import watch

    swept = time.monotonic()
    changes = watch(
        *tailer.folders,
        watch_filter=None,
        step=_STEP,
        debounce=_DEBOUNCE,
        rust_timeout=_TICK,
        yield_on_timeout=True,
        raise_interrupt=False,
        ignore_permission_denied=True,
    )
    for told in changes:
        if ended.is_set():
            return
        say("")
        now = time.monotonic()
        if len(told) >= _BURST:
            tailer.rescan()
        if now - swept > _SWEEP or tailer.overdue:
            swept = now
            yield None
        if told or tailer.restless:
            yield frozenset(path for _, path in told)
        if told and not all(folder.exists() for folder in tailer.folders):
            raise FileNotFoundError


def _polled(ended: Event, seconds: float) -> Iterator[Touched]:
    until = time.monotonic() + seconds
    while not ended.is_set() and time.monotonic() < until:
        began = time.thread_time()
        yield None
        took = time.thread_time() - began
        ended.wait(max(_LOOKS_EVERY, took * (_PART_OF_TIME - 1)))


def _remote(folder: Path) -> bool:
    """Whether another machine may change the folder, of which this one is told nothing (Linux: as mounted)."""
    try:
        mounts = [
            line.split(" ") for line in Path("/proc/self/mounts").read_text("utf-8", "replace").splitlines()
        ]
        whole = folder.resolve()
    except OSError:
        return False
    over = [
        (mount[1], mount[2]) for mount in mounts if len(mount) > 2 and whole.is_relative_to(_plain(mount[1]))
    ]
    return bool(over) and max(over, key=lambda mount: len(mount[0]))[1] in _REMOTE


def _plain(mount: str) -> str:
    return mount.replace("\\040", " ")
