"""What all tests use."""

from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("gateview", deadline=None, database=None, max_examples=50)
settings.load_profile("gateview")


@pytest.fixture(scope="session")
def shared() -> Path:
    """The ledgers and documents beside the repository; a user's clone has none."""
    folder = Path(__file__).parents[1] / "../shared"
    if not folder.is_dir():
        pytest.skip(f"{folder} is not there")
    return folder.resolve()
