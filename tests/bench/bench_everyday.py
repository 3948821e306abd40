"""What a stop that is skipped costs in a repository with many files, from the client's view.

    python tests/bench/bench_everyday.py [FILES] [ROUNDS]

Prints medians of interleaved rounds: wall and processor milliseconds of the hook at a prompt, at a stop where
nothing was changed, and at one whose tree was judged and passed, beside those of an interpreter that does nothing.
"""

import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path

PLAIN = "an interpreter that does nothing"


def main() -> None:
    """Lay the repository out, install, and measure."""
    files, rounds = (int(text) for text in (*sys.argv[1:], "5000", "15")[:2])
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        env = {**os.environ, "HOME": str(root / "home"), "XDG_STATE_HOME": str(root / "state")}
        work = root / "work"
        _lay_out(work, files)
        suite = f"{sys.executable} -m pytest -q test_one.py"
        _run([sys.executable, "-m", "gatecore", "install", "--suite", suite], work, env)
        hooks = json.loads((work / ".claude" / "settings.local.json").read_text())["hooks"]
        stop, prompt = (hooks[event][0]["hooks"][0]["command"] for event in ("Stop", "UserPromptSubmit"))
        took: dict[str, list[tuple[float, float]]] = defaultdict(list)
        for i in range(rounds):
            took[PLAIN].append(_time([sys.executable, "-I", "-S", "-c", "pass"], b"", work, env))
            took["prompt"].append(_call(prompt, "UserPromptSubmit", i, work, env))
            took["stop, nothing changed"].append(_call(stop, "Stop", i, work, env))
            (work / "src" / "0" / "f0.py").write_text(f"x = {i}\n")
            _call(stop, "Stop", i, work, env)
            took["stop, judged and passed before"].append(_call(stop, "Stop", i, work, env))
        print(f"{files} files, {rounds} rounds; medians in ms")
        for name, times in took.items():
            wall, cpu = (statistics.median(column) * 1000 for column in zip(*times, strict=True))
            print(f"{name:<34} wall {wall:7.1f}  processor {cpu:7.1f}")


def _lay_out(work: Path, files: int) -> None:
    for i in range(files):
        path = work / "src" / str(i // 100) / f"f{i}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"x = {i}\n" * 20)
    (work / "test_one.py").write_text("def test_one():\n    pass\n")
    env = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull}
    for args in (
        ("init", "-q"),
        ("add", "-A"),
        ("-c", "user.name=t", "-c", "user.email=t@e", "commit", "-qm", "base"),
    ):
        _run(["git", *args], work, env)


def _call(command: str, event: str, i: int, work: Path, env: dict[str, str]) -> tuple[float, float]:
    payload = {
        "session_id": "s",
        "prompt_id": f"p{i}",
        "cwd": str(work),
        "hook_event_name": event,
        "prompt": "x",
    }
    return _time(["/bin/sh", "-c", command], json.dumps(payload).encode(), work, env)


def _time(argv: list[str], stdin: bytes, work: Path, env: dict[str, str]) -> tuple[float, float]:
    """Wall and processor seconds."""
    before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    _run(argv, work, env, stdin)
    wall, after = time.perf_counter() - begun, resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _run(argv: list[str], work: Path, env: dict[str, str], stdin: bytes = b"") -> None:
    subprocess.run(argv, cwd=work, env=env, input=stdin, capture_output=True, check=True)


if __name__ == "__main__":
    main()
