"""What the hook needs to know, as the harness wrote it into `gate-config.json` at the start of a run."""

import hashlib
import json
from typing import Any, NamedTuple


class Limits(NamedTuple):
    """Bounds of one stop: seconds, counts and characters."""

    budget_s: float = 1440.0
    suite_s: float = 300.0
    acceptance_s: float = 300.0
    oracle_s: float = 300.0
    reviewer_s: float = 600.0
    reviewer_turns: int = 15
    give_up: int = 6
    feedback_chars: int = 1500
    diff_chars: int = 60_000
    render_s: float = 120.0
    pictures: int = 20
    picture_bytes: int = 2_000_000


class GateSettings(NamedTuple):
    """One gate of a config."""

    mode: str = "block"  # block, advise or observe
    variant: str = "indep"  # gate 3: indep or adv
    paths: tuple[str, ...] | None = None  # patterns of what it looks at (``!`` leaves out); None: all


class Tests(NamedTuple):
    """Tests that lie outside the judged tree: the acceptance tests or the oracle's."""

    file: str
    command: tuple[str, ...]  # runs the file against the tree that is the working directory
    env: tuple[str, ...] = ()  # names of variables that are given the tree's path


class Render(NamedTuple):
    """How pages become pictures, for gate 2."""

    command: tuple[str, ...]  # renders the tree that is the working directory
    paths: tuple[str, ...]  # patterns; a change of no path that matches one is not looked at


class Client(NamedTuple):
    """How the agent's client is started."""

    command: tuple[str, ...]
    env: dict[str, str]
    reviewer_model: str


class Suite(NamedTuple):
    """A suite of a repo that may have several. What `base` says matters only where it fails at the stop."""

    folder: str  # where it runs, seen from the root of the tree; "" is the root
    command: tuple[str, ...]
    base: str = ""  # its gate verdict on the base tree; "" until it is asked for
    base_why: str = ""


class Base(NamedTuple):
    """The state that the request started from, and what the suite said of it."""

    commit: str
    tree: str
    suite: str  # gate verdict of the suite on the base tree
    suite_why: str
    modules: tuple[str, ...]  # top-level names of the base tree


class Config(NamedTuple):
    """Everything that one stop of a run is judged by. Paths are absolute."""

    run: str  # run directory
    state: str  # the gate's own directory for this run
    work: str  # where the agent works
    request: str
    gates: dict[str, GateSettings]  # by record key: gate1, gate2, gate3
    suite: tuple[str, ...]
    acceptance: Tests | None
    oracle: Tests | None
    base: Base
    limits: Limits
    client: Client | None
    prompts: dict[str, str]  # templates by role: reviewer, challenger, ui
    env: dict[str, str]  # set for every check
    pass_env: tuple[str, ...]  # names let through to every check
    on_error: str  # allow or block
    guarded: dict[str, str]  # path -> SHA-256 at the start
    hidden_paths: tuple[str, ...]  # folders that must not be named to the agent
    render: Render | None = None
    suites: tuple[Suite, ...] = ()  # when there are any, they are run in place of `suite`
    link: tuple[str, ...] = ()  # what a copy has as links to the work tree: ignored files that checks need
    inplace: bool = False  # checks run in the work tree itself


class ConfigError(Exception):
    """The file is not what the harness wrote; the message says how."""


def load(path: str, sha256: str) -> Config:
    """Read `gate-config.json` and hold it to the hash the client was given. Raises ConfigError, OSError."""
    with open(path, "rb") as file:
        raw = file.read()
    if hashlib.sha256(raw).hexdigest() != sha256:
        raise ConfigError("the gate's configuration was changed after the run began")
    try:
        return from_dict(json.loads(raw))
    except (ValueError, TypeError, KeyError) as err:
        raise ConfigError(f"{path}: {err!r}") from None


def from_dict(data: dict[str, Any]) -> Config:
    """Build a Config from decoded JSON. Raises KeyError or TypeError where something is missing."""

    def tests(value: dict[str, Any] | None) -> Tests | None:
        return Tests(value["file"], tuple(value["command"]), tuple(value["env"])) if value else None

    client, render = data["client"], data.get("render")
    return Config(
        **{
            **data,
            "gates": {key: _gate(value) for key, value in data["gates"].items()},
            "suite": tuple(data["suite"]),
            "acceptance": tests(data["acceptance"]),
            "oracle": tests(data["oracle"]),
            "base": Base(**{**data["base"], "modules": tuple(data["base"]["modules"])}),
            "limits": Limits(**data["limits"]),
            "client": client and Client(**{**client, "command": tuple(client["command"])}),
            "pass_env": tuple(data["pass_env"]),
            "hidden_paths": tuple(data["hidden_paths"]),
            "render": render and Render(tuple(render["command"]), tuple(render["paths"])),
            "suites": tuple(Suite(**{**s, "command": tuple(s["command"])}) for s in data.get("suites", ())),
            "link": tuple(data.get("link", ())),
        }
    )


def _gate(value: dict[str, Any]) -> GateSettings:
    paths = value.get("paths")
    return GateSettings(**{**value, "paths": paths if paths is None else tuple(paths)})


def to_dict(config: Config) -> dict[str, Any]:
    """The JSON form of a Config."""
    plain: dict[str, Any] = config._asdict()
    for key in ("acceptance", "oracle", "base", "limits", "client", "render"):
        plain[key] = plain[key] and plain[key]._asdict()
    plain["suites"] = [suite._asdict() for suite in config.suites]
    plain["gates"] = {key: settings._asdict() for key, settings in config.gates.items()}
    return plain
