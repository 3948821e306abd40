"""What the gate itself costs: ``uv run python tests/bench/bench_gate.py [PART...] [--json] [--rounds N]``.

Medians of interleaved rounds, each a ratio to a baseline of the same rounds. Exit code 1 when a target is
missed. Parts: hook, snapshot, checks, scheduler, start, ledger; all by default.
"""

import argparse
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1]))

from gating import PAYLOAD, Gated, gated, make_bench
from measuring import Measurement, Target, interleave, show, timed

from gatecore.snapshot import Store

SPIN_S = 2.0
"""Seconds of processor time that each of the three checks needs."""
CELLS, LANES, CELL_S = 500, 8, 0.1
RECORDS = 100_000
HERE = Path(__file__).parent
BARE = (sys.executable, "-I", "-S", "-c", "pass")
PER_FILE = (
    "import json, subprocess, pathlib, sys\n"
    "for path in sys.argv[1:]: subprocess.run(['git', 'diff', '--no-index', '--', '/dev/null', path],"
    " stdout=subprocess.PIPE)"
)
SPINS = f"""
import time


def test_req1():
    end = time.process_time() + {SPIN_S}
    while time.process_time() < end:
        pass
"""
HELP = "import runpy\n{everything}\nrunpy.run_module('{package}', run_name='__main__', alter_sys=True)"
EVERYTHING = "import textual.app, textual.widgets, rich.table, polars, typer, msgspec, pytest, watchfiles"


class Part(NamedTuple):
    """Measurements by name, and the targets that their medians are held to."""

    todo: dict[str, Measurement]
    targets: Callable[[dict[str, float]], list[Target]]


class Ungated(NamedTuple):
    """A run whose hook has no gate to ask."""

    gate: Gated
    command: str

    def stop(self) -> float:
        """Seconds of one stop after one more change."""
        return stop(self.gate, self.command)


def ungated(gate: Gated) -> Ungated:
    """Take the gates out of a run's configuration, and give its command line the new hash."""
    path = gate.run / "gate-config.json"
    before = path.read_bytes()
    path.write_text(json.dumps({**json.loads(before), "gates": {}}))
    old, new = (hashlib.sha256(data).hexdigest() for data in (before, path.read_bytes()))
    return Ungated(gate, gate.command.replace(old, new))


def repo(root: Path, files: int, untracked: int, *, lines: int = 40) -> Ungated:
    """A run without gates and oracle, on a repository of `files`."""
    text = "".join(f"value_{n} = {n}\n" for n in range(lines))
    bench = make_bench(
        root,
        **{f"upstream/pkg{n % 50}/module_{n}.py": text for n in range(files - 3)},
        **{"tasks/T2.md": "tidy up\n"},
    )
    gate = gated(bench, "g3", "T2")
    for n in range(untracked):
        (gate.work / f"new_{n}.py").write_text(f"# {n}\n{text}")
    made = ungated(gate)
    made.stop()
    assert gate.last()["decision"] in ("allow", "skipped")
    return made


def stop(gate: Gated, command: str) -> float:
    """Seconds of one stop after one more change."""
    gate.append("calc.py", f"# {time.perf_counter_ns()}\n")
    return timed(("/bin/sh", "-c", f"exec {command}"), gate.work, json.dumps(PAYLOAD).encode())


def hook(root: Path) -> Part:
    """The hook's own time: no gate, no oracle."""
    small, hundred, large = (
        repo(root / name, files, untracked)
        for name, files, untracked in (("small", 50, 1), ("hundred", 50, 100), ("large", 5000, 1))
    )
    untracked = [str(path) for path in sorted(hundred.gate.work.glob("new_*.py"))]
    names = (
        "python -I -S",
        "hook, 50 files",
        "hook, 100 untracked",
        "a git process per untracked file",
        "hook, 5,000 files",
    )
    bare, of_50, of_100, per_file, of_5000 = names
    return Part(
        {
            bare: lambda: timed(BARE),
            of_50: small.stop,
            of_100: hundred.stop,
            per_file: lambda: timed((sys.executable, "-c", PER_FILE, *untracked), hundred.gate.work, b""),
            of_5000: large.stop,
        },
        lambda m: [
            Target("hook, 50 files / python -I -S", m[of_50] / m[bare], 5),
            Target("hook, 100 untracked / a git process per file", m[of_100] / m[per_file], 0.4),
            Target("hook, 5,000 files / 50 files", m[of_5000] / m[of_50], 2.5),
        ],
    )


def snapshot(root: Path) -> Part:
    """A thousand files that no snapshot has seen yet."""
    gate = repo(root, 50, 0).gate
    store = Store(str(gate.prepared.state / "git"))
    seen = count()

    def fill() -> list[str]:
        made = next(seen)
        for n in range(1000):
            (gate.work / f"new_{n}.py").write_text(f"# {made} {n}\n" + "value = 1\n" * 40)
        return [f"new_{n}.py" for n in range(1000)]

    def take() -> float:
        fill()
        begun = time.perf_counter()
        store.take(str(gate.work))
        return time.perf_counter() - begun

    def per_file() -> float:
        names = fill()
        begun = time.perf_counter()
        for name in names:
            command = ["git", "diff", "--no-index", "--binary", "--", "/dev/null", name]
            subprocess.run(command, cwd=gate.work, stdout=subprocess.DEVNULL, check=False)
        return time.perf_counter() - begun

    return Part(
        {"snapshot, 1,000 untracked": take, "the same, a git process per file": per_file},
        lambda m: [
            Target(
                "a git process per file / snapshot, 1,000 untracked",
                m["the same, a git process per file"] / m["snapshot, 1,000 untracked"],
                6,
                least=True,
            )
        ],
    )


