"""Make the committed run directories and pictures again: ``uv run python sample_runs/make.py``.

Runs the demo in a temporary folder and copies its runs here with the paths of this machine rewritten:
the bench becomes ``/bench``, the Python installation ``/python``. With ``pictures``, only the pictures.
"""

import asyncio
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from textual.pilot import Pilot

HERE = Path(__file__).parent
PACKAGE = HERE.parent / "gatecore"
DROPPED = {".matrix.lock", "matrix.log", "gate-config.json", "prep.txt"}


def main() -> None:
    """Run the demo and take its runs over."""
    with tempfile.TemporaryDirectory() as folder:
        bench = Path(folder).resolve() / "bench"
        subprocess.run([sys.executable, "-m", "gatecore", "init", "--sample", str(bench)], check=True)
        subprocess.run([sys.executable, "-m", "gatecore", "matrix", "--bench", str(bench)], check=True)
        names = rewrites(bench)
        for old in HERE.iterdir():
            if old.is_dir():
                shutil.rmtree(old)
        for path in sorted((bench / "runs").rglob("*")):
            if path.is_file() and path.name not in DROPPED:
                target = HERE / path.relative_to(bench / "runs")
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(rewrite(path.read_bytes(), names))
    refit_hashes()
    pictures()


def pictures() -> None:
    """Take pictures of the dashboard on these runs, as the app itself draws them."""
    asyncio.run(_pictures())


async def _pictures() -> None:
    from gateview.app import GateviewApp
    from gateview.lines.glyphs import UNICODE

    app = GateviewApp([HERE], "sample_runs/", UNICODE)
    async with app.run_test(size=(120, 40)) as pilot:
        await _settled(pilot)
        _save(app.export_screenshot(), "live.svg")
        await pilot.press("slash", *"T1-g1-r1", "enter", "enter")
        await _settled(pilot)
        await pilot.press("left", "left")
        await _settled(pilot)
        _save(app.export_screenshot(), "run.svg")
        await pilot.press("escape", "t")
        await _settled(pilot)
        _save(app.export_screenshot(), "triage.svg")


async def _settled(pilot: "Pilot[int]") -> None:
    """Wait until three looks in a row are the same."""
    looks = [""]
    while len(looks) < 4 or len(set(looks[-3:])) > 1:
        await pilot.pause(0.5)
        looks.append(re.sub(r"\d\d:\d\d:\d\d|terminal-\d+", "", pilot.app.export_screenshot()))


def _save(svg: str, name: str) -> None:
    (HERE / name).write_text(re.sub(r"terminal-\d+", "terminal", svg), encoding="utf-8")


def rewrites(bench: Path) -> list[tuple[bytes, bytes]]:
    """What is replaced, the longest first: folders as they are and as a project's name in the client's files."""
    folders = {
        bench: "/bench",
        PACKAGE: "/python/gatecore",
        Path(sys.prefix): "/python",
        Path.home(): "/home/dev",
    }
    folders |= {Path(sys.base_prefix): "/python", Path(tempfile.gettempdir()): "/tmp"}
    pairs = [(str(path), name) for path, name in folders.items()]
    pairs += [(re.sub(r"[^A-Za-z0-9]", "-", a), re.sub(r"[^A-Za-z0-9]", "-", b)) for a, b in pairs]
    return sorted(((a.encode(), b.encode()) for a, b in pairs), key=lambda pair: -len(pair[0]))


def rewrite(data: bytes, names: list[tuple[bytes, bytes]]) -> bytes:
    """Replace every folder of this machine."""
    for old, new in names:
        data = data.replace(old, new)
    return data


def refit_hashes() -> None:
    """Chain the rewritten ledgers anew: the hash of a line changes with the paths in it."""
    from hashlib import sha256

    for ledger in HERE.glob("*/gate.jsonl"):
        last, lines = "", []
        for raw in ledger.read_bytes().splitlines():
            record = json.loads(raw)
            if "prev" in record:
                record["prev"] = last
            line = json.dumps(record, ensure_ascii=False).encode()
            last = sha256(line).hexdigest()
            lines.append(line + b"\n")
        ledger.write_bytes(b"".join(lines))


if __name__ == "__main__":
    pictures() if sys.argv[1:] == ["pictures"] else main()
