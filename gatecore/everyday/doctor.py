"""Whether the gate of a repository works: each thing that can go wrong without a word is tried."""

import json
import os
import subprocess
import time
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from gatecore.agents.version import client_version
from gatecore.everyday import edits
from gatecore.everyday.install import installed, records
from gatecore.everyday.measure import Measured, measure
from gatecore.everyday.package import GUARDED, WRAPPER, pinned_python
from gatecore.everyday.status import Counts, count
from gatecore.harness.validate.step import Step
from gatecore.hook.session.setup import Setup, digest
from gatecore.hook.stop import tampered
from gatecore.ledger.places import Repo

DAYS = 14
_NEVER_S = 24 * 3600
_SOURCES = {
    ".py", ".js", ".mjs", ".cjs", ".ts", ".tsx", ".jsx", ".go", ".rs", ".rb", ".java", ".kt", ".c", ".cc", ".cpp",
    ".h", ".cs", ".php", ".swift", ".ex", ".exs", ".scala",
}  # fmt: skip


def doctor(repo: Repo) -> Iterator[Step]:
    """Try one thing after the other. Raises UsageError when nothing is installed."""
    home, setup = installed(repo)
    found = records(home)
    yield from _settings(repo, found)
    yield _hook(home)
    yield _interpreter(home)
    yield _client(setup)
    counts = count(home / "runs", DAYS)
    yield ran(counts, found)
    yield _silent(counts)
    measured = measure(home, repo, setup)
    yield from _suites(measured)
    if not setup.inplace and all(one.result.verdict == "pass" for one in measured):
        yield _copy(home, repo, setup)


def ran(counts: Counts, found: list[dict[str, Any]]) -> Step:
    """Whether the gate ran at all: one that is installed and never does is an alarm."""
    name = f"it ran in the last {DAYS} days"
    if counts.last is None:
        fresh = any(time.time() - record.get("at", 0) < _NEVER_S for record in found)
        said = "no stop since it was installed"
        return Step(name, fresh, said if fresh else f"{said}: does the client read these settings?")
    days = (datetime.now(UTC) - counts.last).days
    return Step(name, days <= DAYS, f"last {counts.last:%Y-%m-%d %H:%M} UTC")


def _settings(repo: Repo, found: list[dict[str, Any]]) -> Iterator[Step]:
    if not found:
        yield Step("the hook is in the settings", False, "nowhere; run: gatecore install")
    for record in found:
        file = record["settings"]["file"]
        holds = edits.holds(record["settings"])
        yield Step(
            "the hook is in the settings", holds, file if holds else f"not in {file}; run: gatecore install"
        )
    for file in _settings_files(repo):
        try:
            settings = json.loads(file.read_bytes())
        except FileNotFoundError:
            continue
        except (OSError, ValueError) as err:
            yield Step("the settings can be read", False, f"{file}: {err}; the client ignores such a file")
            continue
        if isinstance(settings, dict) and settings.get("disableAllHooks"):
            yield Step("hooks are not switched off", False, f"{file}: disableAllHooks")


def _settings_files(repo: Repo) -> list[Path]:
    own = os.environ.get("CLAUDE_CONFIG_DIR")
    user = Path(own) if own else Path.home() / ".claude"
    project = Path(repo.top) / ".claude"
    return [user / "settings.json", project / "settings.json", project / "settings.local.json"]


def _hook(home: Path) -> Step:
    name = "the hook is as it was installed"
    if not os.access(home / WRAPPER, os.X_OK):
        return Step(name, False, f"{home / WRAPPER}: gone; run: gatecore install")
    try:
        guarded: Mapping[str, str] = json.loads((home / GUARDED).read_bytes())
    except (OSError, ValueError) as err:
        return Step(name, False, f"{home / GUARDED}: {err}")
    changed = tampered({str(home / path): sha256 for path, sha256 in guarded.items()})
    if digest(str(home)) not in (home / WRAPPER).read_text():
        changed.append(str(home / "config.json"))
    return Step(name, not changed, f"changed: {', '.join(changed)}; run: gatecore install" if changed else "")


def _interpreter(home: Path) -> Step:
    python = pinned_python(home)
    name = "its interpreter runs"
    try:
        done = subprocess.run(
            [python, "-I", "-S", "-c", "import sys; print('%d.%d' % sys.version_info[:2])"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
    except (OSError, ValueError, subprocess.TimeoutExpired) as err:
        return Step(name, False, f"{python}: {err}; run: gatecore install")
    version = done.stdout.strip()
    fine = done.returncode == 0 and tuple(map(int, version.split("."))) >= (3, 11)
    return Step(name, fine, f"{python}: {version or done.stderr.strip()[-200:]}")


def _client(setup: Setup) -> Step:
    name = "the client is one that the gate holds against"
    try:
        version = client_version(setup.client)
    except OSError as err:
        return Step(name, False, f"{setup.client[0]}: {err.strerror or err}")
    return Step(name, version.problem is None, version.problem or version.text)


def _silent(counts: Counts) -> Step:
    """What failed without anybody being told."""
    kinds = ("error", "killed", "by the script", "tampered", "not judged")
    bad = {kind: counts.recent[kind] for kind in kinds if counts.recent[kind]}
    whys = [f"{why} ({n})" for why, n in counts.whys.most_common() if not why.startswith("skipped")][:3]
    said = ", ".join(f"{n} {kind}" for kind, n in bad.items())
    return Step(f"nothing failed silently in {DAYS} days", not bad, "; ".join([said, *whys]) if bad else "")


def _suites(measured: tuple[Measured, ...]) -> Iterator[Step]:
    for one in measured:
        where = f" in {one.suite.folder}" if one.suite.folder else ""
        said = f"{one.result.verdict} in {one.result.seconds:.1f} s"
        if one.result.verdict == "fail":
            said += "; red now: stops that start from here are not judged"
        why = f": {one.result.why}" if one.result.why else ""
        yield Step(f"the suite{where} can be judged", one.result.verdict != "not_judged", said + why)


def _copy(home: Path, repo: Repo, setup: Setup) -> Step:
    """Whether the suites judge the copy: with every source file of a copy spoilt, none of them can be green."""
    measured = measure(home, repo, setup, _spoil)
    green = [one.suite.folder or "." for one in measured if one.result.verdict == "pass"]
    said = f"green on a copy that is spoilt, in {', '.join(green)}: it tests something else" if green else ""
    return Step("the suite judges the copy and not the work tree", not green, said)


def _spoil(copy: Path) -> None:
    for file in copy.rglob("*"):
        if (
            file.suffix in _SOURCES
            and file.is_file()
            and not file.is_symlink()
            and not _is_linked(file, copy)
        ):
            file.write_text("this is no code: (\n")


def _is_linked(file: Path, copy: Path) -> bool:
    """Whether a file of the copy lies behind a link, in the work tree itself."""
    return any(folder.is_symlink() for folder in file.parents if folder.is_relative_to(copy))