def checks(root: Path) -> Part:
    """Three equal checks that need a processor each, beside one another on what there is; and three empty ones."""
    spinning, empty = (
        gated(
            make_bench(
                root / name,
                **{
                    "hidden/test_T1.py": text,
                    "scripted/gate/T1/hedged.py": text,
                    "upstream/tests/test_calc.py": text,
                },
            )
        )
        for name, text in (("spinning", SPINS), ("empty", "def test_req1():\n    pass\n"))
    )

    def alone(gate: Gated) -> float:
        return timed((sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests"), gate.work)

    def together(gate: Gated) -> float:
        seconds = stop(gate, gate.command)
        assert gate.last()["gate1"]["pass"] is True
        assert gate.last()["hidden"]["pass"] == 1
        return seconds

    one, three, all_ = "one check of 2 s alone", "three, one after the other", "a stop with the three"
    one_empty, all_empty = "one check of nothing alone", "a stop with three such"
    return Part(
        {
            one: lambda: alone(spinning),
            three: lambda: sum(alone(spinning) for _ in range(3)),
            all_: lambda: together(spinning),
            one_empty: lambda: alone(empty),
            all_empty: lambda: together(empty),
        },
        lambda m: [
            Target("a stop with three checks / the longest alone", m[all_] / m[one], 1.7),
            Target("a stop with three checks / one after the other", m[all_] / m[three], 0.6),
            Target(
                "a stop with three empty checks / three starts of pytest",
                m[all_empty] / (3 * m[one_empty]),
                1,
            ),
        ],
    )


def scheduler(root: Path) -> Part:
    """The matrix alone: its cells sleep."""
    bench = make_bench(root).root
    grown: list[float] = []

    def run() -> float:
        command = (
            sys.executable,
            str(HERE / "sleeping_matrix.py"),
            str(bench),
            str(CELLS),
            str(LANES),
            str(CELL_S),
        )
        seconds, first, last = map(float, subprocess.check_output(command, text=True).split())
        grown.append(last / first)
        return seconds

    name = f"{CELLS} cells of {1000 * CELL_S:.0f} ms in {LANES} lanes"
    return Part(
        {name: run},
        lambda m: [
            Target(
                "the scheduler's part of a cell", 1000 * (m[name] - CELLS * CELL_S / LANES) / CELLS, 15, "ms"
            ),
            Target("memory after all cells / after a fifth of them", max(grown), 1.05),
        ],
    )


def start(_: Path) -> Part:
    """What a command line costs that only asks for help."""
    todo: dict[str, Measurement] = {}
    for package in ("gatecore", "gateview"):
        code = HELP.format(everything=EVERYTHING, package=package)
        todo[f"{package} --help"] = lambda package=package: timed((sys.executable, "-m", package, "--help"))
        todo[f"{package} --help, everything imported"] = lambda code=code: timed(
            (sys.executable, "-c", code, "--help")
        )
    return Part(
        todo,
        lambda m: [
            Target(
                f"{p} --help / everything imported",
                m[f"{p} --help"] / m[f"{p} --help, everything imported"],
                0.4,
            )
            for p in ("gatecore", "gateview")
        ],
    )


def ledger(root: Path) -> Part:
    """A run that has had a hundred thousand stops."""
    short, long = (repo(root / name, 50, 1) for name in ("short", "long"))
    state = long.gate.prepared.state / "state.json"
    memory = json.loads(state.read_bytes())
    state.write_text(json.dumps({**memory, "n": RECORDS}))
    for name, line in (
        ("gate.jsonl", long.gate.last()),
        ("events.jsonl", long.gate.events("stop_ended")[-1]),
    ):
        with (long.gate.run / name).open("a") as file:
            file.writelines(json.dumps({**line, "n": n}) + "\n" for n in range(2, RECORDS + 1))
    return Part(
        {"hook, 1 record": short.stop, f"hook, {RECORDS:,} records": long.stop},
        lambda m: [
            Target(
                f"hook, {RECORDS:,} records / 1 record",
                m[f"hook, {RECORDS:,} records"] / m["hook, 1 record"],
                1.1,
            )
        ],
    )


PARTS = {part.__name__: part for part in (hook, snapshot, checks, scheduler, start, ledger)}


def main() -> int:
    """Measure, print, and say whether every target is met."""
    parser = argparse.ArgumentParser(description="What the gate itself costs.")
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    os.environ.pop("PYTEST_ADDOPTS", None)
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"  # as the checks have it
    medians: dict[str, float] = {}
    held: list[Target] = []
    for name in options.parts or PARTS:
        with tempfile.TemporaryDirectory() as folder:
            part = PARTS[name](Path(folder).resolve())
            found = interleave(part.todo, options.rounds)
            medians |= found
            held += part.targets(found)
    return show(medians, held, options.rounds, as_json=options.json)


if __name__ == "__main__":
    sys.exit(main())
