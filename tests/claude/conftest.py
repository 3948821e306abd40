"""The real client, where it is installed (`uv sync --extra claude`)."""

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from fake_api import FakeApi
from private_net import private_net
from real_client import OLDEST, RealClient, bundled

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Every test in this folder is of the tier that needs the client."""
    for item in items:
        if item.path.is_relative_to(HERE):
            item.add_marker(pytest.mark.claude)


def needed(folder: Path | None, how: str) -> Path:
    """The client in `folder`. Without it the tests are skipped, and in CI they fail."""
    found = bundled(folder)
    if found is None:
        (pytest.fail if os.environ.get("CI") else pytest.skip)(f"no Claude Code CLI to run: {how}")
    return found


@pytest.fixture(scope="session")
def current() -> Iterator[RealClient]:
    """The version that the extra `claude` pins."""
    binary = needed(None, "uv sync --extra claude")
    with private_net() as net:
        api = FakeApi(net.listening)
        yield RealClient(binary, api, net.prefix)
        api.close()


@pytest.fixture(scope="session")
def oldest(current: RealClient) -> RealClient:
    """The oldest version that is supported."""
    return replace(current, binary=needed(OLDEST, ".ci/run puts it there"))


@pytest.fixture(scope="session", params=["current", "oldest"])
def client(request: pytest.FixtureRequest) -> RealClient:
    """Each of the two."""
    found: RealClient = request.getfixturevalue(request.param)
    return found
