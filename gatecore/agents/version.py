"""Which versions of Claude Code the gate holds against, and which one a command starts."""

import os
import re
import subprocess
from collections.abc import Mapping, Sequence
from typing import NamedTuple

OLDEST_SUPPORTED = (2, 1, 202)
"""The oldest version that the tests run. An older one need not tell the hook which request a stop belongs to."""

_VERSION = re.compile(r"(\d+)\.(\d+)\.(\d+)")
_SECONDS = 30.0


class ClientVersion(NamedTuple):
    """What `<client> --version` said.

    `number` is None when that held no version, and `error` then says why.
    """

    text: str
    number: tuple[int, int, int] | None = None
    error: str = ""

    @property
    def supported(self) -> bool | None:
        """Whether the gate is known to hold against it; None when the version is unknown."""
        return None if self.number is None else self.number >= OLDEST_SUPPORTED

    @property
    def problem(self) -> str | None:
        """What is wrong with it and what to do, as a sentence for people; None when nothing is."""
        oldest = ".".join(map(str, OLDEST_SUPPORTED))
        if self.number is None:
            return f"its version is unknown ({self.error}); {oldest} or newer is needed"
        if not self.supported:
            found = ".".join(map(str, self.number))
            return f"version {found} is too old for the gate to hold: {oldest} or newer is needed (`claude update`)"
        return None


def client_version(command: Sequence[str], env: Mapping[str, str] | None = None) -> ClientVersion:
    """Ask the client that `command` starts for its version; `env` is its whole environment, else ours.

    Raises OSError when it cannot be started. Whatever else it does gives a version that is unknown.
    """
    try:
        done = subprocess.run(
            [*command, "--version"],
            env=os.environ if env is None else env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return ClientVersion("", error=f"no answer to --version within {_SECONDS:.0f} s")
    return read_version(done.stdout.decode("utf-8", "replace"))


def read_version(text: str) -> ClientVersion:
    """Read what a client printed, as in ``2.1.332 (Claude Code)``."""
    text = text.strip()[:80]
    found = _VERSION.match(text)
    if not found:
        return ClientVersion(text, error=f"it answered {text!r} to --version")
    return ClientVersion(text, (int(found[1]), int(found[2]), int(found[3])))
