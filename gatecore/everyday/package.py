"""The copy of the hook in the home of a repository's gate, and the shell script that starts it."""

import hashlib
import json
import shlex
import shutil
from pathlib import Path

from gatecore.harness.gate_config import PACKAGE
from gatecore.hook.session.setup import Setup, digest, dump

WRAPPER = "gate"
GUARDED = "guarded.json"
_FILES = (
    "__init__.py",
    "text.py",
    "writer.py",
    "agents/__init__.py",
    "agents/claude.py",
    "checks/*.py",
    "checks/plugin/*.py",
    "gates/*.py",
    "hook/*.py",
    "hook/session/*.py",
    "ledger/__init__.py",
    "ledger/places.py",
    "ledger/writer.py",
    "prompts/writer.md",
    "snapshot/*.py",
)
_MAIN = """import sys

from gatecore.hook.session.__main__ import main

sys.exit(main())
"""


def unrecorded_ledger(setup: Setup) -> str:
    """The name of the run directory for stops that the shell script answers by itself."""
    return f"{setup.repo}-everyday-r0"


def copy_hook(home: Path) -> None:
    """Put the hook's package into the home, anew, with the hashes of its files."""
    new = home / "app.new"
    shutil.rmtree(new, ignore_errors=True)
    for pattern in _FILES:
        for file in sorted(PACKAGE.glob(pattern)):
            target = new / "gatecore" / file.relative_to(PACKAGE)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, target)
    (new / "__main__.py").write_text(_MAIN)
    old = home / "app"
    shutil.rmtree(home / "app.old", ignore_errors=True)
    if old.exists():
        old.rename(home / "app.old")
    new.rename(old)
    shutil.rmtree(home / "app.old", ignore_errors=True)
    files = {f"app/{f.relative_to(old)}": _sha256(f) for f in sorted(old.rglob("*.py"))}
    (home / GUARDED).write_text(json.dumps(files, indent=1) + "\n")


def write_setup(home: Path, setup: Setup, python: str) -> None:
    """Write the settings and, since it is told their hash, the shell script."""
    home.mkdir(parents=True, exist_ok=True)
    _write(home / "config.json", dump(setup))
    for name in ("runs", "unrecorded"):
        (home / name).mkdir(exist_ok=True)
    ledger = unrecorded_ledger(setup)
    meta = {"task": setup.repo, "cfg": "everyday", "rep": 0, "work": "", "name": ledger}
    _write(home / "unrecorded" / "meta.json", json.dumps({**meta, "harness": "gatecore", "tag": None}) + "\n")
    text = (Path(__file__).parent / "wrapper.sh").read_text()
    for slot, value in {
        "@PYTHON@": shlex.quote(python),
        "@HOME_DIR@": shlex.quote(str(home)),
        "@SHA256@": digest(str(home)),
        "@CLOSED@": "yes" if setup.mode == "block" and setup.on_error == "block" else "no",
        "@LEDGER@": ledger,
    }.items():
        text = text.replace(slot, value)
    _write(home / WRAPPER, text)
    (home / WRAPPER).chmod(0o755)


def pinned_python(home: Path) -> str:
    """The interpreter that the shell script starts, "" when there is no script."""
    try:
        lines = (home / WRAPPER).read_text().splitlines()
    except OSError:
        return ""
    return next(
        (shlex.split(line.removeprefix("python="))[0] for line in lines if line.startswith("python=")), ""
    )


def _write(path: Path, text: str) -> None:
    new = path.with_name(f"{path.name}.new")
    new.write_text(text)
    new.replace(path)


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
