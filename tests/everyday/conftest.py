"""Fixtures: a developer's repository."""

from daily import daily

__all__ = ["daily"]
