"""A pytest plugin that writes what was collected and how each test ended to a file, as it happens.

One file, standard library only, for Python 3.8 and pytest 7 upwards; loaded with ``-p gatecore_report`` into
the interpreter of the repo under test. It prints nothing. The report is a JSON array of strings per line:

    ["start", pid]                         as soon as the plugins are loaded, before any code of the tree is
    ["collected", id]                      after deselection
    ["deselected", id]
    ["module", id, "error" | "skipped", message]
    ["test", id, outcome, message]         after its teardown; the outcome is passed, failed, error, skipped,
                                           xfailed or xpassed
    ["rerun", id]                          an attempt that a plugin repeats
    ["shadowed", module, file]             a module that Python or pytest needs, loaded from the tree
    ["outside", module, file]              a module of the tree, loaded from elsewhere
    ["runner", module, file]               the same for a module that pytest needs and has loaded already
    ["finish", exit status]

The code under test shares this process. It can lie, but it shall not break the report by accident: whatever
is needed to write is taken hold of here, before any of it runs.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Iterator
from types import ModuleType
from typing import Any

import pytest

REPORT = "GATECORE_REPORT"
TREE_ROOT = "GATECORE_TREE_ROOT"
_XDIST_WORKER = "PYTEST_XDIST_WORKER"
_FOR_THE_RUNNER = (REPORT, TREE_ROOT, "PYTHONSAFEPATH", "PYTHONPATH", "PYTEST_ADDOPTS")
_RUNNER = ("pytest", "_pytest", "pluggy", "iniconfig", "packaging", "exceptiongroup", "tomli", "pygments")
_SEVERITY = ("passed", "xpassed", "xfailed", "skipped", "error", "failed")
_MESSAGE_CHARS = 1500
_MESSAGES = 1000

_open, _write, _fstat, _getpid = os.open, os.write, os.fstat, os.getpid
_quote = json.JSONEncoder().encode
_here = os.path.dirname(os.path.abspath(__file__))


class Report:
    """The file. Only the process that opened it writes, and never to another file under the same number."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._pid = _getpid()
        self._reopen()

    def write(self, *lines: list[str]) -> None:
        if _getpid() != self._pid:
            return
        text = "".join("[" + ",".join(map(_quote, line)) + "]\n" for line in lines)
        data = text.encode("ascii")
        if not self._holds():
            self._reopen()
        while data:
            data = data[_write(self._fd, data) :]

    def _reopen(self) -> None:
        self._fd = _open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NONBLOCK, 0o600)
        self._file = self._identity()

    def _holds(self) -> bool:
        try:
            return self._identity() == self._file
        except OSError:
            return False

    def _identity(self) -> tuple[int, int]:
        status = _fstat(self._fd)
        return status.st_dev, status.st_ino


class Tree:
    """The judged tree, and which of the loaded modules are its own."""

    def __init__(self, root: str) -> None:
        self.root = os.path.abspath(root)
        self._real = os.path.realpath(root)
        self._directories: dict[str, str] = {}
        # An environment inside the tree is not the tree's code.
        prefixes = {os.path.realpath(p) for p in (sys.prefix, sys.base_prefix, sys.exec_prefix)}
        self._environments = [prefix for prefix in prefixes if _under(prefix, self._real)]
        source = os.path.join(self.root, "src")
        plain_source = os.path.isdir(source) and not os.path.exists(os.path.join(source, "__init__.py"))
        self._roots = [self.root, source] if plain_source else [self.root]

    def put_on_path(self) -> None:
        """Put the tree where ``python -m pytest`` has the current directory, first but for what the repo's
        settings put before it, and its ``src`` next: ahead of an editable install of another tree."""
        wanted = [root for root in self._roots if root not in sys.path]
        place = sys.path.index(_here) if _here in sys.path else 0
        sys.path[place:place] = wanted

    def misplaced(self, rootdir: str) -> Iterator[list[str]]:
        """Lines for modules that were loaded from the wrong place, one per top-level name and kind.

        Files under `rootdir` are fine where that is a folder of tests away from the tree.
        """
        tests = os.path.realpath(rootdir)
        away = tests != self._real and not _under(self._real, tests)
        standard, own = _standard_modules(), self._top_level()
        seen = set()
        for name, module in list(sys.modules.items()):
            top, file = str(name).partition(".")[0], _file(module)
            if file is None or top in ("__main__", "conftest"):  # many files have these names
                continue
            real = self._resolve(file)
            kind = ""
            if _under(real, self._real) and not any(_under(real, env) for env in self._environments):
                kind = "shadowed" if top in standard or top in _RUNNER else ""
            elif (
                top in own and top not in standard and self._has(name) and not (away and _under(real, tests))
            ):
                kind = "runner" if top in _RUNNER else "outside"
            if kind and (kind, top) not in seen:
                seen.add((kind, top))
                yield [kind, top, os.path.relpath(real, self._real) if kind == "shadowed" else file]

    def _top_level(self) -> set[str]:
        return {entry.partition(".")[0] for root in self._roots for entry in os.listdir(root)}

    def _has(self, name: str) -> bool:
        """Whether the tree has a source file for just this module."""
        paths = [os.path.join(root, *name.split(".")) for root in self._roots]
        return any(os.path.isfile(p + ".py") or os.path.isfile(os.path.join(p, "__init__.py")) for p in paths)

    def _resolve(self, file: str) -> str:
        directory, base = os.path.split(file)
        if directory not in self._directories:
            self._directories[directory] = os.path.realpath(directory)
        return os.path.join(self._directories[directory], base)


