"""What all tests use."""

import os
import shutil
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("gateview", deadline=None, database=None, max_examples=50)
settings.load_profile("gateview")

_BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")


@pytest.fixture(scope="session")
def shared() -> Path:
    """The ledgers and documents beside the repository; a user's clone has none."""
    folder = Path(__file__).parents[1] / "../shared"
    if not folder.is_dir():
        pytest.skip(f"{folder} is not there")
    return folder.resolve()


def pytest_runtest_setup(item: pytest.Item) -> None:
    """A test with a browser is skipped where there is none, but never in CI."""
    if item.get_closest_marker("browser") and not any(map(shutil.which, _BROWSERS)):
        without = pytest.fail if os.environ.get("CI") else pytest.skip
        without(f"no Chromium here: none of {', '.join(_BROWSERS)} is installed")
