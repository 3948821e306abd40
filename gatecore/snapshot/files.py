"""The files of a directory, each read once: what its stat says has not changed is not read again."""

import json
import os
import stat
import time
from collections.abc import Iterator
from typing import Any

from gatecore.snapshot.objects import Entries, Objects, write_whole

_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC  # a pipe must not hold us
_TICK_NS = 20_000_000
_COARSE_NS = 2_000_000_000


class NotHeldError(Exception):
    """A file that a tree cannot or shall not hold; the text says why."""


class Files:
    """The files below `root`. What was read stays known in the file `memory`, from one stop to the next.

    With `keep`, the contents that are read go to the store.
    """

    def __init__(self, root: str, memory: str, objects: Objects, *, keep: bool) -> None:
        self.root = root
        self._memory = memory
        self._objects = objects
        self._keep = keep
        self._known = _load(memory)
        self._now: dict[str, list[Any]] = {}
        self._cost = 0.0  # of what was read, in small files

    def differing(self, entries: Entries) -> Iterator[str]:
        """The paths of `entries` that may not be as in there any more: their stat does not say so."""
        known, now, root, lstat = self._known, self._now, self.root, os.lstat
        for path, entry in entries.items():
            seen = known.get(path)
            if seen is None or seen[0] != entry:
                yield path
                continue
            try:
                status = lstat(f"{root}/{path}")
            except OSError:
                yield path
                continue
            if seen[1] == _stamp(status):
                now[path] = seen
            else:
                yield path

    def entry(self, path: str, status: os.stat_result, base: str | None = None) -> str:
        """The entry of a file or link, of which `status` is an lstat taken before.

        The content of the entry `base` is in the store already. Raises NotHeldError for anything else than
        a file or link, OSError when it cannot be read.
        """
        known = self._known.get(path)
        if known is not None and known[1] == _stamp(status):
            self._now[path] = known
            return known[0]  # type: ignore[no-any-return]
        began = time.time_ns()
        mode, body = _read(f"{self.root}/{path}", status.st_mode)
        entry = f"{mode} {self._objects.id('blob', body)}"
        if self._keep and entry != base:
            self._objects.write("blob", body)
        self._cost += 1 + len(body) / 100_000
        changed = status.st_ctime_ns
        # A change within the same tick of the file system's clock would leave the stat as it is.
        if changed < began - (_TICK_NS if changed % 1_000_000_000 else _COARSE_NS):
            self._now[path] = [entry, _stamp(status)]
        return entry

    def save(self) -> None:
        """Keep what is known for the next time, unless it is cheaper to read those few files again."""
        if self._cost > len(self._now) / 50:
            write_whole(self._memory, json.dumps(self._now).encode())


def _read(path: str, mode: int) -> tuple[str, bytes]:
    if stat.S_ISLNK(mode):
        return "120000", os.fsencode(os.readlink(path))
    if not stat.S_ISREG(mode):
        raise NotHeldError("not a regular file")
    with open(os.open(path, _FLAGS), "rb", buffering=0) as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise NotHeldError("not a regular file any more")
        return "100755" if mode & stat.S_IXUSR else "100644", file.readall()


def _stamp(status: os.stat_result) -> list[int]:
    return [status.st_mode, status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino]


def _load(memory: str) -> dict[str, list[Any]]:
    """Nothing, when the memory is missing or damaged: it saves reading, and holds no truth of its own."""
    try:
        with open(memory, "rb") as file:
            known = json.load(file)
    except (OSError, ValueError):
        return {}
    return known if isinstance(known, dict) else {}
