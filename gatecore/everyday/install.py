"""Put the gate on a repository, and take it out again."""

import json
import os
import shlex
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass, fields
from getpass import getuser
from pathlib import Path
from typing import Any

from gatecore.everyday import edits
from gatecore.everyday.measure import Measured, measure
from gatecore.everyday.package import WRAPPER, copy_hook, pinned_python, write_setup
from gatecore.harness.errors import UsageError
from gatecore.hook.session.setup import Setup, SetupError, SuiteSetup, load
from gatecore.ledger.places import Repo, find_repo
from gatecore.ledger.writer import append, now

RECORD = "installed.json"
LOG = "log.jsonl"
_PROMPT_S = 60
_SETTLED = ("suites", "mode", "link", "inplace", "paths", "pass_env", "on_error", "writer")


@dataclass(frozen=True)
class Choices:
    """What a person chose; None where nothing was said: then what was settled before, or the default, holds."""

    suites: tuple[SuiteSetup, ...] | None = None
    mode: str | None = None
    user: bool = False
    link: tuple[str, ...] | None = None
    inplace: bool | None = None
    paths: tuple[str, ...] | None = None
    pass_env: tuple[str, ...] | None = None
    on_error: str | None = None
    writer: bool | None = None
    python: str | None = None


@dataclass(frozen=True)
class Installed:
    """What `install` did."""

    home: Path
    setup: Setup
    settings: Path
    measured: tuple[Measured, ...]


def here() -> Repo:
    """The repository around the current directory. Raises UsageError."""
    repo = find_repo(os.getcwd())  # noqa: PTH109 (a text is wanted)
    if repo is None:
        raise UsageError("no git repository here: the gate is installed in the repository that it judges")
    return repo


def installed(repo: Repo) -> tuple[Path, Setup]:
    """Home and settings of an installed gate. Raises UsageError."""
    home = Path(repo.home)
    try:
        return home, load(str(home))
    except FileNotFoundError:
        raise UsageError(f"{repo.top}: no gate is installed; `gatecore install` does") from None
    except (OSError, SetupError) as err:
        raise UsageError(str(err)) from None


def records(home: Path) -> list[dict[str, Any]]:
    """What was put where: one record for each work tree (or the user) that has the hook in its settings."""
    try:
        found = json.loads((home / RECORD).read_bytes())
    except FileNotFoundError:
        return []
    except ValueError as err:
        raise UsageError(f"{home / RECORD}: {err}") from None
    return found if isinstance(found, list) else []


def install(repo: Repo, choices: Choices) -> Installed:
    """Settle the gate's settings, copy the hook, and put it into the client's settings. Raises UsageError.

    What was installed before is replaced; the ledger stays.
    """
    home = Path(repo.home)
    settings = _settings_file(repo, user=choices.user)
    _refuse_tracked(repo, settings)
    setup = _settle(repo, home, choices)
    if not setup.suites:
        raise UsageError("no suite: it is what the gate runs")
    if choices.python and not os.access(choices.python, os.X_OK):
        raise UsageError(f"{choices.python}: is no program that can be run")
    python = choices.python or pinned_python(home)
    if not python or not os.access(python, os.X_OK):
        python = _own_python()
    home.mkdir(parents=True, exist_ok=True)
    home.chmod(0o700)
    measured = measure(home, repo, setup)
    longest = max(one.result.seconds for one in measured)
    suite_s = float(max(60, round(4 * longest)))
    setup = setup._replace(suite_s=suite_s, hook_s=2 * suite_s + 60)
    copy_hook(home)
    write_setup(home, setup, os.path.abspath(python))  # noqa: PTH100 (links are kept)
    _put(repo, home, setup, settings)
    log(home, "installed", mode=setup.mode, settings=str(settings))
    return Installed(home, setup, settings, measured)


def set_mode(repo: Repo, mode: str) -> Setup:
    """Switch the mode of the gate. Raises UsageError."""
    home, setup = installed(repo)
    setup = setup._replace(mode=mode)
    write_setup(home, setup, pinned_python(home) or _own_python())
    log(home, "mode", mode=mode)
    return setup


def uninstall(repo: Repo) -> list[Path]:
    """Take out of settings and git's excludes what was put in, and the hook itself; the ledger stays.

    Returns the settings files. Raises UsageError.
    """
    home = Path(repo.home)
    found = records(home)
    if not found and not (home / WRAPPER).exists():
        raise UsageError(f"{repo.top}: no gate is installed")
    for record in reversed(found):
        _take_out(record)
    for name in (RECORD, WRAPPER, "config.json", "guarded.json", "bypass.json"):
        (home / name).unlink(missing_ok=True)
    for name in ("app", "sessions", "objects", "suites", "measure", "home", "pycache", "unrecorded"):
        shutil.rmtree(home / name, ignore_errors=True)
    log(home, "uninstalled")
    return [Path(record["settings"]["file"]) for record in found]


