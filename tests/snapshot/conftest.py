"""Fixtures of the tests of snapshots."""

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

NOBODY = 65534


@pytest.fixture
def unprivileged(tmp_path: Path) -> Iterator[Path]:
    """A folder for a test in which permissions count, also when root runs it."""
    if os.geteuid() != 0:
        yield tmp_path
        return
    if sys.platform == "darwin":
        pytest.skip("root cannot become somebody else and come back")
    folder = Path(tempfile.mkdtemp())
    os.chown(folder, NOBODY, NOBODY)
    os.setresuid(NOBODY, NOBODY, 0)
    try:
        yield folder
    finally:
        os.setresuid(0, 0, 0)
        shutil.rmtree(folder)
