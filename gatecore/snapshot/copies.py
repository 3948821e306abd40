"""A tree checked out into a folder that is kept from stop to stop."""

import os
import stat

from gatecore.snapshot.files import Files, NotHeldError
from gatecore.snapshot.git import SnapshotError
from gatecore.snapshot.objects import SUBMODULE, Entries, Objects

_NOT_OURS = "000000 " + "0" * 40
"""The entry of what no tree of ours can hold."""


class Copy:
    """The folder `root`; what is known of its files lies beside it in `root` + ".known".

    Files are written anew, never in place, and no symbolic link is followed: what a check left there
    reaches nothing outside.
    """

    def __init__(self, root: str, objects: Objects, limit: int) -> None:
        self._root = root
        self._objects = objects
        self._limit = limit
        self._files = Files(root, f"{root}.known", objects, keep=False)

    def bring_to(self, want: Entries) -> None:
        """Make the folder hold exactly `want`: whatever else is there goes, what is missing is written.

        Raises SnapshotError when it does not stay so.
        """
        if not _is_folder(self._root):
            _remove(self._root)
            os.makedirs(self._root)
        missing = want.keys() - self._sweep(want)
        if missing:
            self._fill({path: want[path] for path in sorted(missing)})
            missing = want.keys() - self._sweep(want)
        if missing:
            raise SnapshotError(f"{self._root} is being changed by somebody: {min(missing)} does not stay")
        self._files.save()

    def entries(self, submodules: Entries) -> Entries:
        """All that the folder holds, ignored or not. An empty folder at one of `submodules` is that one."""
        found: Entries = {}
        folders = [""]
        for folder in folders:  # grows while it is read
            items = _items(f"{self._root}/{folder}")
            if not items and folder[:-1] in submodules:
                found[folder[:-1]] = submodules[folder[:-1]]
            for item in items:
                path = folder + item.name
                if item.is_dir(follow_symlinks=False):
                    folders.append(f"{path}/")
                else:
                    found[path] = self._entry(path, item)
        self._files.save()
        return found

    def _sweep(self, want: Entries) -> set[str]:
        """Remove what is not as wanted; the paths that are."""
        right = set()
        wanted_folders = _folders(want)
        folders = [""]
        for folder in folders:
            for item in _items(f"{self._root}/{folder}"):
                path = folder + item.name
                if f"{path}/" in wanted_folders and item.is_dir(follow_symlinks=False):
                    folders.append(f"{path}/")
                    right.add(path)
                elif path in want and want[path] == self._entry(path, item):
                    right.add(path)
                else:
                    _remove(item.path)
        return right

    def _entry(self, path: str, item: os.DirEntry[str]) -> str:
        try:
            status = item.stat(follow_symlinks=False)
            if status.st_mode & 0o600 != 0o600:
                return _NOT_OURS
            if status.st_size > self._limit:
                return self._files.known(path, status) or _NOT_OURS
            return self._files.entry(path, status)
        except (OSError, NotHeldError):
            return _NOT_OURS

    def _fill(self, missing: Entries) -> None:
        for path, entry in missing.items():
            folder = path if entry.startswith(SUBMODULE) else os.path.dirname(path)
            os.makedirs(f"{self._root}/{folder}", exist_ok=True)
        files = {path: entry for path, entry in missing.items() if not entry.startswith(SUBMODULE)}
        bodies = self._objects.read(entry[7:] for entry in files.values())
        for (path, entry), body in zip(files.items(), bodies, strict=True):
            _write(f"{self._root}/{path}", entry, body)


def _write(path: str, entry: str, body: bytes) -> None:
    if entry.startswith("120000"):
        os.symlink(os.fsdecode(body), path)
        return
    mode = 0o777 if entry.startswith("100755") else 0o666
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode), "wb") as file:
        file.write(body)


def _folders(paths: Entries) -> set[str]:
    """All folders of a tree, submodules too, each with a slash at its end."""
    found = {""}
    for path, entry in paths.items():
        folder = f"{path}/" if entry.startswith(SUBMODULE) else path[: path.rfind("/") + 1]
        while folder not in found:
            found.add(folder)
            folder = folder[: folder.rfind("/", 0, -1) + 1]
    return found


def _is_folder(path: str) -> bool:
    try:
        return stat.S_ISDIR(os.lstat(path).st_mode)
    except FileNotFoundError:
        return False


def _items(folder: str) -> list[os.DirEntry[str]]:
    """What is in a folder of ours, whatever a check did to its permissions."""
    if os.lstat(folder).st_mode & stat.S_IRWXU != stat.S_IRWXU:
        os.chmod(folder, 0o755)
    with os.scandir(folder) as items:
        return list(items)


def _remove(path: str) -> None:
    """Remove whatever is there; nothing there is fine."""
    if not _is_folder(path):
        if os.path.lexists(path):
            os.unlink(path)
        return
    folders = [path]
    for folder in folders:
        for item in _items(folder):
            if item.is_dir(follow_symlinks=False):
                folders.append(item.path)
            else:
                os.unlink(item.path)
    for folder in reversed(folders):
        os.rmdir(folder)
