"""Acceptance tests for one request of a session, written while the agent works or when a person asks for them."""

import json
import os
import shutil
import time
from pathlib import Path
from typing import Any

from gatecore import writer
from gatecore.checks.outcome import CheckResult
from gatecore.checks.run import run_checks
from gatecore.gates.base import Stop
from gatecore.gates.tools import check
from gatecore.hook import state
from gatecore.hook.config import Config, Tests
from gatecore.hook.session.request import Request, request_folder, request_text, tests_command
from gatecore.hook.session.setup import Setup, load
from gatecore.hook.session.site import Site
from gatecore.ledger.writer import append_event
from gatecore.snapshot import Snapshot, Store

_PATIENCE_S = 900.0
_SECONDS = 600.0
_TURNS = 12
_ATTEMPTS = 2


class WriterError(Exception):
    """No tests can be written; the message says why."""


def write_tests(home: str, state_dir: str, request: str) -> dict[str, Any]:
    """Write them, try them on the base, and return what stands in `testwriter.json`.

    From the next stop on they judge, when they may. Raises WriterError, OSError, SnapshotError.
    """
    setup, site = load(home), _site(home, state_dir)
    text = request_text(site, request)
    if not text.strip():
        raise WriterError("the text of the request was not seen: the hook has to be there when it is sent")
    if not setup.python:
        raise WriterError("tests are written for pytest only, and the suite's command starts no Python")
    begun = time.monotonic()
    folder = Path(request_folder(site, request))
    store = site.store()
    if store is None:
        raise WriterError("the request has no base yet")
    tree, drafts = folder / "base", folder / "drafts"
    with state.judging(site.state, time.monotonic() + _PATIENCE_S):
        base = store.base_tree
        store.checkout(base, str(tree))
    append_event(site.run, "writer_started")
    shutil.rmtree(drafts, ignore_errors=True)
    attempts = writer.write_tests(_assignment(setup, text, tree, drafts, folder))
    record = _tried(setup, site, store, base, attempts, drafts, begun)
    if record["ok"]:
        shutil.rmtree(folder / "gate_tests", ignore_errors=True)
        drafts.rename(folder / "gate_tests")
        record["file"] = str(writer.test_file(folder / "gate_tests", "request"))
    append_event(site.run, "writer_ended", ok=record["ok"], seconds=record["wall_s"])
    append_event(site.run, "worker_started")
    writer.save(Path(site.run), {**record, "cost_usd": _sum(site, record["cost_usd"]), "request": request})
    return record


def _site(home: str, state_dir: str) -> Site:
    with open(os.path.join(state_dir, "session.json"), "rb") as file:
        known = json.load(file)
    return Site(home, state_dir, known["run"], known["work"])


def _assignment(setup: Setup, text: str, tree: Path, folder: Path, scratch: Path) -> writer.Assignment:
    template = Path(__file__).parents[2] / "prompts" / "writer.md"
    return writer.Assignment(
        task="request",
        request=text,
        template=template.read_text(encoding="utf-8"),
        command=setup.client,
        env={},
        model=setup.writer_model,
        turns=_TURNS,
        seconds=_SECONDS,
        attempts=_ATTEMPTS,
        tree=tree,
        folder=folder,
        scratch=scratch,
    )


def _tried(
    setup: Setup,
    site: Site,
    store: Store,
    base: str,
    attempts: list[writer.Attempt],
    folder: Path,
    begun: float,
) -> dict[str, Any]:
    """Run the file, where there is one, on the base, and say what came of it."""
    file = writer.test_file(folder, "request")
    if not file.is_file():
        return writer.record("request", attempts, None, None, begun)
    config = Request(setup, site, store, "", "").config()
    on_base = _on(config, store, base, Tests(str(file), tests_command(setup.python, str(file))), site)
    return writer.record("request", attempts, file, on_base, begun)


def _on(config: Config, store: Store, tree: str, tests: Tests, site: Site) -> CheckResult:
    stop = Stop(config, 0, store, Snapshot(tree, b"", (), (), ()), 0.0, _unheard, {})
    with state.judging(site.state, time.monotonic() + _PATIENCE_S):
        one = check(stop, "drafts", "drafts", tests.command, (), config.limits.acceptance_s, tree=tree)
    return run_checks([one])[0]


def _sum(site: Site, cost: float | None) -> float | None:
    """What the writer has cost in the session so far; unknown when a part of it is."""
    try:
        before = json.loads((Path(site.run) / "testwriter.json").read_bytes())["cost_usd"]
    except FileNotFoundError:
        before = 0.0
    except (OSError, ValueError, KeyError, TypeError):
        before = None
    return None if cost is None or before is None else round(before + cost, 6)


def _unheard(kind: str, **fields: object) -> None:
    """Events of a stop that is none."""
