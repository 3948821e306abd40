"""Replace what tells of a machine and its people: folders, user and host names, and what looks like a secret.

Replacing is consistent: one name, one replacement, in all files of an export.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from gateview.export.secrets import REPLACEMENT, names_a_secret, without_secrets

_HOME = re.compile(r"(?P<parent>/home/|/Users/|\\+Users\\+)(?P<user>[^\s/\\\"'<>:;,*?()\[\]{}|]+)")
_PATH = re.compile(r"(?:/[A-Za-z0-9_.@+-]+){2,}")
_LONG_PATH = re.compile(r"(?<![A-Za-z0-9_./:@-])(?:/[A-Za-z0-9_.@+-]+){3,}")
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9._-]{2,40}")
_MAIL = re.compile(r"[A-Za-z0-9_.+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+")
_AUTHOR = re.compile(
    r"(?P<role>\b(?:Author|Committer|From|Signed-off-by|Co-authored-by|Reviewed-by): +)[^<>\n]{1,100}(?= <)",
    re.IGNORECASE,
)
_PROMPT = re.compile(r"\b(?P<user>[a-z_][a-z0-9_-]*)@(?P<host>[A-Za-z0-9][A-Za-z0-9-]*):(?=[~/])")
_LOCAL_HOST = re.compile(r"\b[A-Za-z0-9-]+\.(?:local|lan|internal|intranet|corp|localdomain)\b")
_ADDRESS = re.compile(
    r"(?<![\d.])(?!127\.|0\.0\.0\.0)(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)(?![\d.])"
)
_STANDARD = frozenset(
    ("usr", "bin", "sbin", "lib", "lib64", "etc", "dev", "proc", "sys", "nix", "bench", "System", "Library",
     "Applications")
)  # fmt: skip
"""Folders in the root of a file system that say nothing of whose it is."""
_SHARED = frozenset(("root", "home", "Users", "tmp", "var", "opt", "run", "private", "mnt", "srv", "media"))
"""Folders in the root that hold what is somebody's: it is replaced, they are not."""
_PLAIN = frozenset(("venv", "bin", "lib", "src", "tests", "site-packages", "node_modules", "runs", "work"))
"""Folders that say nothing of whose they are, nor what is below them; nor does one that begins with a dot."""
_OF_USERS = frozenset(("user", "username", "user_name", "login", "by", "author", "owner"))
_OF_HOSTS = frozenset(("host", "hostname", "host_name", "nodename", "machine"))
"""Names of fields that hold the name of a person, or of a machine."""
_COMMON = frozenset(
    (
        "root", "user", "admin", "runner", "home", "test", "tests", "bench", "work", "runs", "git", "host",
        "localhost", "claude", "assistant", "system", "tool", "someone",
        # what ledgers are written with
        "block", "allow", "give_up", "error", "skipped", "pass", "fail", "not_judged", "judged", "broken", "absent",
        "minor", "blocking", "upheld", "rejected", "unanswered", "right", "false", "unsure", "suite", "acceptance",
        "advise", "observe", "indep", "adv", "success", "planned", "scored", "invalid", "failed", "writer",
        "worker",
    )
)  # fmt: skip
"""Names of users and hosts that are words as well: replaced only as a home folder's name."""
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
        pattern, replacements = self._folders
        text = pattern.sub(lambda match: replacements[match.group()], text)
        text = _HOME.sub(lambda match: match["parent"] + self._user(match["user"]), text)
        text = _AUTHOR.sub(lambda match: f"{match['role']}Someone", text)
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
    def _folders(self) -> tuple[re.Pattern[str], dict[str, str]]:
        """Folders as paths, and as the client writes them in the names of its own folders; longest first."""
        pairs = {**{_slug(old): _slug(new) for old, new in self.folders}, **dict(self.folders)}
        either = "|".join(re.escape(old) for old in sorted(pairs, key=len, reverse=True)) or r"(?!)"
        return re.compile(rf"(?<![A-Za-z0-9_.-])(?:{either})(?![A-Za-z0-9_])"), pairs

    @cached_property
    def _words(self) -> list[tuple[re.Pattern[str], str]]:
        users = [(name, self._user(name)) for name in self.users]
        names = [*users, *((host, "host") for host in self.hosts)]
        return [
            (re.compile(rf"(?<![A-Za-z0-9]){re.escape(name)}(?![A-Za-z0-9])"), new)
            for name, new in sorted(names, key=lambda pair: -len(pair[0]))
            if len(name) >= _SHORTEST and name not in self.kept and name.lower() not in _COMMON
        ]


class Told(NamedTuple):
    """What texts tell of a machine and its people; filled by `told`."""

    paths: set[str]
    users: set[str]
    hosts: set[str]


def told_by_text(text: str, told: Told) -> None:
    """Add the users, hosts and folders that `text` names: home folders, prompts of a shell, tracebacks."""
    told.users.update(match["user"] for match in _HOME.finditer(text))
    for match in _PROMPT.finditer(text):
        told.users.add(match["user"])
        told.hosts.add(match["host"])
    told.paths.update(_LONG_PATH.findall(text))


def told_by_value(value: Any, told: Told, *, every: bool = False) -> None:
    """The same of a JSON value: texts that are paths (with `every`: that hold some), and fields that name."""
    if isinstance(value, str):
        told_by_text(value, told)
        found = _PATH.findall(value) if every else [value] if _PATH.fullmatch(value) else ()
        told.paths.update(found)
    elif isinstance(value, list):
        for item in value:
            told_by_value(item, told, every=every)
    elif isinstance(value, dict):
        for key, item in value.items():
            if isinstance(item, str) and _NAME.fullmatch(item):
                if key.lower() in _OF_USERS:
                    told.users.add(item)
                elif key.lower() in _OF_HOSTS:
                    told.hosts.add(item)
            told_by_value(item, told, every=every)


def folders_of(benches: Iterable[str], paths: Iterable[str]) -> tuple[tuple[str, str], ...]:
    """What stands for each bench's folder (``/bench``), and for other folders outside the standard ones."""
    named = sorted(
        {bench for bench in benches if bench.count("/") > 1 or bench[1:] not in _STANDARD | _SHARED}
    )
    found = {bench: f"/bench{i or ''}" for i, bench in enumerate(named) if bench != "/"}
    own = {
        _owned(path) for path in paths if not any(path == old or path.startswith(f"{old}/") for old in found)
    }
    folders = sorted(folder for folder in own if folder)
    return *found.items(), *((folder, f"/path{i}") for i, folder in enumerate(folders, 1))


def _owned(path: str) -> str | None:
    """The part of `path` that may tell whose it is, or what of; None for one of the system."""
    parts = path.split("/")
    if parts[1] in _STANDARD:
        return None
    plain = (i for i, part in enumerate(parts) if i > 1 and (part in _PLAIN or part[0] == "."))
    end = next(plain, len(parts) - ("." in parts[-1]))
    least = {"home": 4, "Users": 4}.get(parts[1], 3 if parts[1] in _SHARED else 2)
    return "/".join(parts[:end]) if end >= least else None


def _slug(path: str) -> str:
    return re.sub(r"[^A-Za-z0-9]", "-", path)
