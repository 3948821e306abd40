"""Digests kept from one report to the next.

One is used again only while the run's directory and each file that was read of it have the inode, size and
time of change that they had, and that time lies well before the reading.
"""

import os
from contextlib import suppress
from pathlib import Path
from zlib import adler32

from gatecore import __version__
from gatecore.ledger.packed import Packed, UnpackError, pack, unpack
from gatecore.ledger.reader import Signature

_FORMAT = f"gateview {__version__} digests 4"
_SEGMENT = 256
"""Runs that are written at once: memory holds no more of them."""
_NUMBER = 4
"""Bytes of the length and of the checksum before a segment."""
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


class Kept(Packed, frozen=True):
    """What is kept of a run: the name of its folder, and packed a `Label` and a digest."""

    name: bytes
    label: memoryview
    digest: memoryview


class _Segment(Packed, frozen=True):
    runs: tuple[Kept, ...]


class Keep:
    """What is kept of one runs folder, in a file that is appended to; what comes later replaces what was there.

    What cannot be read or written is done without. Of several reports at once each appends whole segments.
    """

    def __init__(self, cache: Path, runs: str) -> None:
        import hashlib

        self._head = f"{_FORMAT} {os.fsencode(runs).hex()}\n".encode()
        self._file = cache / f"{hashlib.sha256(os.fsencode(runs)).hexdigest()[:32]}.digests"
        self._waiting: list[Kept] = []
        self.anew = True
        """Whether the file begins anew, so that everything that is to be kept has to be added."""

    def load(self, runs: int) -> dict[str, Kept]:
        """What is kept, by name; of a folder of so many `runs` a file far longer than that begins anew."""
        try:
            data = self._file.read_bytes()
        except OSError:
            return {}
        if not data.startswith(self._head):
            return {}
        segments, whole = _segments(memoryview(data)[len(self._head) :])
        kept = {os.fsdecode(run.name): run for segment in segments for run in segment.runs}
        self.anew = not whole or sum(len(segment.runs) for segment in segments) > 2 * runs + _SEGMENT
        return kept

    def add(self, kept: Kept) -> None:
        """Keep this run."""
        self._waiting.append(kept)
        if len(self._waiting) >= _SEGMENT:
            self.commit()

    def commit(self) -> None:
        """Write what was added."""
        packed = pack(_Segment(tuple(self._waiting)))
        segment = b"".join(n.to_bytes(_NUMBER, "big") for n in (len(packed), adler32(packed))) + packed
        if self._waiting:
            self._waiting.clear()
            with suppress(OSError):
                self._write(segment)

    def _write(self, segment: bytes) -> None:
        self._file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        how = os.O_TRUNC if self.anew else os.O_APPEND
        fd = os.open(self._file, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC | how, 0o600)
        try:
            os.write(fd, (self._head if self.anew else b"") + segment)
        finally:
            os.close(fd)
        self.anew = False


def _segments(data: memoryview) -> tuple[list[_Segment], bool]:
    """The segments up to the first that is damaged, and whether that were all."""
    found: list[_Segment] = []
    while data:
        size, checksum = (int.from_bytes(data[i : i + _NUMBER], "big") for i in (0, _NUMBER))
        packed = data[2 * _NUMBER : 2 * _NUMBER + size]
        try:
            if len(packed) < size or adler32(packed) != checksum:
                return found, False
            found.append(unpack(packed, _Segment))
        except UnpackError:
            return found, False
        data = data[2 * _NUMBER + size :]
    return found, True
