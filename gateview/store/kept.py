"""Digests kept from one report to the next.

One is used again only while the run's directory and each file that was read of it have the inode, size and
time of change that they had, and that time lies well before the reading.
"""

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, NamedTuple

from gatecore import __version__
from gatecore.ledger.packed import Packed
from gatecore.ledger.reader import Signature

_FORMAT = f"gateview {__version__} digests 1"
_SIZES = (2, 4, 4)
"""Bytes of the lengths before name, label and digest."""


_MARGIN_NS = 2_000_000_000
"""Two writes within one tick of a file system's clock look alike; the coarsest tick is two seconds."""


class Label(Packed, frozen=True):
    """What a run's directory (``.``) and the files that were read of it were, and when that was."""

    read_ns: int
    signatures: dict[str, Signature]

    @property
    def lasting(self) -> bool:
        """Whether any later change is sure to show."""
        newest = max((signature[2] for signature in self.signatures.values()), default=self.read_ns)
        return newest < self.read_ns - _MARGIN_NS

    def holds(self, folder: str) -> bool:
        """Whether the directory and each file still have the inode, size and time of change that they had."""
        try:
            for name, signature in self.signatures.items():
                info = os.stat(f"{folder}/{name}")  # noqa: PTH116 (50,000 of them: a Path each would double it)
                if (info.st_ino, info.st_size, info.st_mtime_ns) != signature:
                    return False
        except OSError:
            return False
        return True


class Kept(NamedTuple):
    """What is kept of a run, packed: a `Label`, and a digest."""

    label: bytes | memoryview
    digest: bytes | memoryview


class Keep:
    """What is kept of one runs folder. What cannot be read or written is done without."""

    def __init__(self, cache: Path, runs: str) -> None:
        import hashlib

        self._head = f"{_FORMAT} {os.fsencode(runs).hex()}\n".encode()
        self._file = cache / f"{hashlib.sha256(os.fsencode(runs)).hexdigest()[:32]}.digests"
        self._temporary = self._file.with_suffix(f".{os.getpid()}")
        self._out: BinaryIO | None = None
        self._changed = False
        self._loaded = self._added = 0

    def load(self) -> dict[str, Kept]:
        """What is kept, by the name of the run's folder."""
        try:
            data = self._file.read_bytes()
        except OSError:
            return {}
        if not data.startswith(self._head):
            return {}
        frames = _frames(memoryview(data), len(self._head))
        kept = {os.fsdecode(bytes(name)): Kept(label, digest) for name, label, digest in frames}
        self._loaded = len(kept)
        return kept

    def begin(self) -> None:
        """Make ready to keep something else."""
        try:
            self._temporary.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._out = self._temporary.open("wb")
            self._out.write(self._head)
        except OSError:
            self._give_up()

    def add(self, name: str, kept: Kept, *, fresh: bool = False) -> None:
        """Keep this run, of the folder `name`, once all is committed."""
        self._changed |= fresh
        self._added += 1
        if self._out is None:
            return
        parts = os.fsencode(name), *kept
        try:
            for part, size in zip(parts, _SIZES, strict=True):
                self._out.write(len(part).to_bytes(size, "big"))
                self._out.write(part)
        except OSError:
            self._give_up()

    def commit(self) -> None:
        """Keep what was added, and nothing else."""
        if self._out is None:
            return
        try:
            self._out.close()
            if self._changed or self._added != self._loaded:
                self._temporary.replace(self._file)
            else:
                self._temporary.unlink()
        except OSError:
            self._give_up()

    def _give_up(self) -> None:
        self._out = None
        with suppress(OSError):
            self._temporary.unlink(missing_ok=True)


def _frames(data: memoryview, at: int) -> Iterator[list[memoryview]]:
    while at < len(data):
        frame = []
        for size in _SIZES:
            end = at + size + int.from_bytes(data[at : at + size], "big")
            frame.append(data[at + size : end])
            at = end
        yield frame
