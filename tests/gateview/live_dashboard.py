"""Growing run directories, and a dashboard on them that is looked at as a user sees it."""

import asyncio
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from textual.app import App
from textual.pilot import Pilot

from gateview.app import GateviewApp
from gateview.store.view import View

PATIENCE = 10.0


class Growing:
    """A run directory that is written as a harness writes it."""

    def __init__(self, runs: Path, name: str = "T1-g1-r1") -> None:
        task, cfg, rep = name.split("-")[:3]
        self.name = name
        self.path = runs / name
        self.path.mkdir(parents=True)
        self.stops = 0
        meta = {"task": task, "cfg": cfg, "rep": int(rep.removeprefix("r")), "name": name}
        (self.path / "meta.json").write_text(json.dumps(meta))

    def event(self, event: str, **fields: Any) -> None:
        """Append to events.jsonl."""
        _append(self.path / "events.jsonl", line({"v": 1, "ts": stamp(), "event": event, **fields}))

    def stop(self, decision: str = "block", failed: int = 1, **fields: Any) -> bytes:
        """The line of the next stop; of five requirements, `failed` fail."""
        self.stops += 1
        gate = "g1" if decision in ("block", "give_up") else None
        record = {
            "n": self.stops,
            "ts": stamp(self.stops),
            "gate1": {"ran": True, "pass": gate is None, "gate_tests_present": True, "gate_tests_pass": 9},
            "gate3": {"ran": False},
            "hidden": {
                "pass": 5 - failed,
                "fail": failed,
                "failed_reqs": [f"test_req{i + 1}" for i in range(failed)],
            },
            "blocked_by": gate,
            "decision": decision,
            "reason": f"reason {self.stops} of {self.name}" if gate else "",
            "wall_s": 1.5,
        }
        return line(record | fields)

    def append(self, data: bytes) -> None:
        """Append to the ledger, whatever it is."""
        _append(self.path / "gate.jsonl", data)

    def score(self, met: int = 5) -> None:
        """End the run."""
        score = {
            "hidden_pass": met,
            "hidden_fail": 5 - met,
            "wall_s": 12,
            "cost_worker_usd": 0.25,
            "has_result_line": True,
        }
        (self.path / "score.json").write_text(json.dumps(score))


def line(record: dict[str, Any]) -> bytes:
    """One line of a ledger."""
    return json.dumps(record).encode() + b"\n"


def stamp(second: int = 0) -> str:
    """A time, in order of `second`."""
    return f"2026-11-30T20:{second // 60:02}:{second % 60:02}.000+00:00"


def _append(path: Path, data: bytes) -> None:
    with path.open("ab", buffering=0) as file:
        file.write(data)


def dashboard(*runs: Path) -> GateviewApp:
    """The app as `watch` starts it."""
    return GateviewApp(runs, "runs/")


def screen_of(app: App[None]) -> str:
    """What is on the screen, line by line."""
    return "\n".join(strip.text for strip in app.screen._compositor.render_strips())


async def until(pilot: Pilot[None], condition: Callable[[], bool]) -> None:
    """Wait for a condition; with the screen where it does not come about."""
    deadline = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > deadline:
            raise AssertionError(f"it did not come about:\n{screen_of(pilot.app)}")
        await asyncio.sleep(0.02)


async def shows(pilot: Pilot[None], *texts: str) -> None:
    """Wait until all of `texts` are on the screen."""
    await until(pilot, lambda: all(text in screen_of(pilot.app) for text in texts))


def classes(view: View) -> dict[str, list[str]]:
    """The classes of the stops of each run."""
    return {key: list(row.kinds) for key, row in view.rows.items()}
