"""Run a command that runs pytest against a tree, and read from the plugin's report what came of it."""
