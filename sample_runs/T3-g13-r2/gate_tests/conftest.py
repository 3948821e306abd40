"""Acceptance tests run against the tree that is the working directory."""
