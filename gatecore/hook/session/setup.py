"""What `gatecore install` settled for a repository: `config.json` in its home."""

import hashlib
import json
import os
from typing import Any, NamedTuple

FILE = "config.json"
MODES = ("observe", "advise", "block")
DOCS = ("**", "!**/*.md", "!**/*.rst", "!**/*.adoc")
"""What gate 1 looks at by default: everything but prose."""


class SetupError(Exception):
    """`config.json` cannot be used; the message says why."""


class SuiteSetup(NamedTuple):
    """One suite: the folder that it runs in and judges ("" is the root), and its command for /bin/sh."""

    folder: str
    command: str


class Setup(NamedTuple):
    """The settings of a repository's gate. Seconds are measured at installation, with room."""

    repo: str  # its name, as part of its runs' names
    common: str  # its git directory
    env: dict[str, str]  # set for every check
    mode: str = "observe"
    suites: tuple[SuiteSetup, ...] = ()
    suite_s: float = 300.0
    hook_s: float = 900.0
    link: tuple[str, ...] = ()
    inplace: bool = False
    paths: tuple[str, ...] = DOCS
    pass_env: tuple[str, ...] = ()
    on_error: str = "allow"
    give_up: int = 6
    writer: bool = False  # have acceptance tests written at the first prompt of a request
    client: tuple[str, ...] = ("claude",)
    writer_model: str = "claude-sonnet-5-5"
    python: str = ""  # runs the acceptance tests; "" when the repo has no Python suite


def load(home: str) -> Setup:
    """Read the settings. Raises OSError, SetupError naming the key that is wrong."""
    path = os.path.join(home, FILE)
    with open(path, "rb") as file:
        raw = file.read()
    try:
        return _read(json.loads(raw))
    except (ValueError, TypeError, KeyError) as err:
        raise SetupError(f"{path}: {err}") from None


def dump(setup: Setup) -> str:
    """The text of `config.json`."""
    plain = setup._asdict()
    plain["suites"] = [suite._asdict() for suite in setup.suites]
    return json.dumps(plain, indent=2) + "\n"


def digest(home: str) -> str:
    """The SHA-256 of `config.json`, "" when it is not there."""
    try:
        with open(os.path.join(home, FILE), "rb") as file:
            return hashlib.sha256(file.read()).hexdigest()
    except OSError:
        return ""


def _read(data: dict[str, Any]) -> Setup:
    if not isinstance(data, dict):
        raise TypeError("must be an object")
    unknown = data.keys() - set(Setup._fields)
    if unknown:
        raise KeyError(f"unknown key {min(unknown)}")
    plain: dict[str, Any] = {
        key: tuple(value) if isinstance(value, list) else value for key, value in data.items()
    }
    suites = tuple(SuiteSetup(**suite) for suite in plain.pop("suites", ()))
    setup = Setup(**plain, suites=suites)
    for key, kind in _KINDS.items():
        if not isinstance(getattr(setup, key), kind):
            raise TypeError(f"{key}: must be {_NAMES[kind]}")
    if setup.mode not in MODES:
        raise ValueError(f"mode: must be one of {', '.join(MODES)}")
    if setup.on_error not in ("allow", "block"):
        raise ValueError("on_error: must be allow or block")
    return setup


_KINDS: dict[str, Any] = {
    **dict.fromkeys(("repo", "common", "mode", "on_error", "writer_model", "python"), str),
    **dict.fromkeys(("link", "paths", "pass_env", "client"), tuple),
    **dict.fromkeys(("suite_s", "hook_s"), (int, float)),
    **dict.fromkeys(("inplace", "writer"), bool),
    "give_up": int,
    "env": dict,
}
_NAMES: dict[Any, str] = {
    str: "a text",
    tuple: "a list",
    (int, float): "a number",
    bool: "true or false",
    int: "a whole number",
    dict: "an object",
}
