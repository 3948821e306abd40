"""Run directories as a folder that can be shared."""
