"""What is in a work tree now, against a base: which files there are, and what each of them holds."""

import os
import re
import stat
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import NamedTuple

from gatecore.snapshot.files import Files, NotHeldError
from gatecore.snapshot.git import git
from gatecore.snapshot.objects import SUBMODULE, Entries, unique, write_whole

_UNREADABLE = r"(?ms)^warning: could not open directory '(.*?)/?': ([^\n]*)$"
_REFUSED = r"(?i)(?:^|[/\\])(?:\.git|git~1)[ .]*(?:$|[/\\:])"


class Unheld(NamedTuple):
    """Something in the work tree that a snapshot does not hold. A file of the base stays as it is there."""

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
    shut = [Unheld(path, f"cannot be read: {why}") for path, why in re.findall(_UNREADABLE, err)]
    return Listing([path for path in found if not path.endswith("/")], nested + shut)


class Reader:
    """Reads the files of a work tree.

    Those over `limit` bytes are not held; `large` has the sizes (bytes) of those that the base holds all the same.
    """

    def __init__(self, files: Files, large: Mapping[str, int], limit: int) -> None:
        self._files = files
        self._large = large
        self._limit = limit
        self._real = {"": True}

    def read(self, base: Entries, folders: Iterable[str], new: Iterable[str]) -> State:
        """Read what is there of `base`, whose folders are `folders`, and the `new` files."""
        linked = {folder for folder in folders if not self._is_real(folder)}
        beyond = [path for path in base if path[: path.rfind("/") + 1] in linked] if linked else []
        look = dict.fromkeys([*self._files.differing(base), *beyond, *new])
        state = State(dict(base), [], [])
        for path in look:
            old = base.get(path)
            try:
                entry = self._entry(path, old)
            except NotHeldError as error:
                state.unheld.append(Unheld(path, str(error)))
                continue
            if entry is None:
                state.entries.pop(path, None)
                if old is not None and os.path.lexists(f"{self._files.root}/{path}/.git"):
                    state.unheld.append(Unheld(path, "nested repository"))  # git does not list it there
            else:
                state.entries[path] = entry
            if entry != old:
                state.changed.append(path)
        return state

    def _entry(self, path: str, base: str | None) -> str | None:
        """The entry of a file; None when there is none. Raises NotHeldError."""
        if base is None and re.search(_REFUSED, path):
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
        real = self._real.get(folder)
        if real is None:
            real = True
            for end in (place + 1 for place, char in enumerate(folder) if char == "/"):
                step = folder[:end]
                if step not in self._real:
                    self._real[step] = real and not os.path.islink(f"{self._files.root}/{folder[: end - 1]}")
                real = self._real[step]
        return real
