"""What a bench may set in `bench.toml` and `configs.json`, with the defaults of the original kit."""

import json
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from gatecore.harness.errors import UsageError

Seconds = Annotated[float, Meta(gt=0)]
Positive = Annotated[int, Meta(gt=0)]


class _Settings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    pass


class SuiteSettings(_Settings, frozen=True, kw_only=True):
    """The repo's own suite. Without a command: `python -m pytest -q`, with the bench's .venv if it has one."""

    command: tuple[str, ...] = ()


class CheckSettings(_Settings, frozen=True, kw_only=True):
    """The environment of every check: variables that are set, and names of those that are let through."""

    env: dict[str, str] = {}
    pass_env: tuple[str, ...] = ()


class OracleSettings(_Settings, frozen=True, kw_only=True):
    """The hidden tests. `env` names variables that are given the path of the tree under test.

    `command` runs tests in another language than Python: ``{file}`` in it is ``hidden/test_<task>.<ending>``, and
    it leaves JUnit XML at $GATECORE_JUNIT, with the number of a requirement in each name ("req 3: rejects dates").
    """

    env: tuple[str, ...] = ("GATECORE_TREE", "TINYDB_TREE")
    command: tuple[str, ...] = ()


class ClientSettings(_Settings, frozen=True, kw_only=True):
    """The coding agent's client: `claude`, or the scripted one that plays the bench's `scripted/` folder."""

    kind: Literal["claude", "scripted"] = "claude"
    command: tuple[str, ...] = ("claude",)
    worker_model: str = "claude-sonnet-5-5"
    writer_model: str = "claude-sonnet-5-5"
    reviewer_model: str = "claude-sonnet-5-5"
    allowed_tools: tuple[str, ...] = (
        "Read", "Edit", "Write", "MultiEdit", "Glob", "Grep", "Skill", "TodoWrite",
        *(f"Bash({command}:*)" for command in (
            "uv", "python", "python3", "pytest", "ruff", "git status", "git diff", "git log", "ls", "cat",
            "mkdir", "mktemp", "head", "tail", "grep", "wc",
        )),
    )  # fmt: skip


class RenderSettings(_Settings, frozen=True, kw_only=True):
    """How gate 2 gets its pictures. `command` runs in a copy of the tree and leaves PNG files in $GATECORE_PAGES.

    ``{bench}`` in the command is the bench's folder, ``{python}`` its interpreter. A change of no path that matches
    one of `paths` is not looked at; ``*`` stays in a folder, ``**/`` goes through any number of them.
    """

    command: tuple[str, ...] = ()
    paths: Annotated[tuple[str, ...], Meta(min_length=1)] = tuple(
        f"**/*.{end}" for end in (
            "html", "htm", "css", "scss", "sass", "less", "js", "mjs", "jsx", "ts", "tsx", "vue", "svelte", "astro",
            "svg", "png", "jpg", "jpeg", "gif", "webp", "ico", "woff", "woff2",
        )
    )  # fmt: skip


class LimitSettings(_Settings, frozen=True, kw_only=True):
    """Bounds in seconds, turns, counts and characters."""

    worker_turns: Positive = 60
    worker_s: Seconds = 7200.0
    writer_turns: Positive = 12
    writer_s: Seconds = 600.0
    writer_attempts: Positive = 2
    reviewer_turns: Positive = 15
    reviewer_s: Seconds = 600.0
    suite_s: Seconds = 300.0
    acceptance_s: Seconds = 300.0
    oracle_s: Seconds = 300.0
    # The client takes no timeout of 0, and an old one none beyond its timers: either would be no hook at all.
    hook_s: Annotated[float, Meta(ge=1, le=1_000_000)] = 1500.0
    give_up: Positive = 6
    feedback_chars: Annotated[int, Meta(ge=300, le=9000)] = 1500
    diff_chars: Positive = 60_000
    render_s: Seconds = 120.0
    pictures: Positive = 20
    picture_bytes: Positive = 2_000_000
    file_bytes: Positive = 50_000_000


