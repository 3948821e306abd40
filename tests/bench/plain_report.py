"""The yardstick: the same figures per config in plain Python, ``json`` line by line. Usage: FOLDER [--bytes]."""

import json
import sys
import time
from collections import Counter
from pathlib import Path

NAMES = ("meta.json", "score.json", "testwriter.json", "gate.jsonl")
WORDS = {"block": ("false", "right"), "allow": ("clean", "missed")}


def main(folder: Path) -> None:
    """Print requirements, cost and stops by class per config."""
    met, judged, runs = Counter[str](), Counter[str](), Counter[str]()
    cost: dict[str, float] = {}
    kinds: dict[str, Counter[str]] = {}
    for run in sorted(folder.iterdir()):
        cfg = json.loads((run / "meta.json").read_bytes())["cfg"]
        score = json.loads((run / "score.json").read_bytes())
        runs[cfg] += 1
        met[cfg] += score["hidden_pass"]
        judged[cfg] += score["hidden_pass"] + score["hidden_fail"]
        cost[cfg] = cost.get(cfg, 0.0) + score["cost_total_usd"]
        ledger = run / "gate.jsonl"
        if ledger.exists():
            for line in ledger.read_bytes().splitlines():
                stop = json.loads(line)
                red = stop["hidden"]["fail"] > 0
                kinds.setdefault(cfg, Counter())[WORDS[stop["decision"]][red]] += 1
    for cfg, n in runs.items():
        print(cfg, n, f"{met[cfg]}/{judged[cfg]}", round(cost[cfg] / n, 4), dict(kinds.get(cfg, {})))


def read_bytes(folder: Path) -> None:
    """Print the seconds, by the wall and of processors, that reading every file takes that a report opens."""
    paths = [str(run / name) for run in folder.iterdir() for name in NAMES if (run / name).exists()]
    begun, processor = time.perf_counter(), time.process_time()
    for path in paths:
        with open(path, "rb") as file:
            file.read()
    print(time.perf_counter() - begun, time.process_time() - processor)


if __name__ == "__main__":
    (read_bytes if "--bytes" in sys.argv else main)(Path(sys.argv[1]))
