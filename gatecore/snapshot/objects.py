"""Blobs and trees of a git object store, written without an index or a lock.

Loose objects and packs are stable, public formats. Making them here costs no process a file, whatever the
file is called, reads no attributes, and a killed process leaves nothing half done behind.
"""

import hashlib
import os
import subprocess
import threading
import zlib
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import IO

from gatecore.snapshot.git import SnapshotError, command, environment, git
from gatecore.snapshot.packs import pack

Entries = dict[str, str]
"""What a tree holds: path -> entry, "<mode> <object id>", mode as git writes it: 100644, 100755 (executable),
120000 (link), 160000 (submodule)."""

SUBMODULE = "160000"
_MODES = {"100664": "100644"}  # written by an old git
_REQUESTS_AT_ONCE = 64
_LOOSE_AT_MOST = 32
_BATCH_BYTES = 64_000_000


class Objects:
    """The objects of one git directory, whose ids have `digits` hex digits: 40 (SHA-1) or 64 (SHA-256)."""

    def __init__(self, git_dir: str, digits: int) -> None:
        self._git_dir = git_dir
        self._hash = partial(hashlib.sha1 if digits == 40 else hashlib.sha256, usedforsecurity=False)
        self._pending: dict[str, tuple[str, bytes]] = {}
        self._pending_bytes = 0

    def id(self, kind: str, body: bytes) -> str:
        """The id that `body` has as an object of a kind ("blob" or "tree"); nothing is stored."""
        return self._hash(_object(kind, body)).hexdigest()

    def write(self, kind: str, body: bytes) -> str:
        """Store an object unless it is there already, at the latest with the next `flush`; its id."""
        oid = self.id(kind, body)
        if oid not in self._pending and not os.path.exists(self._loose(oid)):
            self._pending[oid] = (kind, body)
            self._pending_bytes += len(body)
            if self._pending_bytes > _BATCH_BYTES:
                self.flush()
        return oid

    def flush(self) -> None:
        """Put on the disk what was written and is not there yet."""
        if len(self._pending) > _LOOSE_AT_MOST:
            git(self._git_dir, "index-pack", "--stdin", stdin=pack(self._pending.values(), self._hash))
        else:
            for oid, (kind, body) in self._pending.items():
                os.makedirs(os.path.dirname(self._loose(oid)), exist_ok=True)
                write_whole(self._loose(oid), zlib.compress(_object(kind, body), 1))
        self._pending.clear()
        self._pending_bytes = 0

    def write_tree(
        self, entries: Entries, changed: Iterable[str], rest: Mapping[str, str], *, keep: bool = True
    ) -> dict[str, str]:
        """The ids of the folders ("" is the root, else "a/b/") of the tree `entries` that `changed` lies in.

        `rest` has the ids of the other folders. All is stored and flushed, unless `keep` is False.
        """
        lines: dict[str, list[tuple[bytes, bytes]]] = {folder: [] for folder in folders_of(changed)}
        for path, entry in entries.items():
            place = lines.get(path[: path.rfind("/") + 1])
            if place is not None:
                name = os.fsencode(path[path.rfind("/") + 1 :])
                place.append((name, b"%s %s\0" % (entry[:6].encode(), name) + bytes.fromhex(entry[7:])))
        for folder, oid in rest.items():
            if folder not in lines:
                _add_folder(lines, folder, oid)
        ids = {}
        for folder in sorted(lines, key=lambda folder: folder.count("/"), reverse=True):
            if lines[folder] or not folder:
                body = b"".join([line for _, line in sorted(lines[folder])])
                ids[folder] = self.write("tree", body) if keep else self.id("tree", body)
                _add_folder(lines, folder, ids[folder])
        if keep:
            self.flush()
        return ids

    def _loose(self, oid: str) -> str:
        return f"{self._git_dir}/objects/{oid[:2]}/{oid[2:]}"

    def entries(self, tree: str) -> Entries:
        """All that `tree` (any tree-ish) holds, without its folders."""
        out = git(self._git_dir, "ls-tree", "-r", "-z", "--full-tree", tree).out
        lines = (line.split("\t", 1) for line in os.fsdecode(out).split("\0")[:-1])
        return {path: f"{_MODES.get(meta[:6], meta[:6])} {meta.rsplit(' ', 1)[1]}" for meta, path in lines}

    def read(self, oids: Iterable[str]) -> Iterator[bytes]:
        """The contents of blobs, in the order asked for, from one git process."""
        wanted = list(oids)
        if not wanted:
            return
        self.flush()
        args = command(self._git_dir, None, ("cat-file", "--batch"))
        pipe = subprocess.PIPE
        with subprocess.Popen(
            args, cwd=self._git_dir, env=environment(), stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL
        ) as process:
            assert process.stdin is not None
            assert process.stdout is not None
            for start in range(0, len(wanted), _REQUESTS_AT_ONCE):  # few enough never to fill the pipe
                batch = wanted[start : start + _REQUESTS_AT_ONCE]
                process.stdin.write("".join(f"{oid}\n" for oid in batch).encode())
                process.stdin.flush()
                for oid in batch:
                    yield _next_blob(process.stdout, oid)


def _object(kind: str, body: bytes) -> bytes:
    return b"%s %d\0" % (kind.encode(), len(body)) + body


def folders_of(paths: Iterable[str]) -> set[str]:
    """All folders that the paths lie in, as "a/b/", with the root ""."""
    found = {""}
    for path in paths:
        folder = path[: path.rfind("/") + 1]
        while folder not in found:
            found.add(folder)
            folder = folder[: folder.rfind("/", 0, -1) + 1]
    return found


def _add_folder(lines: dict[str, list[tuple[bytes, bytes]]], folder: str, oid: str) -> None:
    """Put a folder among the lines of its parent, where git sorts it as if its name ended in a slash."""
    parent = folder[: folder.rfind("/", 0, -1) + 1]
    if folder and parent in lines:
        name = os.fsencode(folder[len(parent) :])
        lines[parent].append((name, b"40000 %s\0" % name[:-1] + bytes.fromhex(oid)))


def _next_blob(stream: IO[bytes], oid: str) -> bytes:
    header = stream.readline().split()
    if len(header) != 3:
        raise SnapshotError(f"git cat-file: object {oid} is missing from the store")
    size = int(header[2])
    body = stream.read(size + 1)[:-1]
    if len(body) != size:
        raise SnapshotError(f"git cat-file: object {oid} is cut short")
    return body


def write_whole(path: str, data: bytes) -> None:
    """Write a file so that it is either there whole or not at all, whenever the process is killed."""
    part = unique(path)
    try:
        with open(part, "wb") as file:
            file.write(data)
        os.replace(part, path)
    except BaseException:
        if os.path.lexists(part):
            os.unlink(part)
        raise


def unique(path: str) -> str:
    """A name beside `path` that no other thread or process uses at the same time."""
    return f"{path}.{os.getpid()}.{threading.get_native_id()}"
