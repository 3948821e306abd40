"""What a replay is asked to do, and the hashes by which two of them are told apart."""

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gatecore.harness.bench import Bench
from gatecore.harness.errors import UsageError
from gatecore.harness.settings import LimitSettings
from gatecore.hook import config as hook
from gatecore.ledger.replays import FOLDER, META, folder_of, read_replay
from gatecore.ledger.writer import VERSION, now, write_json

_NAME = re.compile(r"[\w][\w.-]*")


@dataclass(frozen=True)
class Asked:
    """A replay, as asked for. `oracle` and `tests` are folders of test files."""

    name: str
    oracle: Path | None
    cfg: str | None
    gates: Mapping[str, Mapping[str, str]]  # by record key, as the hook's configuration has them
    tests: Path | None
    repeat: int

    @property
    def calls_client(self) -> bool:
        """Whether a gate asks an agent: every gate but the first does."""
        return bool(self.gates.keys() - {"gate1"})

    def oracle_of(self, task: str) -> Path | None:
        """The oracle's file for a task, None when there is none."""
        return _existing(self.oracle, f"test_{task}.py")

    def tests_of(self, task: str) -> Path | None:
        """The acceptance tests that were named for a task, None when there are none."""
        return _existing(self.tests, f"test_{task}.py") or _existing(
            self.tests, f"{task}/gate_tests/test_{task}.py"
        )


def asked(
    bench: Bench, oracle: Path | None, cfg: str | None, tests: Path | None, name: str | None, repeat: int
) -> Asked:
    """What to do, given what the user named; with neither oracle nor gates, the bench's own oracle.

    Raises UsageError where it cannot be done.
    """
    if oracle is None and cfg is None:
        oracle = bench.root / "hidden"
    gates = bench.config(cfg).gates() if cfg else {}
    if cfg and not gates:
        raise UsageError(f"--gates {cfg}: this config has no gate")
    for folder, option in ((oracle, "--oracle"), (tests, "--tests")):
        if folder and not any(folder.rglob("test_*.py")):
            raise UsageError(
                f"{option} {folder}: no test_<task>.py in it"
                if folder.is_dir()
                else f"{option} {folder}: no such folder"
            )
    if tests and "gate1" not in gates:
        raise UsageError("--tests names acceptance tests of gate 1: add --gates with a config that has it")
    words = [
        oracle and oracle.resolve().name,
        cfg,
        tests and tests.resolve().name,
        f"x{repeat}" if repeat > 1 else None,
    ]
    chosen = name or "-".join(re.sub(r"[^\w.]+", "_", word).strip(".") or "_" for word in words if word)
    if not _NAME.fullmatch(chosen):
        raise UsageError(f"--name {chosen!r}: must be letters, digits, dots, dashes and underscores")
    return Asked(chosen, oracle and oracle.resolve(), cfg, gates, tests and tests.resolve(), repeat)


def settings(bench: Bench, asked: Asked) -> dict[str, str]:
    """A hash of each part of what is asked that a verdict depends on."""
    own = bench.settings
    parts: dict[str, Any] = {
        "oracle": _contents(asked.oracle),
        "gates": asked.gates,
        "tests": _contents(asked.tests),
        "repeat": asked.repeat,
        "checks": [own.checks.env, own.checks.pass_env, own.oracle.env, bench.python, *_limits(own.limits)],
    }
    if "gate1" in asked.gates:
        parts["suite"] = bench.suite_command()
    if asked.calls_client:
        prompts = [bench.prompt(role) for role in ("reviewer", "challenger")]
        parts["reviewers"] = [*prompts, own.client.kind, own.client.command, own.client.reviewer_model]
    if "gate2" in asked.gates:
        render = [bench.render_command(), own.gate2.paths, own.limits.render_s, own.limits.pictures]
        parts["ui"] = [
            bench.prompt("ui"),
            *render,
            own.client.kind,
            own.client.command,
            own.client.reviewer_model,
        ]
    return {
        name: hashlib.sha256(json.dumps(part, sort_keys=True).encode()).hexdigest()[:16]
        for name, part in parts.items()
    }


def refuse_others(folders: Iterable[Path], name: str, parts: Mapping[str, str]) -> None:
    """Raise UsageError where a run in these runs folders has a replay of this name with other settings."""
    for folder in folders:
        for meta in sorted(folder.glob(f"*/{FOLDER}/{name}/{META}")):
            replay = read_replay(meta.parents[2], name)
            known = replay.meta.settings if replay else {}
            other = sorted(part for part in known.keys() | parts.keys() if known.get(part) != parts.get(part))
            if other:
                raise UsageError(
                    f"{meta.parent}: was made with other settings ({', '.join(other)}); "
                    "give this replay another --name"
                )


def open_replay(run: Path, asked: Asked, parts: Mapping[str, str]) -> Path:
    """The folder of this replay of a run, which is made where it is not there."""
    folder = folder_of(run, asked.name)
    if (folder / META).is_file():
        return folder
    folder.mkdir(parents=True, exist_ok=True)
    meta = {
        "v": VERSION,
        "name": asked.name,
        "ts": now(),
        "oracle": asked.oracle and str(asked.oracle),
        "cfg": asked.cfg,
        "gates": asked.gates,
        "tests": asked.tests and str(asked.tests),
        "repeat": asked.repeat,
        "settings": parts,
    }
    write_json(str(folder / META), meta)
    return folder


def tests(bench: Bench, file: Path | None) -> hook.Tests | None:
    """How the tests in `file` are run."""
    return hook.Tests(str(file), bench.tests_command(file), bench.settings.oracle.env) if file else None


def _limits(limits: LimitSettings) -> tuple[float, ...]:
    return limits.suite_s, limits.acceptance_s, limits.oracle_s


def _existing(folder: Path | None, name: str) -> Path | None:
    return folder / name if folder and (folder / name).is_file() else None


def _contents(folder: Path | None) -> list[list[str]]:
    """Name and hash of every file that the tests in a folder may read."""
    return list(_hashes(folder)) if folder else []


def _hashes(folder: Path) -> Iterator[list[str]]:
    for path in sorted(folder.rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts and not path.name.startswith("testwriter."):
            yield [str(path.relative_to(folder)), hashlib.sha256(path.read_bytes()).hexdigest()]
