"""What the hook's process loads: the standard library, and of that nothing dear."""

import json
import subprocess
import sys

import pytest

_CODE = "import sys, json, {}; print(json.dumps(sorted(sys.modules)))"


@pytest.fixture(scope="module", params=["gatecore.hook.__main__", "gatecore.hook.session.answer"])
def modules(request: pytest.FixtureRequest) -> set[str]:
    loaded = subprocess.check_output([sys.executable, "-I", "-c", _CODE.format(request.param)])
    bare = subprocess.check_output(
        [sys.executable, "-I", "-c", "import sys, json; print(json.dumps(sorted(sys.modules)))"]
    )
    return set(json.loads(loaded)) - set(json.loads(bare))


def test_only_the_standard_library_and_gatecore(modules: set[str]) -> None:
    tops = {name.split(".")[0] for name in modules}
    assert tops <= sys.stdlib_module_names | {"gatecore"}


@pytest.mark.parametrize(
    "dear", ["dataclasses", "pathlib", "tempfile", "asyncio", "argparse", "logging", "inspect"]
)
def test_nothing_dear_is_loaded_at_the_start(modules: set[str], dear: str) -> None:
    assert dear not in modules
