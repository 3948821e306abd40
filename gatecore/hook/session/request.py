"""A request of a session: what it started from, which of its stops are judged, and by what.

The session's state (`gatecore.hook.state`) remembers under ``"session"``:

    request   id of the request that is under way
    open      whether the work on it has not been let go yet; the next prompt goes on from its base then
    passed    what was last judged and passed
"""

import hashlib
import json
import os
from contextlib import suppress
from typing import Any

from gatecore.hook import config as hook
from gatecore.hook.session.setup import FILE, Setup
from gatecore.hook.session.site import Site
from gatecore.ledger import writer
from gatecore.ledger.writer import now
from gatecore.snapshot import Snapshot, Store

BYPASS = "bypass.json"
_NOTHING = "nothing was changed since the request"
_AS_PASSED = "the tree is as it was when it was last judged, and passed"
_LET_GO = ("allow", "give_up", "skipped")


def session_memory(memory: dict[str, Any]) -> dict[str, Any]:
    """What the session remembers, as a part of the state."""
    found = memory.setdefault("session", {})
    return found if isinstance(found, dict) else {}


def request_folder(site: Site, request: str) -> str:
    """Where what belongs to one request lies, in the session's state."""
    return os.path.join(
        site.state, "requests", hashlib.sha256(request.encode("utf-8", "replace")).hexdigest()[:16]
    )


def acceptance_file(site: Site, request: str) -> str:
    """Where the acceptance tests of a request are, once they were written."""
    return os.path.join(request_folder(site, request), "gate_tests", "test_request.py")


def request_text(site: Site, request: str) -> str:
    """What the user asked for; "" when that was not seen."""
    with suppress(OSError), open(os.path.join(request_folder(site, request), "request.md"), "rb") as file:
        return file.read().decode("utf-8", "replace")
    return ""


def keep_request(site: Site, request: str, prompt: str) -> None:
    """Keep what the user asked for: with the request, and in the run directory for whoever reads the ledger."""
    folder = request_folder(site, request)
    os.makedirs(folder, exist_ok=True)
    writer.write_file(os.path.join(folder, "request.md"), prompt)
    writer.write_file(os.path.join(site.run, "task.md"), prompt)


class Request:
    """The request that a stop belongs to, for `run_stop`."""

    def __init__(self, setup: Setup, site: Site, store: Store, request: str, sha256: str) -> None:
        self._setup = setup
        self._site = site
        self._store = store
        self._request = request
        self._sha256 = sha256
        folders = {"", *(suite.folder for suite in setup.suites)}
        self._names = tuple(sorted(set().union(*map(store.base_names, folders))))
        self._key = ""
        self._suites: tuple[hook.Suite, ...] = ()

    def config(self) -> hook.Config:
        """What a stop is judged by, before its snapshot tells which suites and gates it concerns."""
        setup, site, store = self._setup, self._site, self._store
        acceptance = acceptance_file(site, self._request)
        return hook.Config(
            run=site.run,
            state=site.state,
            work=site.work,
            request=request_text(site, self._request),
            gates={"gate1": hook.GateSettings(setup.mode, paths=setup.paths)},
            suite=(),
            acceptance=hook.Tests(acceptance, tests_command(setup.python, acceptance))
            if os.path.isfile(acceptance) and setup.python
            else None,
            oracle=None,
            base=hook.Base(store.base_tree, store.base_tree, "", "", self._names),
            limits=hook.Limits(
                budget_s=setup.hook_s - min(30.0, setup.hook_s * 0.1),
                suite_s=setup.suite_s,
                acceptance_s=setup.suite_s,
                give_up=setup.give_up,
            ),
            client=None,
            prompts={},
            env=setup.env,
            pass_env=setup.pass_env,
            on_error=setup.on_error if setup.mode == "block" else "allow",
            guarded=self._guarded(),
            hidden_paths=(site.home,),
            link=setup.link,
            inplace=setup.inplace,
        )

    def plan(self, snapshot: Snapshot, memory: dict[str, Any]) -> hook.Config | str:
        """Choose the suites by what was changed; or say why the stop is not judged."""
        config = self.config()
        self._key = _key(snapshot.tree, config)
        if config.acceptance is None and snapshot.tree == self._store.base_tree:
            return _NOTHING
        if session_memory(memory).get("passed") == self._key:
            return _AS_PASSED
        if why := take_bypass(self._site):
            return why
        self._suites = self._chosen(snapshot.changed)
        gate = config.gates["gate1"]
        if config.acceptance:  # they judge whatever was changed, and also that nothing was
            gate = gate._replace(paths=None)
            self._suites = self._suites or tuple(map(self._suite, self._setup.suites))
        elif not self._suites:
            gate = gate._replace(paths=())
        return config._replace(suites=self._suites, gates={"gate1": gate})

    def settle(self, record: dict[str, Any], memory: dict[str, Any]) -> None:
        """Remember what passed, what each suite said of the tree, and whether the work was let go."""
        session = session_memory(memory)
        if record["decision"] in _LET_GO:
            session["open"] = False
        gate = record.get("gate1", {})
        if gate.get("pass") is True:
            session["passed"] = self._key
        for suite in self._suites:
            name = next((n for n in record.get("checks", {}) if _is_of(n, suite, len(self._suites))), None)
            if name and not self._setup.inplace:
                keep_verdict(self._site.home, record["tree"], suite, record["checks"][name]["verdict"])

    def _chosen(self, changed: tuple[str, ...]) -> tuple[hook.Suite, ...]:
        """Of the suites, those that judge a changed file: each file is its nearest suite's."""
        by_folder = {suite.folder: suite for suite in self._setup.suites}
        folders = sorted(by_folder, key=len, reverse=True)
        wanted = {next((f for f in folders if not f or path.startswith(f"{f}/")), None) for path in changed}
        return tuple(self._suite(suite) for suite in self._setup.suites if suite.folder in wanted)

    def _suite(self, setup: Any) -> hook.Suite:
        suite = hook.Suite(setup.folder, shell(setup.command))
        base = known_verdict(self._site.home, self._store.base_tree, suite)
        if not base and self._setup.inplace:
            base = "pass"  # there is no copy of the base to ask
        return suite._replace(base=base)

    def _guarded(self) -> dict[str, str]:
        """The installed files as they were at installation, and the settings as they were last set."""
        home = self._site.home
        guarded: dict[str, str] = {os.path.join(home, FILE): self._sha256}
        with suppress(OSError, ValueError), open(os.path.join(home, "guarded.json"), "rb") as file:
            found = json.load(file)
            if isinstance(found, dict):
                guarded |= {os.path.join(home, str(path)): str(sha256) for path, sha256 in found.items()}
        return guarded


