"""The places of one session: its run directory in the ledger, and the gate's own state for it.

Below the home of a repository:

    runs/<repo>-everyday-r<k>/   the ledger: a run directory a session (and work tree)
    sessions/<key>/              the gate's state of a session: git directory, copies of trees
    objects/<week>/              the contents that the git directories of a week share
    suites/                      what a suite said of a tree, so that a base need not be run again
"""

import fcntl
import hashlib
import json
import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import NamedTuple

from gatecore.hook.session.setup import Setup
from gatecore.ledger import writer
from gatecore.snapshot import Store

_HIDE_THEMSELVES = (
    b".pytest_cache/\n.mypy_cache/\n.ruff_cache/\n.venv/\nnode_modules/\n.claude/settings.local.json\n"
)
_IDLE_S = 3600.0


class Site(NamedTuple):
    """Where a session is and keeps its things; all paths are absolute."""

    home: str
    state: str
    run: str
    work: str

    @property
    def git(self) -> str:
        """The gate's own git directory of the session."""
        return os.path.join(self.state, "git")

    def store(self) -> Store | None:
        """The store; None before there is a base."""
        return Store(self.git) if os.path.exists(os.path.join(self.git, "gate", "base.json")) else None


def key_of(session: str, work: str) -> str:
    """The name of a session's state: a session that goes on in another work tree has another."""
    return hashlib.sha256(f"{session}\0{work}".encode("utf-8", "surrogatepass")).hexdigest()[:16]


def open_site(home: str, setup: Setup, session: str, work: str) -> Site:
    """The places of a session, made when it is new. Raises OSError."""
    key = key_of(session, work)
    sessions = os.path.join(home, "sessions")
    os.makedirs(sessions, exist_ok=True)
    state = os.path.join(sessions, key)
    with _locked(f"{state}.lock"):
        known = _known(state)
        if known:
            return Site(home, state, known, work)
        os.makedirs(state, exist_ok=True)
        run = _new_run(home, setup, work, session)
        for name in ("pycache", "home"):
            os.makedirs(os.path.join(home, name), exist_ok=True)
            with suppress(FileExistsError):
                os.symlink(os.path.join(home, name), os.path.join(state, name))
        _adopt_copies(sessions, state)
        writer.write_json(os.path.join(state, "session.json"), {"run": run, "session": session, "work": work})
    return Site(home, state, run, work)


def make_base(site: Site) -> Store:
    """Make the work tree as it stands the base from now on. Raises SnapshotError, OSError."""
    tracked = _tracked_though_ignored(site.work)
    store = site.store()
    if store is None:
        _prepare_git(site)
        return Store.create_from_work(site.git, site.work, tracked, _HIDE_THEMSELVES)
    store.rebase(site.work, tracked)
    return store


def base_of_head(site: Site) -> Store:
    """Make HEAD the base, for a session whose prompt was not seen. Raises SnapshotError, OSError."""
    _prepare_git(site)
    return Store.create(site.git, site.work, "HEAD", _HIDE_THEMSELVES)


def _known(state: str) -> str:
    """The run directory of a session that was seen before, "" when it is new."""
    with suppress(OSError, ValueError, KeyError, TypeError):
        with open(os.path.join(state, "session.json"), "rb") as file:
            run = json.load(file)["run"]
        if isinstance(run, str):
            os.makedirs(run, exist_ok=True)
            return run
    return ""


def _new_run(home: str, setup: Setup, work: str, session: str) -> str:
    runs = os.path.join(home, "runs")
    os.makedirs(runs, exist_ok=True)
    rep = max(1, len(os.listdir(runs)))
    while True:
        name = f"{setup.repo}-everyday-r{rep}"
        run = os.path.join(runs, name)
        try:
            os.mkdir(run)
            break
        except FileExistsError:
            rep += 1
    meta = {"task": setup.repo, "cfg": "everyday", "rep": rep, "work": work, "name": name}
    writer.write_json(
        os.path.join(run, "meta.json"), {**meta, "harness": "gatecore", "tag": None, "session_id": session}
    )
    writer.append_event(run, "run_started")
    writer.append_event(run, "worker_started")
    return run


def _prepare_git(site: Site) -> None:
    """Let the session's git directory share contents, and what is known of the files, with the week's others."""
    week = time.strftime("%G-W%V", time.gmtime())
    objects = os.path.join(site.home, "objects", week)
    os.makedirs(os.path.join(site.git, "gate"), exist_ok=True)
    os.makedirs(objects, exist_ok=True)
    with suppress(FileExistsError):
        os.symlink(objects, os.path.join(site.git, "objects"))
    for other in _by_use(os.path.dirname(site.state), newest_first=True):
        git = os.path.join(other, "git")
        known = os.path.join(git, "gate", "known.json")
        if other == site.state or os.path.realpath(os.path.join(git, "objects")) != os.path.realpath(objects):
            continue
        if _work_of(other) == site.work and os.path.exists(known):
            with suppress(OSError), open(known, "rb") as file:
                writer.write_file(os.path.join(site.git, "gate", "known.json"), file.read())
            return


def _adopt_copies(sessions: str, state: str) -> None:
    """Take over the copies of trees of a session that has been idle: they need only be brought up to date."""
    for other in _by_use(sessions):
        copies = os.path.join(other, "copies")
        if other == state or not os.path.isdir(copies) or time.time() - _used(other) < _IDLE_S:
            continue
        with suppress(OSError), _locked(os.path.join(other, "judging.lock"), wait=False):
            os.rename(copies, os.path.join(state, "copies"))
            return


def _by_use(sessions: str, *, newest_first: bool = False) -> list[str]:
    with os.scandir(sessions) as entries:
        found = [entry.path for entry in entries if entry.is_dir()]
    return sorted(found, key=_used, reverse=newest_first)


def _used(state: str) -> float:
    for name in ("state.json", "session.json"):
        with suppress(OSError):
            return os.stat(os.path.join(state, name)).st_mtime
    return 0.0


def _work_of(state: str) -> str:
    with (
        suppress(OSError, ValueError, KeyError, TypeError),
        open(os.path.join(state, "session.json")) as file,
    ):
        return str(json.load(file)["work"])
    return ""


def _tracked_though_ignored(work: str) -> list[str]:
    """Files that the repository holds although its rules ignore them; none when git will not say."""
    try:
        done = subprocess.run(
            [
                "git",
                "-c",
                "core.fsmonitor=false",
                "ls-files",
                "-z",
                "--cached",
                "--ignored",
                "--exclude-standard",
            ],
            cwd=work,
            env={**os.environ, "GIT_OPTIONAL_LOCKS": "0"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=30,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return []
    return [os.fsdecode(name) for name in done.stdout.split(b"\0") if name]


@contextmanager
def _locked(path: str, *, wait: bool = True) -> Iterator[None]:
    """Hold a lock file. Raises BlockingIOError when another has it and we do not `wait`."""
    fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(fd)
