"""Runs behind the gate, to be judged again."""

from gating import bench, new

__all__ = ["bench", "new"]
