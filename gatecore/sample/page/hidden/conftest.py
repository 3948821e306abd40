"""The tree under test: GATECORE_TREE, or the folder that pytest was started in."""