class Settings(_Settings, frozen=True, kw_only=True):
    """`bench.toml`."""

    suite: SuiteSettings = SuiteSettings()
    checks: CheckSettings = CheckSettings()
    oracle: OracleSettings = OracleSettings()
    client: ClientSettings = ClientSettings()
    gate2: RenderSettings = RenderSettings()
    limits: LimitSettings = LimitSettings()
    lanes: Positive = 3
    on_error: Literal["allow", "block"] = "allow"
    deny: tuple[str, ...] = ()


Mode = Literal["block", "advise", "observe"]


class Gate1Settings(_Settings, frozen=True, kw_only=True):
    """Gate 1 of a config."""

    mode: Mode = "block"


class Gate2Settings(_Settings, frozen=True, kw_only=True):
    """Gate 2 of a config; how pages are rendered is the bench's."""

    mode: Mode = "block"


class Gate3Settings(_Settings, frozen=True, kw_only=True):
    """Gate 3 of a config."""

    mode: Mode = "block"
    variant: Literal["indep", "adv"] = "indep"


class GateConfig(_Settings, frozen=True, kw_only=True):
    """One config of a matrix: the gates it has. ``true`` takes a gate as it is, a text names a variant.

    Gate 4 is the engineer: the result of a run is held until somebody signs it off.
    """

    gate1: Gate1Settings | bool | None = None
    gate2: Gate2Settings | bool | None = None
    gate3: Gate3Settings | Literal["indep", "adv"] | bool | None = None
    gate4: bool | None = None

    def gates(self) -> dict[str, dict[str, str]]:
        """The gates that are on at a stop, by record key, as the hook's configuration has them."""
        found: dict[str, dict[str, str]] = {}
        if self.gate1:
            chosen1 = self.gate1 if isinstance(self.gate1, Gate1Settings) else Gate1Settings()
            found["gate1"] = {"mode": chosen1.mode}
        if self.gate2:
            chosen2 = self.gate2 if isinstance(self.gate2, Gate2Settings) else Gate2Settings()
            found["gate2"] = {"mode": chosen2.mode}
        if self.gate3:
            chosen3 = self.gate3
            if isinstance(chosen3, str):
                chosen3 = Gate3Settings(variant=chosen3)
            elif isinstance(chosen3, bool):
                chosen3 = Gate3Settings()
            found["gate3"] = {"mode": chosen3.mode, "variant": chosen3.variant}
        return found


DEFAULT_CONFIGS = {
    "bare": GateConfig(),
    "g1": GateConfig(gate1=True),
    "g3": GateConfig(gate3="indep"),
    "g13": GateConfig(gate1=True, gate3="indep"),
    "g13adv": GateConfig(gate1=True, gate3="adv"),
}
"""The configs of the default matrix."""
MORE_CONFIGS = {
    "g2": GateConfig(gate2=True),
    "g1234": GateConfig(gate1=True, gate2=True, gate3="indep", gate4=True),
}
"""Configs that are there beside them, to be asked for by name."""


def load_settings(path: Path) -> Settings:
    """Read `bench.toml`; without the file, the defaults. Raises UsageError naming the key that is wrong."""
    if not path.exists():
        return Settings()
    try:
        return msgspec.toml.decode(path.read_bytes(), type=Settings)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError) as err:
        raise UsageError(f"{path}: {err}") from None


def load_configs(path: Path) -> dict[str, GateConfig]:
    """Read `configs.json`; without the file, the five configs. Raises UsageError naming config and key."""
    if not path.exists():
        return dict(DEFAULT_CONFIGS)
    try:
        raw: Any = json.loads(path.read_bytes())
    except (OSError, ValueError) as err:
        raise UsageError(f"{path}: {err}") from None
    if not isinstance(raw, dict):
        raise UsageError(f"{path}: must be an object of configs by name")
    configs = {}
    for name, value in raw.items():
        if not name or "-" in name or "/" in name:
            raise UsageError(
                f"{path}: config {name!r}: a name holds no dash and no slash (it is part of a run's name)"
            )
        try:
            configs[name] = msgspec.convert(value, GateConfig)
        except msgspec.ValidationError as err:
            raise UsageError(f"{path}: config {name!r}: {err}") from None
    return configs
