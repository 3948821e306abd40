"""Interleaved rounds, medians, and ratios that are held to a target."""

import json
import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

Measurement = Callable[[], float]
"""Does the thing once; returns seconds."""


class Target(NamedTuple):
    """A value (a ratio, if it has no unit) that must not be exceeded, or not be missed if `least`."""

    name: str
    value: float
    bound: float
    unit: str = "x"
    least: bool = False

    @property
    def met(self) -> bool:
        """Whether the target is reached."""
        return self.value >= self.bound if self.least else self.value <= self.bound


def interleave(todo: Mapping[str, Measurement], rounds: int) -> dict[str, float]:
    """Median seconds of each, all done once a round: a machine that gets slower does so for all of them."""
    found: dict[str, list[float]] = {name: [] for name in todo}
    for _ in range(rounds):
        for name, measure in todo.items():
            found[name].append(measure())
    return {name: statistics.median(seconds) for name, seconds in found.items()}


def timed(command: Iterable[str], cwd: Path | None = None, stdin: bytes = b"") -> float:
    """Wall seconds of a process, to its end."""
    begun = time.perf_counter()
    subprocess.run(
        list(command), cwd=cwd, input=stdin, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True
    )
    return time.perf_counter() - begun


def machine() -> str:
    """What the figures were measured on."""
    cpu = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        named = (
            line.partition(":")[2].strip() for line in info.read_text().splitlines() if "model name" in line
        )
        cpu = next(named, cpu)
    git = subprocess.check_output(["git", "--version"], text=True).split()[-1]
    load = os.getloadavg()[0]
    return (
        f"{cpu}, {os.cpu_count()} processors, {platform.system()} {platform.release()}, "
        f"Python {platform.python_version()}, git {git}, load {load:.1f}"
    )


def show(medians: Mapping[str, float], targets: Iterable[Target], rounds: int, *, as_json: bool) -> int:
    """Print the table; return the exit code, 1 when a target is missed."""
    held = list(targets)
    if as_json:
        found = {
            "machine": machine(),
            "rounds": rounds,
            "seconds": medians,
            "targets": [{**target._asdict(), "met": target.met} for target in held],
        }
        json.dump(found, sys.stdout, indent=2)
        print()
    else:
        print(f"{machine()}; medians of {rounds} rounds")
        for name, seconds in medians.items():
            print(f"  {name:<58} {1000 * seconds:>10.1f} ms")
        for target in held:
            bound = f"{'>=' if target.least else '<='} {target.bound:g}"
            verdict = "met" if target.met else "MISSED"
            print(f"  {target.name:<58} {target.value:>10.2f} {target.unit:<3} {bound:<9} {verdict}")
    return 0 if all(target.met for target in held) else 1
