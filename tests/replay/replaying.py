"""Recorded runs to be judged again, and how that is done."""

import json
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from gatecore.ledger.classes import classed_stops, stop_class
from gatecore.ledger.reader import read_run
from gatecore.ledger.replays import read_replay, relabelled

Stop = tuple[str, int | None]
"""A run's name and the number of one of its stops."""


def gatecore(bench: Path, *args: str | Path) -> "subprocess.CompletedProcess[str]":
    """Run a command of gatecore on a bench."""
    command = [sys.executable, "-m", "gatecore", *map(str, args), "--bench", str(bench)]
    return subprocess.run(command, cwd=bench, capture_output=True, text=True, check=False)


def report(*args: str | Path) -> "subprocess.CompletedProcess[str]":
    """Print a report."""
    command = [sys.executable, "-m", "gateview", "report", *map(str, args)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def lines(folder: Path) -> list[dict[str, Any]]:
    """The lines of a replay of one run."""
    return [json.loads(line) for line in (folder / "replay.jsonl").read_bytes().splitlines()]


def labels(runs: Iterable[Path], name: str = "") -> dict[Stop, tuple[str, tuple[str, ...]]]:
    """Class and unmet requirements of each recorded stop that has a tree; as recorded, or by a replay's oracle."""
    found: dict[Stop, tuple[str, tuple[str, ...]]] = {}
    for path in runs:
        replay = read_replay(path, name) if name else None
        for stop in classed_stops(read_run(path)):
            if stop.entry is None or (
                not stop.entry.stop.tree and not (path / f"snap-{stop.n}.diff").is_file()
            ):
                continue
            record = stop.entry.stop
            if name:
                new = replay.stops.get((stop.entry.line, stop.n)) if replay else None
                if new is None or not new.replayed or new.hidden is None:
                    found[path.name, stop.n] = ("not replayed", ())
                    continue
                record = relabelled(record, new)
            assert record.hidden is not None
            found[path.name, stop.n] = (stop_class(record), record.hidden.failed_reqs)
    return found
