"""Replace what tells of a machine and its people: folders, user and host names, and what looks like a secret.

Replacing is consistent: one name, one replacement, in all files of an export.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from gateview.export.secrets import REPLACEMENT, names_a_secret, without_secrets

_HOME = re.compile(r"(?P<parent>/home/|/Users/|\\Users\\)(?P<user>[^\s/\\\"'<>:;,*?()\[\]{}|]+)")
_PATH = re.compile(r"(?:/[A-Za-z0-9_.@+-]+){2,}")
_MAIL = re.compile(r"[A-Za-z0-9_.+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+")
_LOCAL_HOST = re.compile(r"\b[A-Za-z0-9-]+\.(?:local|lan|internal|intranet|corp|localdomain)\b")
_ADDRESS = re.compile(
    r"(?<![\d.])(?!127\.|0\.0\.0\.0)(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)(?![\d.])"
)
_STANDARD = frozenset(
    (
        "usr", "bin", "sbin", "lib", "lib64", "etc", "dev", "proc", "sys", "tmp", "var", "opt", "nix", "run",
        "root", "home", "bench", "System", "Library", "Applications", "private", "Users",
    )
)  # fmt: skip
"""Folders in the root of a file system that say nothing of whose it is."""
_COMMON = frozenset(
    ("root", "user", "admin", "runner", "home", "test", "tests", "bench", "work", "runs", "git")
)
"""Names of users that are words as well: replaced only as a home folder's name."""
_SHORTEST = 3


@dataclass(frozen=True)
class Names:
    """What is replaced: `folders` (path, replacement), `users`, `hosts`; words in `kept` never are."""

    folders: tuple[tuple[str, str], ...] = ()
    users: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    kept: frozenset[str] = frozenset()

    def text(self, text: str) -> str:
        """Return `text` without these names, and without what looks like a secret."""
        text = without_secrets(text)
        for pattern, replacement in self._folders:
            text = pattern.sub(replacement, text)
        text = _HOME.sub(lambda match: match["parent"] + self._user(match["user"]), text)
        text = _MAIL.sub("someone@example.org", text)
        for pattern, replacement in self._words:
            text = pattern.sub(replacement, text)
        return _ADDRESS.sub("192.0.2.1", _LOCAL_HOST.sub("host.local", text))

    def value(self, value: Any) -> Any:
        """The same for every text in a JSON value, names of fields included."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, list):
            return [self.value(item) for item in value]
        if isinstance(value, dict):
            return {
                self.text(key): REPLACEMENT
                if names_a_secret(key) and isinstance(item, str)
                else self.value(item)
                for key, item in value.items()
            }
        return value

    def _user(self, name: str) -> str:
        return f"user{self.users.index(name) + 1}" if name in self.users else name

    @cached_property
    def _folders(self) -> list[tuple[re.Pattern[str], str]]:
        """Folders as paths, and as the client writes them in the names of its own folders; longest first."""
        pairs = [*self.folders, *((_slug(old), _slug(new)) for old, new in self.folders)]
        return [
            (re.compile(rf"(?<![A-Za-z0-9_.-]){re.escape(old)}(?![A-Za-z0-9_])"), new)
            for old, new in sorted(pairs, key=lambda pair: -len(pair[0]))
        ]

    @cached_property
    def _words(self) -> list[tuple[re.Pattern[str], str]]:
        users = [(name, self._user(name)) for name in self.users if name not in _COMMON]
        names = [*users, *((host, "host") for host in self.hosts)]
        return [
            (re.compile(rf"(?<![A-Za-z0-9]){re.escape(name)}(?![A-Za-z0-9])"), new)
            for name, new in sorted(names, key=lambda pair: -len(pair[0]))
            if len(name) >= _SHORTEST and name not in self.kept
        ]


def users_in(text: str) -> Iterator[str]:
    """Names of users whose home folders `text` names."""
    for match in _HOME.finditer(text):
        yield match["user"]


def paths_in(value: Any) -> Iterator[str]:
    """Absolute paths in the texts of a JSON value."""
    if isinstance(value, str):
        yield from _PATH.findall(value)
    elif isinstance(value, list | dict):
        for item in value.values() if isinstance(value, dict) else value:
            yield from paths_in(item)


def folders_of(benches: Iterable[str], paths: Iterable[str]) -> tuple[tuple[str, str], ...]:
    """What stands for each bench's folder (``/bench``), and for other folders outside the standard ones."""
    named = sorted({bench for bench in benches if bench.count("/") > 1 or bench[1:] not in _STANDARD})
    found = {bench: f"/bench{i or ''}" for i, bench in enumerate(named) if bench != "/"}
    for path in sorted(set(paths)):
        parts = path.split("/")
        if parts[1] not in _STANDARD and not any(path == old or path.startswith(f"{old}/") for old in found):
            found["/".join(parts[:3])] = f"/path{sum(new.startswith('/path') for new in found.values()) + 1}"
    return tuple(found.items())


def _slug(path: str) -> str:
    return re.sub(r"[^A-Za-z0-9]", "-", path)
