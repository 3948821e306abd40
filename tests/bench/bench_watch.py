"""How fast, light and idle the dashboard is: prints a table, or JSON with ``--json``. Run as a script.

Everything is measured from outside on a real pseudo-terminal: what a user waits for is bytes on it.
"""

import argparse
import fcntl
import json
import os
import pty
import select
import shutil
import statistics
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import many_runs

_LINKS = 30_000  # no more to one file: ext4 allows 65,000
_UPDATED = 20  # runs that are written to while the cost of a row is measured
STAMP = "2026-11-30T20:00:00.000+00:00"


class Dashboard:
    """A dashboard on a pseudo-terminal whose output is read by a thread of its own."""

    def __init__(self, command: list[str], more: Mapping[str, str]) -> None:
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
        environment = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "LINES", "NO_COLOR")}
        self.started = time.perf_counter()
        self.child = subprocess.Popen(
            command,
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env={**environment, "TERM": "xterm-256color", "COLORTERM": "truecolor", **more},
            start_new_session=True,
        )
        os.close(slave)
        self.sent: list[tuple[float, bytes]] = []
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        while True:
            try:
                select.select([self.master], [], [])
                data = os.read(self.master, 1 << 20)
            except OSError:
                return
            self.sent.append((time.perf_counter(), data))

    def wait_for(self, text: bytes, seconds: float = 120.0, since: int = 0) -> float:
        """When `text` was first sent, in seconds of the clock."""
        deadline = time.perf_counter() + seconds
        seen, tail = since, b""
        while time.perf_counter() < deadline:
            while seen < len(self.sent):
                at, data = self.sent[seen]
                seen += 1
                if text in tail + data:
                    return at
                tail = (tail + data)[-200:]
            time.sleep(0.002)
        raise TimeoutError(f"{text!r} was not sent")

    @property
    def cpu(self) -> float:
        """Seconds of processor time so far, of all threads."""
        tasks = Path(f"/proc/{self.child.pid}/task").iterdir()
        return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks) / 1e9

    @property
    def memory(self) -> float:
        """Resident MB, what is shared with other processes counted in parts."""
        for line in Path(f"/proc/{self.child.pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) / 1024
        return float("nan")

    def close(self) -> None:
        """End it."""
        self.child.terminate()
        try:
            self.child.wait(10)
        except subprocess.TimeoutExpired:
            self.child.kill()
            self.child.wait()
        os.close(self.master)


@contextmanager
def dashboard(*folders: Path, command: list[str] | None = None, **environment: str) -> Iterator[Dashboard]:
    """A dashboard for a while."""
    it = Dashboard(command or [sys.executable, "-m", "gateview", "watch", *map(str, folders)], environment)
    try:
        yield it
    finally:
        it.close()


def stop(n: int, reason: str, decision: str = "block") -> bytes:
    """A line of a ledger."""
    record = {
        "n": n,
        "ts": STAMP,
        "stop_id": f"{n:032d}",
        "gate1": {"ran": True, "pass": False, "suite_pass": 40, "suite_fail": 0, "gate_tests_present": True},
        "gate3": {"ran": False},
        "hidden": {"pass": 4, "fail": 1, "failed_reqs": ["test_req1"], "state": "judged"},
        "blocked_by": "g1",
        "decision": decision,
        "reason": reason,
        "reason_chars": len(reason),
        "wall_s": 1.5,
    }
    return json.dumps(record).encode() + b"\n"


def make_runs(folder: Path, runs: int, stops: int = 3, *, scored: bool = True) -> None:
    """A runs folder of `runs` run directories."""
    score = json.dumps(
        {"hidden_pass": 4, "hidden_fail": 1, "wall_s": 12, "cost_worker_usd": 0.2, "has_result_line": True}
    )
    for number in range(runs):
        run = folder / f"T{number}-g1-r1"
        run.mkdir(parents=True)
        (run / "meta.json").write_text(
            json.dumps({"task": f"T{number}", "cfg": "g1", "rep": 1, "name": run.name})
        )
        (run / "gate.jsonl").write_bytes(b"".join(stop(n, "the tests fail") for n in range(1, stops + 1)))
        if scored:
            (run / "score.json").write_text(score)


def make_rows(folder: Path, rows: int, written: int) -> None:
    """A runs folder of `rows` finished runs; all but those first by name share their files."""
    make_runs(folder, 1, 1)
    shared = folder / "shared"
    (folder / "T0-g1-r1").rename(shared)
    for at, name in enumerate(sorted(f"T{number}-g1-r1" for number in range(rows))):
        if at % _LINKS == 0:
            fresh = folder / name
            shutil.copytree(shared, fresh)
            shutil.rmtree(shared)
            fresh.rename(shared)
        (folder / name).mkdir()
        (folder / name / "score.json").hardlink_to(shared / "score.json")
        if at < written:
            shutil.copy(shared / "gate.jsonl", folder / name)
        else:
            (folder / name / "gate.jsonl").hardlink_to(shared / "gate.jsonl")
    shutil.rmtree(shared)


def ready(it: Dashboard) -> None:
    """Wait until everything is read and the screen is still."""
    it.wait_for(b"quit")
    quiet = time.perf_counter()
    count = len(it.sent)
    while time.perf_counter() - quiet < 3.5:
        time.sleep(0.1)
        if sum(len(data) for _, data in it.sent[count:]) > 4000:
            quiet, count = time.perf_counter(), len(it.sent)


def latency(folder: Path, rate: int, samples: int) -> tuple[list[float], int]:
    """Milliseconds from an append to bytes on the terminal among `rate` lines a second; and what was lost."""
    runs = sorted(folder.iterdir())
    made = len(runs)
    found: list[float] = []
    lost = 0
    with dashboard(folder) as it:
        ready(it)
        ended = threading.Event()
        written = [0]

        def load() -> None:
            """The other lines of the stream."""
            number, began = 0, time.perf_counter()
            while not ended.is_set():
                due = int((time.perf_counter() - began) * (rate - 1)) if rate > 1 else 0
                while number < due:
                    with (runs[(number * 7) % (made - 1)] / "gate.jsonl").open("ab", buffering=0) as file:
                        file.write(stop(100 + number, "other"))
                    number += 1
                    written[0] = number
                ended.wait(0.002)

        thread = threading.Thread(target=load)
        thread.start()
        try:
            marked = runs[-1] / "gate.jsonl"
            for sample in range(samples):
                # In order of time, the marked line is the newest of the feed.
                mark = f"mark{sample:05d}x"
                line = stop(200_000 + sample, mark).replace(
                    STAMP.encode(),
                    b"2026-12-01T20:%02d:%02d.%03d+00:00"
                    % (sample // 600 % 60, sample // 10 % 60, sample % 10 * 100),
                )
                since = len(it.sent)
                with marked.open("ab", buffering=0) as file:
                    began = time.perf_counter()
                    file.write(line)
                try:
                    found.append((it.wait_for(mark.encode(), 5.0, max(0, since - 1)) - began) * 1000)
                except TimeoutError:
                    lost += 1
                time.sleep(0.05 + 0.037 * (sample % 5))
        finally:
            ended.set()
            thread.join()
    return found, lost


def row_cost(folder: Path, updates: int, rounds: int) -> float:
    """Milliseconds of processor time for each update of a run, the median of rounds."""
    runs = sorted(folder.iterdir())[:updates]
    costs = []
    with dashboard(folder) as it:
        ready(it)
        time.sleep(2)
        for turn in range(rounds):
            before = it.cpu
            for run in runs:
                with (run / "gate.jsonl").open("ab", buffering=0) as file:
                    file.write(stop(1000 + turn, "again"))
                time.sleep(0.02)
            time.sleep(1.0)
            costs.append((it.cpu - before) * 1000 / updates)
    return statistics.median(costs)


def idle(folder: Path, seconds: float, rounds: int, *, clock: bool = True) -> float:
    """Percent of a core while nothing happens, the median of rounds."""
    config = folder.with_name("config")
    (config / "gateview").mkdir(parents=True, exist_ok=True)
    (config / "gateview" / "config.toml").write_text(f"clock = {str(clock).lower()}\n")
    with dashboard(folder, XDG_CONFIG_HOME=str(config)) as it:
        ready(it)
        time.sleep(14)  # runs that are over settle
        shares = []
        for _ in range(rounds):
            before, began = it.cpu, time.perf_counter()
            time.sleep(seconds)
            shares.append((it.cpu - before) / (time.perf_counter() - began) * 100)
    return statistics.median(shares)


def first_paint(folder: Path, rounds: int) -> tuple[float, float]:
    """Milliseconds to the first footer on the terminal, and those of a process that imports textual and ends."""
    paints, bare = [], []
    for _ in range(rounds):
        began = time.perf_counter()
        subprocess.run([sys.executable, "-c", "import textual.app, textual.widgets"], check=True)
        bare.append((time.perf_counter() - began) * 1000)
        with dashboard(folder) as it:
            paints.append((it.wait_for(b"quit") - it.started) * 1000)
    return statistics.median(paints), statistics.median(bare)


def memory(folder: Path) -> tuple[float, float, float]:
    """MB with all runs read, a while later, and of a process that has imported textual."""
    command = [
        sys.executable,
        "-c",
        "import textual.app, textual.widgets, time; print('quit', flush=True); time.sleep(99)",
    ]
    with dashboard(command=command) as it:
        it.wait_for(b"quit")
        time.sleep(0.3)
        bare = it.memory
    with dashboard(folder) as it:
        ready(it)
        first = it.memory
        time.sleep(10)
        return first, it.memory, bare


def percentile(values: list[float], share: float) -> float:
    """The value below which `share` of all lie."""
    return sorted(values)[min(len(values) - 1, int(share * len(values)))] if values else float("nan")


def measure(args: argparse.Namespace, place: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield each measurement with its name."""
    for rate in args.rates:
        folder = place / f"rate{rate}"
        make_runs(folder, args.runs, scored=False)
        found, lost = latency(folder, rate, args.samples)
        yield (
            f"append to terminal, {args.runs:,} runs, {rate:,} lines/s",
            {
                "p50_ms": percentile(found, 0.5),
                "p99_ms": percentile(found, 0.99),
                "samples": len(found),
                "lost": lost,
            },
        )
        shutil.rmtree(folder)
    costs = {}
    for rows in (args.few, args.many):
        folder = place / f"rows{rows}"
        make_rows(folder, rows, _UPDATED)
        costs[rows] = row_cost(folder, _UPDATED, args.rounds)
        if rows == args.few:
            yield (
                f"idle, {rows:,} finished runs",
                {
                    "percent_of_a_core": idle(folder, 5.0, args.rounds),
                    "without_clock": idle(folder, 5.0, args.rounds, clock=False),
                },
            )
            paint, bare = first_paint(folder, args.rounds)
            yield "first paint", {"ms": paint, "bare_ms": bare, "ratio": paint / bare}
        shutil.rmtree(folder)
    yield (
        f"processor time an updated row, {args.many:,} rows to {args.few:,}",
        {
            "ms_many": costs[args.many],
            "ms_few": costs[args.few],
            "ratio": costs[args.many] / costs[args.few] if costs[args.few] else float("nan"),
        },
    )
    folder = place / "memory"
    records = many_runs.make_runs(folder, args.memory_runs)
    first, later, bare_mb = memory(folder)
    yield (
        f"memory, {args.memory_runs:,} runs, {records:,} records",
        {
            "mb": first,
            "mb_later": later,
            "bare_mb": bare_mb,
            "ratio": first / bare_mb,
        },
    )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--rates", type=int, nargs="*", default=[1, 10, 100, 1000])
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--samples", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--few", type=int, default=1000)
    parser.add_argument("--many", type=int, default=100_000)
    parser.add_argument("--memory-runs", type=int, default=10_000)
    args = parser.parse_args()
    found = {}
    with tempfile.TemporaryDirectory() as place:
        for name, values in measure(args, Path(place)):
            found[name] = values
            if not args.json:
                print(f"{name:<58}", "  ".join(f"{k} {v:,.2f}" for k, v in values.items()), flush=True)
    if args.json:
        print(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