def log(home: Path, event: str, **said: Any) -> None:
    """Put on record what a person did with the gate."""
    append(str(home / LOG), {"ts": now(), "event": event, "by": getuser(), **said})


def _settle(repo: Repo, home: Path, choices: Choices) -> Setup:
    """What was chosen; where nothing was said, what was settled before."""
    try:
        before = load(str(home))
    except (FileNotFoundError, SetupError):
        before = Setup(repo.name, repo.common, {})
    said = {field.name: getattr(choices, field.name) for field in fields(choices)}
    chosen = {key: value for key, value in said.items() if value is not None and key in _SETTLED}
    if choices.suites:
        chosen["python"] = _tests_python(repo, choices.suites)
    return before._replace(**chosen)


def _tests_python(repo: Repo, suites: tuple[SuiteSetup, ...]) -> str:
    """The interpreter for acceptance tests, as an absolute path where it lies in the repo."""
    from gatecore.everyday.detect import python_of

    for suite in suites:
        if python := python_of(suite.command):
            inside = Path(repo.top) / suite.folder / python
            return os.path.abspath(inside) if "/" in python and inside.exists() else python  # noqa: PTH100
    return ""


def _own_python() -> str:
    """An interpreter that outlives the environment which this command runs in."""
    base = getattr(sys, "_base_executable", "") or sys.executable
    return base if os.access(base, os.X_OK) else sys.executable


def _settings_file(repo: Repo, *, user: bool) -> Path:
    if user:
        own = os.environ.get("CLAUDE_CONFIG_DIR")
        return (Path(own) if own else Path.home() / ".claude") / "settings.json"
    return Path(repo.top) / ".claude" / "settings.local.json"


def _refuse_tracked(repo: Repo, settings: Path) -> None:
    if settings.is_relative_to(repo.top) and _git(repo, "ls-files", "--", str(settings)):
        raise UsageError(f"{settings}: is tracked by git and would show as changed; use --user")


def _put(repo: Repo, home: Path, setup: Setup, settings: Path) -> None:
    """Put hook and deny rules into the settings, once; what an earlier installation put there goes first."""
    found = records(home)
    for record in found:
        if Path(record["settings"]["file"]) == settings:
            _take_out(record)
    found = [record for record in found if Path(record["settings"]["file"]) != settings]
    wrapper = shlex.quote(str(home / WRAPPER))
    hooks = {
        "Stop": _entry(f"exec {wrapper} stop", int(setup.hook_s)),
        "UserPromptSubmit": _entry(f"exec {wrapper} prompt", _PROMPT_S),
    }
    edit = edits.put_settings(settings, hooks, _denied(home, settings))
    exclude = None
    if settings.is_relative_to(repo.top) and not _ignored(repo, settings):
        exclude = edits.put_line(
            Path(repo.common) / "info" / "exclude", f"/{settings.relative_to(repo.top).as_posix()}"
        )
    record = {"work": repo.top, "ts": now(), "at": time.time(), "settings": edit, "exclude": exclude}
    (home / RECORD).write_text(json.dumps([*found, record], indent=1) + "\n")


def _entry(command: str, timeout: int) -> dict[str, Any]:
    return {"hooks": [{"type": "command", "command": command, "timeout": timeout}]}


def _denied(home: Path, settings: Path) -> list[str]:
    """Rules that keep an honest agent away from the gate; text matching, so advice and no wall."""
    commands = [f"Bash(*gatecore {name}*)" for name in ("bypass", "mode", "uninstall", "prune")]
    return [f"Read(/{home}/**)", f"Edit(/{home}/**)", f"Bash(*{home}*)", f"Edit(/{settings})", *commands]


def _take_out(record: dict[str, Any]) -> None:
    edits.undo_settings(record["settings"])
    if record["exclude"]:
        edits.undo_line(record["exclude"])


def _ignored(repo: Repo, path: Path) -> bool:
    return _git(repo, "check-ignore", "--", str(path)) != ""


def _git(repo: Repo, *args: str) -> str:
    """What git says by the user's own configuration, which decides what `git status` shows."""
    done = subprocess.run(
        ["git", *args],
        cwd=repo.top,
        env={k: v for k, v in os.environ.items() if not k.startswith("GIT_") or k.startswith("GIT_CONFIG")},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    return os.fsdecode(done.stdout).strip()
