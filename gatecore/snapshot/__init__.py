"""The work tree at a stop: its tree, its diff against the base, and checked-out copies of it."""

from gatecore.snapshot.git import SnapshotError
from gatecore.snapshot.store import Snapshot, Store
from gatecore.snapshot.worktree import Unheld

__all__ = ["Snapshot", "SnapshotError", "Store", "Unheld"]
