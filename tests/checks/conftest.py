from collections.abc import Mapping
from pathlib import Path

import pytest
from checking import GREEN, Case, Ran, make_check

from gatecore.checks.run import run_checks


@pytest.fixture(scope="session")
def state(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Home and bytecode cache of all checks; compiling pytest costs a second, so one check does it for all."""
    state = tmp_path_factory.mktemp("state")
    run_checks([make_check(tmp_path_factory.mktemp("first"), state, Case({"test_a.py": GREEN}, "pass"))])
    return state


@pytest.fixture(scope="module")
def ran(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, state: Path
) -> dict[str, Ran]:
    """All cases of the module's `CASES`, run side by side in portions."""
    cases: Mapping[str, Case] = request.module.CASES
    bases = [tmp_path_factory.mktemp("case") for _ in cases]
    checks = [
        make_check(base, state, case, name) for base, (name, case) in zip(bases, cases.items(), strict=True)
    ]
    results = [
        result for start in range(0, len(checks), 6) for result in run_checks(checks[start : start + 6])
    ]
    return {result.name: Ran(base, result) for base, result in zip(bases, results, strict=True)}
