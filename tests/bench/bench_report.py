"""How fast `gateview report` is: ``uv run python tests/bench/bench_report.py [--json] [--rounds N] [--runs N]``.

Medians of interleaved rounds, each measurement in a process of its own: first one of each, then again, so
that a machine that gets slower or faster does so for all. The files are in the page cache throughout; cold
means without our own cache. Modules are compiled, as they are wherever a program was started before. Exit code 1
when a target is missed.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from many_runs import make_runs

HERE = Path(__file__).parent
REPORT = (sys.executable, "-m", "gateview", "report")
IMPORTS = (sys.executable, "-c", "import typer, rich.table, msgspec")
OPTIONS = ("--format", "json", "--strict", "--fail-if", "unreadable > 0")
SETTLED = 2.2  # seconds after which the cache trusts a file's time of change


class Cost(NamedTuple):
    """Seconds of wall time and of processors, and the largest resident set of a process, in MB."""

    seconds: float
    processor: float
    memory: float


class Target(NamedTuple):
    """A ratio (or a number of MB) that must not be exceeded."""

    name: str
    value: float
    most: float
    unit: str


def compiled(work: Path) -> None:
    """Have Python keep compiled modules, in `work`, for every process from here on."""
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    os.environ["PYTHONPYCACHEPREFIX"] = str(work / "compiled")


def cost(command: tuple[str, ...], cache: Path | None = None) -> Cost:
    """Run to the end."""
    environment = os.environ | ({"XDG_CACHE_HOME": str(cache)} if cache else {})
    begun = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, env=environment)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"{command} ended with {process.returncode}")
    memory = used.ru_maxrss / (1024 if sys.platform == "linux" else 1024**2)
    return Cost(time.perf_counter() - begun, used.ru_utime + used.ru_stime, memory)


def bytes_alone(folder: Path) -> Cost:
    """Read the files, without the start of the interpreter."""
    command = [sys.executable, str(HERE / "plain_report.py"), str(folder), "--bytes"]
    wall, processor = subprocess.run(command, capture_output=True, check=True).stdout.split()
    return Cost(float(wall), float(processor), 0.0)


def change(folder: Path, share: float) -> None:
    """Append a record to some of the ledgers."""
    ledgers = sorted(folder.glob("*/gate.jsonl"))
    for path in ledgers[:: max(1, round(1 / share))]:
        lines = path.read_bytes().splitlines(keepends=True)
        path.write_bytes(b"".join([*lines, lines[-1]]))
    time.sleep(SETTLED)


def measure(folder: Path, few: Path, work: Path, rounds: int) -> dict[str, list[Cost]]:
    """Every measurement, `rounds` times."""
    kept, plain = work / "kept", str(HERE / "plain_report.py")
    cost((*REPORT, str(folder)), kept)
    cost((*REPORT, str(few), *OPTIONS))
    cost(IMPORTS)
    todo: dict[str, Callable[[int], Cost]] = {
        "bytes": lambda _: bytes_alone(folder),
        "json": lambda _: cost((sys.executable, plain, str(folder))),
        "cold": lambda _: cost((*REPORT, str(folder), "--no-cache")),
        "cold, keeping": lambda i: cost((*REPORT, str(folder)), work / f"new{i}"),
        "cached, 1 % changed": lambda _: (change(folder, 0.01), cost((*REPORT, str(folder)), kept))[1],
        "imports": lambda _: cost(IMPORTS),
        "50 runs": lambda _: cost((*REPORT, str(few))),
        "50 runs, options": lambda _: cost((*REPORT, str(few), *OPTIONS)),
    }
    found: dict[str, list[Cost]] = {name: [] for name in todo}
    for i in range(rounds):
        for name, run in todo.items():
            found[name].append(run(i))
    return found


def targets(medians: dict[str, float], memory: float) -> list[Target]:
    """What the medians are held to."""
    return [
        Target("cold / bytes", medians["cold"] / medians["bytes"], 2.5, "x"),
        Target("cold, keeping / bytes", medians["cold, keeping"] / medians["bytes"], 2.5, "x"),
        Target("cold, memory", memory, 60, "MB"),
        Target("cached, 1 % changed / cold", medians["cached, 1 % changed"] / medians["cold"], 0.35, "x"),
        Target("50 runs / imports", medians["50 runs"] / medians["imports"], 1.5, "x"),
        Target("50 runs, options / imports", medians["50 runs, options"] / medians["imports"], 1.5, "x"),
    ]


def main() -> int:
    """Measure, print, and say whether every target is met."""
    parser = argparse.ArgumentParser(description="How fast `gateview report` is.")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--runs", type=int, default=10_000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        work = Path(temporary)
        compiled(work)
        records = make_runs(work / "runs", options.runs)
        make_runs(work / "few", 50)
        found = measure(work / "runs", work / "few", work, options.rounds)
    medians = {name: statistics.median(c.seconds for c in costs) for name, costs in found.items()}
    processor = {name: statistics.median(c.processor for c in costs) for name, costs in found.items()}
    held = targets(medians, max(c.memory for c in found["cold"]))
    if options.json:
        print(
            json.dumps(
                {
                    "runs": options.runs,
                    "records": records,
                    "rounds": options.rounds,
                    "seconds": medians,
                    "processor_seconds": processor,
                    "targets": [{**target._asdict(), "met": target.value <= target.most} for target in held],
                },
                indent=2,
            )
        )
    else:
        print(
            f"{options.runs:,} runs, {records:,} records, {options.rounds} rounds, {os.cpu_count()} processors"
        )
        for name, seconds in medians.items():
            print(f"  {name:<28} {1000 * seconds:>9.0f} ms {1000 * processor[name]:>9.0f} ms of processors")
        for target in held:
            met = "met" if target.value <= target.most else "MISSED"
            print(f"  {target.name:<28} {target.value:>9.2f} {target.unit:<3} of {target.most:g}   {met}")
    return 0 if all(target.value <= target.most for target in held) else 1


if __name__ == "__main__":
    sys.exit(main())
