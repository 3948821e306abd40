"""Which directories of a watched folder may be runs: those that came and those that went, listing by listing."""

import os
from dataclasses import dataclass, field

from gatecore.ledger.reader import is_run

RELIST = 2.0
"""Seconds after a change of the folder's time stamp in which it is listed at every look: stamps are coarse."""
ITSELF = "."
"""The name, within itself, of a folder that is a run directory."""


@dataclass(slots=True)
class Folder:
    """One watched folder: `found` are its directories by name with their inodes."""

    path: str
    prefix: str
    found: dict[str, int] = field(default_factory=dict)
    stamped_at: float = float("-inf")
    _stamp: tuple[int, int] | None = None

    def key(self, name: str) -> str:
        """The key of the run of that name."""
        return self.prefix + (os.path.basename(self.path) if name == ITSELF else name)  # noqa: PTH119

    def path_of(self, name: str) -> str:
        """The directory of that name."""
        return self.path if name == ITSELF else f"{self.path}/{name}"

    def look(self, now: float, *, anew: bool = False) -> tuple[list[str], list[str]]:
        """Return the names that came and those that went; without a listing where nothing tells of any."""
        stamp = _stamp(self.path)
        if stamp != self._stamp:
            self._stamp, self.stamped_at = stamp, now
        elif not anew and now - self.stamped_at > RELIST:
            return [], []
        listed = _directories(self.path)
        if listed is None:  # it cannot be listed just now
            return [], []
        went = [name for name, inode in self.found.items() if listed.get(name) != inode]
        came = [name for name, inode in listed.items() if self.found.get(name) != inode]
        self.found = listed
        return came, went


def _directories(folder: str) -> dict[str, int] | None:
    """The directories in `folder` with their inodes, links last; a folder that is a run and holds none is it.

    None when the folder is there and cannot be listed.
    """
    try:
        with os.scandir(folder) as entries:
            listed = [(e.is_symlink(), e.name, _inode(e)) for e in entries if not e.name.startswith(".")]
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except OSError:
        return None
    found = {name: inode for _, name, inode in sorted(listed, key=lambda e: e[:2]) if inode is not None}
    if is_run(folder) and not any(is_run(f"{folder}/{name}") for name in found):
        stamp = _stamp(folder)
        return {ITSELF: stamp[0]} if stamp else {}
    return found


def is_one_run(folder: str) -> bool:
    """Whether the folder is itself a run directory, and not a folder of some."""
    return is_run(folder) and ITSELF in (_directories(folder) or ())


def _inode(entry: "os.DirEntry[str]") -> int | None:
    """The inode of a folder, through a link if it is one; None for what is no folder."""
    try:
        if not entry.is_dir():
            return None
        return entry.stat().st_ino if entry.is_symlink() else entry.inode()
    except OSError:  # gone again, or a link to itself
        return None


def _stamp(folder: str) -> tuple[int, int] | None:
    try:
        info = os.stat(folder)  # noqa: PTH116
    except OSError:
        return None
    return info.st_ino, info.st_mtime_ns
