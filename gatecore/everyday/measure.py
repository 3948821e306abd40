"""Run the suites once on the work tree as it is: how long they take, and whether they are green to begin with."""

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from gatecore.checks.outcome import CheckResult
from gatecore.checks.run import run_checks
from gatecore.gates.base import Stop
from gatecore.gates.feedback import read_output, tail
from gatecore.gates.tools import check
from gatecore.harness.errors import UsageError
from gatecore.hook.config import Suite
from gatecore.hook.session.request import Request, keep_verdict, shell
from gatecore.hook.session.setup import Setup, SuiteSetup
from gatecore.hook.session.site import Site, make_base
from gatecore.ledger.places import Repo
from gatecore.snapshot import Snapshot, SnapshotError

_SECONDS = 1800.0


@dataclass(frozen=True)
class Measured:
    """A suite, what came of it, and the end of what it printed."""

    suite: SuiteSetup
    result: CheckResult
    tail: str


def measure(
    home: Path, repo: Repo, setup: Setup, spoil: Callable[[Path], None] | None = None
) -> tuple[Measured, ...]:
    """Run each suite as a stop would, one after the other, and keep what it says of this tree.

    With `spoil`, which changes the copy first, nothing is kept. Raises UsageError.
    """
    folder = home / "measure"
    shutil.rmtree(folder, ignore_errors=True)
    site = Site(str(home), str(folder), str(folder / "run"), repo.top)
    (folder / "run").mkdir(parents=True)
    for name in ("pycache", "home"):
        (home / name).mkdir(exist_ok=True)
        (folder / name).symlink_to(home / name)
    try:
        store = make_base(site)
        config = Request(setup, site, store, "", "").config()
        tree = store.base_tree
        stop = Stop(config, 1, store, Snapshot(tree, b"", (), (), ()), 0.0, _unheard, {})
        found = []
        for suite in setup.suites:
            if not (Path(repo.top) / suite.folder).is_dir():
                raise UsageError(f"{suite.folder}: no such folder in {repo.top}")
            one = check(stop, "suite", "suite", shell(suite.command), (), _SECONDS, folder=suite.folder)
            if spoil:
                spoil(Path(one.tree))
            result = run_checks([one])[0]
            if not spoil:
                keep_verdict(str(home), tree, Suite(suite.folder, shell(suite.command)), result.verdict)
            found.append(
                Measured(suite, result, tail(read_output(str(folder / "run" / "suite-1.txt")), 1500))
            )
        return tuple(found)
    except (SnapshotError, OSError) as err:
        raise UsageError(f"{repo.top}: {err}") from None
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _unheard(kind: str, **fields: object) -> None:
    """Events of a stop that is none."""
