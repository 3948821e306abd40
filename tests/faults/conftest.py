"""Fixtures: a bench, and runs in it."""

from gating import bench, new

__all__ = ["bench", "new"]
