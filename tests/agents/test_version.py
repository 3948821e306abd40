"""Which client is there, and whether the gate is known to hold against it."""

import sys

import pytest

from gatecore.agents.version import OLDEST_SUPPORTED, client_version, read_version

OLDEST = ".".join(map(str, OLDEST_SUPPORTED))


@pytest.mark.parametrize(
    ("text", "supported", "problem"),
    [
        ("2.1.332 (Claude Code)\n", True, None),
        (f"{OLDEST} (Claude Code)", True, None),
        ("2.2.0", True, None),
        ("10.0.0 (Claude Code)", True, None),
        ("2.1.99 (Claude Code)", False, f"version 2.1.99 is too old for the gate to hold: {OLDEST} or newer"),
        ("1.0.128", False, "version 1.0.128 is too old"),
        ("", None, "its version is unknown (it answered '' to --version)"),
        ("Usage: claude\x1b[0m", None, r"it answered 'Usage: claude\x1b[0m' to --version"),
    ],
)
def test_a_version_is_read_and_judged(text: str, supported: bool | None, problem: str | None) -> None:
    version = read_version(text)
    assert version.supported is supported
    assert problem in version.problem if problem and version.problem else version.problem is problem


def test_a_client_is_asked(tmp_path_factory: pytest.TempPathFactory) -> None:
    says = "import sys; print('2.1.400 (Claude Code)' if sys.argv[1:] == ['--version'] else 'prompt?')"
    assert client_version([sys.executable, "-c", says]).number == (2, 1, 400)
    with pytest.raises(FileNotFoundError):
        client_version([str(tmp_path_factory.getbasetemp() / "no-client")])
