"""The environment of a check: built from nothing, so that no credential or habit of the caller gets in."""

import hashlib
import os
from collections.abc import Iterable, Mapping

REPORT = "GATECORE_REPORT"
"""Path of the report; the plugin reads it and takes it away."""
TREE_ROOT = "GATECORE_TREE_ROOT"
"""Directory of the judged tree; the plugin reads it and takes it away."""
JUNIT = "GATECORE_JUNIT"
"""Path at which a command that does not run pytest leaves JUnit XML."""
MARK = "GATECORE_MARK"
"""A mark that everything a process starts inherits, so that what leaves its group, or outlives it, is found."""
PLUGIN = "gatecore_report"
PLUGIN_DIR = os.path.join(os.path.dirname(os.path.abspath(__file__)), "plugin")

_INHERITED = (
    "PATH",
    "LANG",
    "LANGUAGE",
    "TZ",
    "TZDIR",
    "USER",
    "LOGNAME",
    "SHELL",
    "VIRTUAL_ENV",
    "CONDA_PREFIX",
    "LD_LIBRARY_PATH",
)


def owner(state: str) -> str:
    """What the marks begin with of all that is started for the run whose state directory is `state`."""
    return hashlib.sha256(os.fsencode(state)).hexdigest()[:16]


def check_env(
    state: str,
    pass_env: Iterable[str] = (),
    extra: Mapping[str, str] | None = None,
    inherited: Mapping[str, str] = os.environ,
) -> dict[str, str]:
    """Return the environment of a check, whole but for what `run_checks` adds for each run.

    HOME and the bytecode cache lie in `state`, an absolute path outside the tree. `pass_env` names variables
    of `inherited` that go along as they are (HOME, say, for tools that keep their interpreters there),
    `extra` adds values. A PYTHONPATH or PYTEST_ADDOPTS given in either way comes after our own.
    """
    env = {name: inherited[name] for name in _INHERITED if name in inherited}
    env |= {name: value for name, value in inherited.items() if name.startswith("LC_")}
    env.setdefault("PATH", os.defpath)
    env.setdefault("LANG", "C.UTF-8")
    env |= {
        "HOME": os.path.join(state, "home"),
        "TERM": "dumb",
        "NO_COLOR": "1",
        "COLUMNS": "80",
        "PYTHONPYCACHEPREFIX": os.path.join(state, "pycache"),
    }
    env |= {name: inherited[name] for name in pass_env if name in inherited}
    env |= extra or {}
    env[MARK] = owner(state)
    env["PYTHONSAFEPATH"] = "1"
    env["PYTHONPATH"] = os.pathsep.join(filter(None, (PLUGIN_DIR, env.get("PYTHONPATH"))))
    env["PYTEST_ADDOPTS"] = " ".join(filter(None, (f"-p {PLUGIN} --color=no", env.get("PYTEST_ADDOPTS"))))
    return env
