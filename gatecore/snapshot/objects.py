"""Blobs and trees of a git object store, written without a git process, an index or a lock.

Loose objects are a stable, public format (gitformat-loose). Writing them here costs some 0.1 ms a file
whatever the file is called, reads no attributes, and a killed process leaves nothing half done behind.
"""

import hashlib
import os
import subprocess
import threading
import zlib
from collections.abc import Iterable, Iterator
from typing import IO

from gatecore.snapshot.git import SnapshotError, command, environment, git

Entries = dict[str, str]
"""What a tree holds: path -> entry, "<mode> <object id>", mode as git writes it: 100644, 100755 (executable),
120000 (link), 160000 (submodule)."""

SUBMODULE = "160000"
_REQUESTS_AT_ONCE = 64
_Folder = dict[str, "str | _Folder"]


class Objects:
    """The objects of one git directory, whose ids are hashes of the kind `algorithm`: "sha1" or "sha256"."""

    def __init__(self, git_dir: str, algorithm: str) -> None:
        self._git_dir = git_dir
        self._hash = getattr(hashlib, algorithm)

    def id(self, kind: str, body: bytes) -> str:
        """The id that `body` has as an object of a kind ("blob" or "tree"); nothing is stored."""
        return self._id(b"%s %d\0" % (kind.encode(), len(body)) + body)

    def write(self, kind: str, body: bytes) -> str:
        """Store an object unless it is there already; its id."""
        data = b"%s %d\0" % (kind.encode(), len(body)) + body
        oid = self._id(data)
        folder = f"{self._git_dir}/objects/{oid[:2]}"
        path = f"{folder}/{oid[2:]}"
        if not os.path.exists(path):
            os.makedirs(folder, exist_ok=True)
            write_whole(path, zlib.compress(data, 1))
        return oid

    def write_tree(self, entries: Entries, *, keep: bool = True) -> str:
        """The id of the tree that holds `entries`; its objects are stored unless `keep` is False."""
        root: _Folder = {}
        for path, entry in entries.items():
            *folders, name = path.split("/")
            folder = root
            for step in folders:
                folder = folder.setdefault(step, {})  # type: ignore[assignment]
            folder[name] = entry
        return self._write_folder(root, keep)

    def _write_folder(self, folder: _Folder, keep: bool) -> str:
        lines = []
        for name, entry in folder.items():
            raw = os.fsencode(name)
            if isinstance(entry, dict):  # git sorts a folder as if its name ended in a slash
                lines.append(
                    (raw + b"/", b"40000 %s\0" % raw + bytes.fromhex(self._write_folder(entry, keep)))
                )
            else:
                lines.append((raw, b"%s %s\0" % (entry[:6].encode(), raw) + bytes.fromhex(entry[7:])))
        body = b"".join([line for _, line in sorted(lines)])
        return self.write("tree", body) if keep else self.id("tree", body)

    def _id(self, data: bytes) -> str:
        return self._hash(data, usedforsecurity=False).hexdigest()  # type: ignore[no-any-return]

    def entries(self, tree: str) -> Entries:
        """All that `tree` (any tree-ish) holds, without its folders."""
        out = git(self._git_dir, "ls-tree", "-r", "-z", "--full-tree", tree).out
        lines = (line.split("\t", 1) for line in os.fsdecode(out).split("\0")[:-1])
        return {path: f"{meta[:6]} {meta.rsplit(' ', 1)[1]}" for meta, path in lines}

    def read(self, oids: Iterable[str]) -> Iterator[bytes]:
        """The contents of blobs, in the order asked for, from one git process."""
        wanted = list(oids)
        if not wanted:
            return
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