def shell(command: str) -> tuple[str, ...]:
    """How a command line that a person wrote is run."""
    return ("/bin/sh", "-c", command)


def take_bypass(site: Site) -> str:
    """Use up a bypass, if a person gave one for the work tree; why the stop is let go then."""
    path = os.path.join(site.home, BYPASS)
    try:
        with open(path, "rb") as file:
            given = json.load(file)
        if given["work"] != site.work:
            return ""
        os.unlink(path)
        return f"bypass by {given['by']} at {given['ts']}: {given['reason']}"
    except (OSError, ValueError, KeyError, TypeError):
        return ""


def give_bypass(home: str, work: str, by: str, reason: str) -> None:
    """Let the next stop in `work` that would be judged go unjudged. Raises OSError."""
    writer.write_json(os.path.join(home, BYPASS), {"work": work, "by": by, "reason": reason, "ts": now()})


def known_verdict(home: str, tree: str, suite: hook.Suite) -> str:
    """What the suite is known to say of a tree, "" when nothing is."""
    with (
        suppress(OSError),
        open(_verdict_file(home, tree, suite), encoding="ascii", errors="replace") as file,
    ):
        verdict = file.read(20).strip()
        return verdict if verdict in ("pass", "fail") else ""
    return ""


def keep_verdict(home: str, tree: str, suite: hook.Suite, verdict: str) -> None:
    """Keep what the suite said of a tree, where it judged."""
    if verdict in ("pass", "fail"):
        os.makedirs(os.path.join(home, "suites"), exist_ok=True)
        writer.write_file(_verdict_file(home, tree, suite), f"{verdict}\n")


def _verdict_file(home: str, tree: str, suite: hook.Suite) -> str:
    asked = "\0".join((tree, suite.folder, *suite.command))
    return os.path.join(home, "suites", hashlib.sha256(asked.encode("utf-8", "replace")).hexdigest()[:24])


def _is_of(check: str, suite: hook.Suite, count: int) -> bool:
    """Whether a check, by its name, is the one of the suite; see `gatecore.gates.behaviour`."""
    return check == ("suite" if count == 1 else f"suite-{suite.folder.replace('/', '.')}".rstrip("-"))


def _key(tree: str, config: hook.Config) -> str:
    tests = ""
    if config.acceptance:
        with suppress(OSError), open(config.acceptance.file, "rb") as file:
            tests = hashlib.sha256(file.read()).hexdigest()
    return f"{tree} {tests}".rstrip()


def tests_command(python: str, file: str) -> tuple[str, ...]:
    """The command that runs acceptance tests in the tree that is the working directory."""
    folder = os.path.dirname(file)
    return (
        *(python, "-m", "pytest", "-q", "--tb=short", "-c", os.path.join(folder, "pytest.ini")),
        *("--rootdir", folder, "--confcutdir", folder, file),
    )
