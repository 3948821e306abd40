"""A tree checked out into a folder that is kept from stop to stop."""

import os
import time
from collections.abc import Mapping
from contextlib import suppress

from gatecore.snapshot.files import Files, NotHeldError
from gatecore.snapshot.folders import is_folder, items, remove
from gatecore.snapshot.git import SnapshotError
from gatecore.snapshot.objects import SUBMODULE, Entries, Objects, folders_of

_NOT_OURS = "000000 " + "0" * 40
"""The entry of what no tree of ours can hold."""


class Copy:
    """The folder `root`; what is known of its files lies beside it in `root` + ".known".

    Files are written anew, never in place, and no symbolic link is followed: what a check left there
    reaches nothing outside.
    """

    def __init__(self, root: str, objects: Objects, large: Mapping[str, int], limit: int) -> None:
        """A file over `limit` bytes is only looked into when it has the size that `large` gives it."""
        self._root = root
        self._objects = objects
        self._large = large
        self._limit = limit
        self._files = Files(root, f"{root}.known", objects, keep=False)

    def bring_to(self, want: Entries) -> None:
        """Make the folder hold exactly `want`: whatever else is there goes, what is missing is written.

        Raises SnapshotError when it does not stay so.
        """
        submodules = [f"{path}/" for path, entry in want.items() if entry.startswith(SUBMODULE)]
        files = {path: entry for path, entry in want.items() if not entry.startswith(SUBMODULE)}
        folders = folders_of([*files, *submodules])
        missing = self._clean(files, folders)
        if missing or submodules:
            self._fill(missing, folders)
        lost = [path for path, entry in missing.items() if self._entry(path) != entry]
        if lost:
            raise SnapshotError(f"{self._root} is being changed by somebody: {lost[0]} does not stay")
        self._files.save()

    def entries(self, submodules: Entries) -> Entries:
        """All that the folder holds, ignored or not. An empty folder at one of `submodules` is that one."""
        found: Entries = {}
        folders = [""]
        for folder in folders:  # grows while it is read
            inside = items(f"{self._root}/{folder}")
            if not inside and folder[:-1] in submodules:
                found[folder[:-1]] = submodules[folder[:-1]]
            for item in inside:
                path = folder + item.name
                if item.is_dir(follow_symlinks=False):
                    folders.append(f"{path}/")
                else:
                    found[path] = self._entry(path)
        self._files.save()
        return found

    def _clean(self, want: Entries, folders: set[str]) -> Entries:
        """Remove what is not as wanted, and return what is wanted and not there."""
        try:
            if not is_folder(self._root):
                os.makedirs(self._root)
            self._remove_strangers(want, folders)
            wrong = [path for path in self._files.differing(want) if self._entry(path) != want[path]]
            for path in wrong:
                remove(f"{self._root}/{path}")
        except OSError:  # no folder, nested too deep to be named, or made immutable
            os.rename(self._root, f"{self._root}.{time.time_ns()}")
            os.makedirs(self._root)
            return want
        return {path: want[path] for path in wrong}

    def _remove_strangers(self, want: Entries, folders: set[str]) -> None:
        """Leave no file that is not among `want`, and no folder that is not among `folders`."""
        places = [""]
        for folder in places:
            for item in items(f"{self._root}/{folder}"):
                path = folder + item.name
                if not item.is_dir(follow_symlinks=False):
                    if path not in want:
                        remove(item.path)
                elif f"{path}/" in folders:
                    places.append(f"{path}/")
                else:
                    remove(item.path)

    def _entry(self, path: str) -> str:
        """The entry of what is there, nothing included."""
        try:
            status = os.lstat(f"{self._root}/{path}")
            over = status.st_size > self._limit and self._large.get(path) != status.st_size
            if over or status.st_mode & 0o600 != 0o600:
                return _NOT_OURS
            return self._files.entry(path, status)
        except (OSError, NotHeldError):
            return _NOT_OURS

    def _fill(self, missing: Entries, folders: set[str]) -> None:
        for folder in sorted(folders):
            with suppress(FileExistsError):
                os.mkdir(f"{self._root}/{folder}")
        bodies = self._objects.read(entry[7:] for entry in missing.values())
        for (path, entry), body in zip(missing.items(), bodies, strict=True):
            _write(f"{self._root}/{path}", entry, body)


def _write(path: str, entry: str, body: bytes) -> None:
    if entry.startswith("120000"):
        os.symlink(os.fsdecode(body), path)
        return
    mode = 0o777 if entry.startswith("100755") else 0o666
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode), "wb") as file:
        file.write(body)
