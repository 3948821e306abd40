"""Run checks side by side and judge each by the report that the pytest plugin wrote."""

import os
import shlex
import stat
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from queue import SimpleQueue
from typing import NamedTuple

from gatecore.checks.env import JUNIT, MARK, REPORT, TREE_ROOT
from gatecore.checks.outcome import MAX_REPORT_BYTES, CheckResult, outcome, unjudged
from gatecore.checks.process import kill_all, run_process
from gatecore.checks.scratch import scratch
from gatecore.snapshot.folders import remove

_JOIN_S = 2.0


class Check(NamedTuple):
    """One command that ends up running pytest, or writing JUnit XML to `$GATECORE_JUNIT`, on a copy of the tree."""

    name: str
    """"suite", "acceptance", "oracle"."""
    argv: tuple[str, ...]
    tree: str
    """Absolute path of the judged copy; the command's working directory."""
    env: dict[str, str]
    """From `check_env`."""
    seconds: float
    """Deadline; when none are left, the check is not run."""
    output: str
    """File for stdout and stderr together, capped."""
    report: str
    """Absolute path of the file that the plugin writes; outside the tree, one per check."""
    base_modules: tuple[str, ...]
    """Names of the base tree's directories and modules, `x` or `x.py`: what has one of them hides nothing new."""
    folder: str = ""
    """Where in the tree the command runs, and where its modules begin; "" is the root."""


def run_checks(
    checks: Sequence[Check], ended: Callable[[CheckResult], None] = lambda _: None
) -> list[CheckResult]:
    """Run all checks at once and return their results in the order given.

    `ended` hears of each result as it comes, in the caller's thread. Whatever way this is left, by an
    exception of a signal handler too, no process of the checks goes on.
    """
    done: SimpleQueue[tuple[int, CheckResult | Exception]] = SimpleQueue()
    results: dict[int, CheckResult] = {}

    def work(place: int, check: Check, own: str) -> None:
        try:
            done.put((place, _run(check, own)))
        except Exception as error:
            done.put((place, error))

    with scratch(checks[0].env[MARK] if checks else "") as folder:
        threads: list[threading.Thread] = []
        try:
            for place, check in enumerate(checks):
                own = os.path.join(folder, str(place))
                thread = threading.Thread(target=work, args=(place, check, own), daemon=True)
                thread.start()
                threads.append(thread)
            for _ in checks:
                place, result = done.get()
                if isinstance(result, Exception):
                    raise result
                results[place] = result
                ended(result)
        except BaseException:
            kill_all()
            for thread in threads:
                thread.join(_JOIN_S)
            raise
    return [results[place] for place in range(len(checks))]


def _run(check: Check, folder: str) -> CheckResult:
    if check.seconds <= 0:
        return unjudged(check.name, "no time was left for it")
    os.mkdir(folder)
    tree = os.path.join(check.tree, check.folder) if check.folder else check.tree
    os.makedirs(check.env["HOME"], exist_ok=True)
    _forget_bytecode(check.env.get("PYTHONPYCACHEPREFIX", ""), check.tree)
    with suppress(FileNotFoundError):
        os.unlink(check.report)
    # A pytest cache of its own instead of none: without the cache plugin a repo's `--ff` is a usage error,
    # and with a cache that is kept `--lf` would run less than the suite.
    cache = shlex.quote("cache_dir=" + os.path.join(folder, "pytest-cache"))
    env = {
        **check.env,
        "TMPDIR": folder,
        "PYTEST_ADDOPTS": f"{check.env['PYTEST_ADDOPTS']} -o {cache}",
        REPORT: check.report,
        TREE_ROOT: tree,
        JUNIT: os.path.join(folder, "junit.xml"),
    }
    try:
        ended = run_process(check.argv, cwd=tree, env=env, seconds=check.seconds, output=check.output)
    except (OSError, ValueError) as error:
        return unjudged(check.name, f"the command could not be run: {error}")
    report = _read(check.report)
    writes_junit = any(JUNIT in part for part in check.argv)
    if writes_junit and not report:
        report = _translated(env[JUNIT], check.output)
    return outcome(
        check.name,
        ended,
        report,
        limit=check.seconds,
        base_modules=check.base_modules,
        writes_junit=writes_junit,
    )


def _translated(junit: str, output: str) -> bytes:
    """JUnit XML as a report; what failed is added to the output, where such a runner may have said nothing."""
    from gatecore.checks.junit import read_junit

    found = read_junit(_read(junit))
    if found.failures:
        with open(output, "ab") as file:
            file.write(found.failures.encode("utf-8", "replace"))
    return found.report


def _forget_bytecode(prefix: str, tree: str) -> None:
    """Drop cached bytecode of the tree's own files.

    It is held valid by time in whole seconds and size: two states of a tree within a second may share both.
    """
    if os.path.isdir(prefix):
        for path in {os.path.abspath(tree), os.path.realpath(tree)}:
            with suppress(OSError):
                remove(prefix + path)


def _read(path: str) -> bytes:
    """The report, or nothing when there is no plain file; a FIFO in its place cannot hold us."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return b""
    with open(fd, "rb") as file:
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            return b""
        return file.read(MAX_REPORT_BYTES + 1)
