"""Recorded stops, judged again: by another oracle, by other gates, or several times over."""