class Controller:
    """Writes the report; with xdist, in the process that runs no tests itself."""

    def __init__(self, report: Report, tree: Tree | None, environment: dict[str, str]) -> None:
        self._report = report
        self._tree = tree
        self._environment = environment
        self._running: dict[str, tuple[str, str]] = {}  # id -> outcome so far, message
        self._seen: set[tuple[str, ...]] = set()  # what xdist's workers reported
        self._messages = 0

    def pytest_deselected(self, items: Iterable[pytest.Item]) -> None:
        self._report.write(*(["deselected", item.nodeid] for item in items))

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self._report.write(*(["collected", item.nodeid] for item in session.items))

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if not report.passed:
            kind = "skipped" if report.skipped else "error"
            self._report.write(["module", report.nodeid, kind, self._message(report)])

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        test, kind = report.nodeid, _outcome(report)
        if kind not in _SEVERITY:
            self._running.pop(test, None)
            self._report.write(["rerun", test])
            return
        worst, message = self._running.get(test, ("passed", ""))
        if _SEVERITY.index(kind) > _SEVERITY.index(worst):
            worst, message = kind, self._message(report)
        self._running[test] = (worst, message)
        # A plugin whose test process died reports once, for no phase.
        if report.when not in ("setup", "call"):
            del self._running[test]
            self._report.write(["test", test, worst, message])

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        if self._tree:
            self._report.write(*self._tree.misplaced(str(session.config.rootpath)))
        self._report.write(["finish", str(int(exitstatus))])

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_setupnodes(self) -> None:
        os.environ.update(self._environment)  # the workers are runners too

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: Iterable[str]) -> None:
        self._once(["collected", test] for test in ids)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        self._once(getattr(node, "workeroutput", {}).get(__name__, ()))

    def _once(self, lines: Iterable[list[str]]) -> None:
        new = [line for line in lines if tuple(line) not in self._seen]
        self._seen.update(map(tuple, new))
        self._report.write(*new)

    def _message(self, report: Any) -> str:
        """Where it went wrong, and the exception's lines (an assertion's explanation among them)."""
        self._messages += 1
        if self._messages > _MESSAGES:
            return ""
        crash = getattr(report.longrepr, "reprcrash", None)
        if crash is None:
            return str(report.longrepr or "")[:_MESSAGE_CHARS]
        return f"{os.path.basename(crash.path)}:{crash.lineno}: {crash.message}"[:_MESSAGE_CHARS]


class Worker:
    """In a worker of xdist: tells the controller what only the worker sees."""

    def __init__(self, tree: Tree | None) -> None:
        self._tree = tree
        self._lines: list[list[str]] = []

    def pytest_deselected(self, items: Iterable[pytest.Item]) -> None:
        self._lines += (["deselected", item.nodeid] for item in items)

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if self._tree:
            self._lines += self._tree.misplaced(str(session.config.rootpath))
        session.config.workeroutput[__name__] = self._lines  # type: ignore[attr-defined]


def _outcome(report: pytest.TestReport) -> str:
    if report.outcome == "failed":
        return "error" if report.when in ("setup", "teardown") else "failed"
    if hasattr(report, "wasxfail"):
        return "xpassed" if report.outcome == "passed" else "xfailed"
    return report.outcome


def _file(module: object) -> str | None:
    if not issubclass(type(module), ModuleType):
        return None
    file = object.__getattribute__(module, "__dict__").get("__file__")  # runs no code of a lazy module
    return file if isinstance(file, str) and os.path.isabs(file) else None


def _under(path: str, directory: str) -> bool:
    return path.startswith(directory.rstrip(os.sep) + os.sep)


def _standard_modules() -> frozenset[str]:
    names = getattr(sys, "stdlib_module_names", None)
    if names is None:  # before Python 3.10
        listed = {entry.partition(".")[0] for entry in os.listdir(os.path.dirname(os.__file__))}
        names = (listed | set(sys.builtin_module_names)) - {"test", "site-packages", "__pycache__", "LICENSE"}
    return frozenset(names)


def _take(environ: Any) -> dict[str, str]:
    """Take what is meant for the runner alone out of the environment of the tests and their processes."""
    taken = {name: environ.pop(name) for name in _FOR_THE_RUNNER if name in environ}
    others = [entry for entry in taken.get("PYTHONPATH", "").split(os.pathsep) if entry not in ("", _here)]
    if others:
        environ["PYTHONPATH"] = os.pathsep.join(others)
    return taken


_environment = _take(os.environ) if REPORT in os.environ else {}
_tree = Tree(_environment[TREE_ROOT]) if TREE_ROOT in _environment else None
_report = Report(_environment[REPORT]) if REPORT in _environment and _XDIST_WORKER not in os.environ else None


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests() -> None:  # all plugins are there, and none of the tree's code yet
    if _report:
        _report.write(["start", str(_getpid())])
    if _tree:
        _tree.put_on_path()


def pytest_configure(config: pytest.Config) -> None:
    if _report:
        config.pluginmanager.register(Controller(_report, _tree, _environment))
    elif hasattr(config, "workerinput"):
        config.pluginmanager.register(Worker(_tree))
