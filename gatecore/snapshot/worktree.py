"""What is in a work tree now, against a base: which files there are, and what each of them holds."""

import os
import re
import stat
from collections.abc import Iterable
from contextlib import suppress
from typing import NamedTuple

from gatecore.snapshot.files import Files, NotHeldError
from gatecore.snapshot.git import git
from gatecore.snapshot.objects import SUBMODULE, Entries, unique, write_whole

_UNREADABLE = re.compile(r"^warning: could not open directory '(.*?)/?': ([^\n]*)$", re.MULTILINE | re.DOTALL)
_REFUSED = re.compile(r"(?:^|[/\\])(?:\.git|git~1)[ .]*(?:$|[/\\:])", re.IGNORECASE)


class Unheld(NamedTuple):
    """Something in the work tree that a snapshot does not hold: the tree has what the base has there."""

    path: str
    why: str


class Listing(NamedTuple):
    """The files of a work tree that are not in an index and not ignored."""

    paths: list[str]
    unheld: list[Unheld]  # nested repositories, folders that cannot be read


class State(NamedTuple):
    """A work tree against a base."""

    entries: Entries  # all that it holds
    changed: list[str]
    unheld: list[Unheld]


def others(git_dir: str, work: str, index: str, ignores: str) -> Listing:
    """List the files of `work` that are not in `index`, by the rules `ignores` and no others."""
    rules = unique(f"{git_dir}/gate/ignores")
    try:
        write_whole(rules, os.fsencode(ignores))
        out, err = git(
            git_dir, "ls-files", "-z", "--others", f"--exclude-from={rules}", work=work, index=index
        )
    finally:
        with suppress(FileNotFoundError):
            os.unlink(rules)
    found = os.fsdecode(out).split("\0")[:-1]
    nested = [Unheld(path[:-1], "nested repository") for path in found if path.endswith("/")]
    shut = [Unheld(path, f"cannot be read: {why}") for path, why in _UNREADABLE.findall(err)]
    return Listing([path for path in found if not path.endswith("/")], nested + shut)


def read(files: Files, base: Entries, large: dict[str, int], new: Iterable[str], limit: int) -> State:
    """Read the files of `base` and the `new` ones.

    Files over `limit` bytes are not held; `large` has the sizes (bytes) of those that `base` holds all the same.
    """
    reader = _Reader(files, large, limit)
    entries, changed, unheld = dict(base), [], []
    for path, old in [*base.items(), *((path, None) for path in new)]:
        try:
            entry = reader.entry(path, old)
        except NotHeldError as error:
            unheld.append(Unheld(path, str(error)))
            continue
        if entry == old:
            continue
        changed.append(path)
        if entry is None:
            del entries[path]
        else:
            entries[path] = entry
    return State(entries, changed, unheld)


class _Reader:
    def __init__(self, files: Files, large: dict[str, int], limit: int) -> None:
        self._files = files
        self._large = large
        self._limit = limit
        self._real = {"": True}

    def entry(self, path: str, base: str | None) -> str | None:
        """The entry of a file; None when there is none. Raises NotHeldError."""
        if base is None and _REFUSED.search(path):
            raise NotHeldError("git refuses this name")
        try:
            status = self._lstat(path)
            if base is not None and base.startswith(SUBMODULE):
                return self._submodule(path, status, base)
            if status is None or stat.S_ISDIR(status.st_mode):
                return None
            return self._held(path, status, base)
        except OSError as error:
            raise NotHeldError(f"cannot be read: {error.strerror}") from error

    def _held(self, path: str, status: os.stat_result, base: str | None) -> str:
        over = status.st_size > self._limit
        if over and self._large.get(path) != status.st_size:
            raise self._too_large(status)
        entry = self._files.entry(path, status, base)
        if over and entry != base:
            raise self._too_large(status)
        if entry.startswith("120000") and os.path.basename(path).lower() == ".gitmodules":
            raise NotHeldError("git refuses a link of this name")
        return entry

    def _too_large(self, status: os.stat_result) -> NotHeldError:
        return NotHeldError(f"{status.st_size} bytes, over the limit of {self._limit}")

    def _submodule(self, path: str, status: os.stat_result | None, base: str) -> str:
        folder = f"{self._files.root}/{path}"
        if status is not None and stat.S_ISDIR(status.st_mode) and not os.listdir(folder):
            return base
        raise NotHeldError("submodule, stays as in the base")

    def _lstat(self, path: str) -> os.stat_result | None:
        """None where there is nothing, also beyond a link: what is there is not of this work tree."""
        if not self._is_real(path[: path.rfind("/") + 1]):
            return None
        try:
            return os.lstat(f"{self._files.root}/{path}")
        except (FileNotFoundError, NotADirectoryError):
            return None

    def _is_real(self, folder: str) -> bool:
        """Whether a folder ("a/b/") is reached without any link."""
        known = self._real.get(folder)
        if known is None:
            parent = folder[: folder.rfind("/", 0, -1) + 1]
            known = self._is_real(parent) and not os.path.islink(f"{self._files.root}/{folder[:-1]}")
            self._real[folder] = known
        return known
