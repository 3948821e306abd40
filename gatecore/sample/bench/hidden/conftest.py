"""The tree under test: GATECORE_TREE, or the folder that pytest was started in."""
import os
import sys

TREE = os.environ.get("GATECORE_TREE", os.curdir)
sys.path.insert(0, os.path.abspath(TREE))
