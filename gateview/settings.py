"""The user's config file: keys, theme, notifications; and every other place that gateview writes to."""

import os
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, get_args

from platformdirs import user_cache_path, user_config_path, user_state_path

Notify = Literal["off", "bell", "desktop"]
_THEMES = ("dark", "light")
_KEY = re.compile(r"[a-zA-Z0-9_+]+|.")


class SettingsError(Exception):
    """The config file cannot be used; the message names file and key and says what can be put there."""


@dataclass(frozen=True, slots=True)
class Settings:
    """`keys` by id of the action, several with commas between; `notify` on a give-up and at a matrix's end.

    Without `clock` the header does not say what time it is, and nothing is drawn while nothing happens.
    """

    keys: Mapping[str, str] = field(default_factory=dict)
    theme: str = "dark"
    notify: Notify = "off"
    clock: bool = True


DEFAULTS = Settings()


def paths() -> dict[str, Path]:
    """Where gateview reads and writes, besides the runs."""
    return {
        "config": user_config_path("gateview") / "config.toml",
        "verdicts on runs that cannot be written to": user_state_path("gateview") / "triage",
        "last copied text": user_state_path("gateview") / "copied.txt",
        "cache of reports": user_cache_path("gateview"),
    }


def read_settings(known: Mapping[str, str], file: Path | None = None) -> Settings:
    """Read the config file, if there is one; `known` are the ids of actions with their keys.

    Raises SettingsError.
    """
    file = file or paths()["config"]
    try:
        data = tomllib.loads(file.read_text("utf-8"))
    except FileNotFoundError:
        return DEFAULTS
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as err:
        raise SettingsError(f"{file}: {err.strerror if isinstance(err, OSError) else err}") from None
    _refuse(file, "", data, ("keys", "theme", "notify", "clock"))
    bound = data.get("keys", {})
    if not isinstance(bound, dict):
        raise SettingsError(f"{file}: keys is a table, [keys]")
    _refuse(file, "keys.", bound, tuple(known))
    clock = data.get("clock", True)
    if not isinstance(clock, bool):
        raise SettingsError(f"{file}: clock is true or false")
    return Settings(
        keys={name: _keys(file, name, value) for name, value in bound.items()},
        theme=_one_of(file, "theme", data.get("theme", "dark"), _THEMES),
        notify=_one_of(file, "notify", data.get("notify", "off"), get_args(Notify)),  # type: ignore[arg-type]
        clock=clock,
    )


def keep_copied(text: str) -> Path:
    """Write what was copied to a file and return it. Raises OSError."""
    file = paths()["last copied text"]
    file.parent.mkdir(parents=True, exist_ok=True)
    temporary = file.with_name(f"{file.name}.{os.getpid()}")
    temporary.write_text(text, "utf-8", "replace")
    temporary.replace(file)
    return file


def _refuse(file: Path, where: str, found: Mapping[str, Any], known: tuple[str, ...]) -> None:
    for name in found:
        if name not in known:
            raise SettingsError(f"{file}: {where}{name} is unknown; known are {', '.join(sorted(known))}")


def _keys(file: Path, name: str, value: object) -> str:
    keys = [key.strip() for key in value.split(",")] if isinstance(value, str) else []
    if not keys or not all(_KEY.fullmatch(key) for key in keys):
        raise SettingsError(f'{file}: keys.{name} is one or more keys, such as "x" or "ctrl+x,f5"')
    return ",".join(keys)


def _one_of(file: Path, name: str, value: object, allowed: tuple[str, ...]) -> str:
    if value not in allowed:
        raise SettingsError(f"{file}: {name} is one of {', '.join(allowed)}")
    return str(value)
