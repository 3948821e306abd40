"""What the client is answered at a prompt and at a stop of everyday use."""

import json
import os
import time
from typing import NamedTuple

from gatecore.hook import state
from gatecore.hook.judge import Decision, skipped
from gatecore.hook.protocol import Payload, block, parse
from gatecore.hook.session.request import Request, keep_request, request_text, session_memory
from gatecore.hook.session.setup import Setup, load
from gatecore.hook.session.site import Site, base_of_head, make_base, open_site
from gatecore.hook.stop import begin, finish, run_stop
from gatecore.ledger import writer
from gatecore.ledger.places import find_repo
from gatecore.snapshot import SnapshotError, Store
from gatecore.text import line

_PATIENCE_S = 20.0


class Answer(NamedTuple):
    """What goes to stdout, one JSON object or nothing; and why there is no record, "" when there is one."""

    text: str
    unrecorded: str = ""


_NOTHING = Answer("")


def at_prompt(home: str, raw: bytes) -> Answer:
    """A prompt of the user begins a request: keep what the work tree is now, as its base.

    Work that was not let go yet (the user cut in, or a block stands) is still to be judged: then the base of
    the request before is that of the new one.
    """
    payload = parse(raw)
    if payload.text("hook_event_name") != "UserPromptSubmit":
        return _NOTHING
    setup, site = _find(home, payload)
    if site is None:
        return _NOTHING
    request = payload.text("prompt_id") or str(time.time_ns())
    with state.judging(site.state, time.monotonic() + _PATIENCE_S):
        with state.locked(site.state, site.run) as memory:
            goes_on = bool(session_memory(memory).get("open"))
        store = site.store()
        if store is None or not goes_on:
            store = make_base(site)
        keep_request(site, request, payload.text("prompt") or "")
        with state.locked(site.state, site.run) as memory:
            session_memory(memory).update(request=request, open=True)
    writer.append_event(site.run, "request_begun", prompt_id=request, base=store.base_tree)
    if setup.writer:
        _write_tests(home, site, request)
    return _NOTHING


def at_stop(home: str, sha256: str, raw: bytes, begun: float) -> Answer:
    """Judge a stop, by the request that it belongs to."""
    payload = parse(raw)
    if payload.data.get("hook_event_name", "Stop") != "Stop":
        return _NOTHING
    setup, site = _find(home, payload)
    if site is None:
        return _NOTHING
    with state.locked(site.state, site.run) as memory:
        known = session_memory(memory).get("request")
    if known and payload.text("prompt_id") is None and not payload.problem:
        payload = payload._replace(data={**payload.data, "prompt_id": str(known)})
    if why := _not_over(payload):
        decision = _skip(site, payload, begun, why)
    else:
        request = Request(setup, site, _store(site), _request_of(site, payload, known), sha256)
        decision = run_stop(request.config(), payload, begun, request)
    return Answer(_said(decision), decision.unrecorded)


def _request_of(site: Site, payload: Payload, known: object) -> str:
    """The request that a stop belongs to: the one it names, where its prompt was seen, else the last one."""
    named = payload.text("prompt_id") or ""
    return named if not known or request_text(site, named) else str(known)


def _find(home: str, payload: Payload) -> tuple[Setup, Site | None]:
    """The settings, and the session's places; None when the client works in another repository."""
    setup = load(home)
    for folder in (payload.text("cwd"), os.environ.get("CLAUDE_PROJECT_DIR"), os.getcwd()):
        repo = find_repo(folder) if folder else None
        if repo and repo.common == setup.common:
            return setup, open_site(home, setup, payload.text("session_id") or "", repo.top)
    return setup, None


def _store(site: Site) -> Store:
    """The session's store; where no prompt was seen, what the request started from is taken to be HEAD."""
    store = site.store()
    if store is None:
        with state.judging(site.state, time.monotonic() + _PATIENCE_S):
            try:
                store = base_of_head(site)
            except SnapshotError:  # no commit yet
                store = make_base(site)
    return store


def _not_over(payload: Payload) -> str:
    """Why the turn is not over, or holds no work to judge; "" when it is and may."""
    if payload.data.get("background_tasks"):
        return "tasks in the background are not over"
    if payload.text("permission_mode") == "plan":
        return "the client is in plan mode"
    return ""


def _skip(site: Site, payload: Payload, begun: float, why: str) -> Decision:
    record, _ = begin(site.run, site.state, payload)
    decision = skipped(record, why)
    return finish(site.run, site.state, payload, record, decision, time.monotonic() - begun)


def _said(decision: Decision) -> str:
    if decision.sent:
        return block(decision.reason)
    if decision.decision == "error":
        return message(f"the gate broke, and your work was let go unjudged: {decision.error}")
    if decision.decision == "give_up":
        return message("the gate gave up after so many blocks; the work was let go, and is not in order")
    return ""


def message(text: str) -> str:
    """What the person, and not the agent, is shown."""
    return json.dumps({"systemMessage": f"gatecore: {line(text)[:500]}"})


def _write_tests(home: str, site: Site, request: str) -> None:
    """Have the acceptance tests written meanwhile."""
    import subprocess
    import sys

    subprocess.Popen(
        [sys.executable, "-I", os.path.join(home, "app"), "write-tests", home, site.state, request],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
