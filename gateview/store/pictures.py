"""The pictures of a stop as they lie in its run directory, which may hold anything."""

import hashlib
import os
import re
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from shutil import which
from typing import NamedTuple

from gatecore.ledger.records import Gate2, Picture
from gatecore.png import NotAPngError, png_size

_FILE = re.compile(r"pages/([0-9a-f]{32})\.png")
_MAX_BYTES = 20_000_000


class Shot(NamedTuple):
    """A page before or after a change."""

    page: str
    when: str  # before, after
    file: str | None  # in the run directory, as the record names it
    changed: bool


class PictureError(Exception):
    """There is no picture that could be shown; the message says why."""


def shots_of(gate: Gate2) -> list[Shot]:
    """Every picture of a stop, page by page, the changed pages first."""
    before, after = ({p.page: p for p in side} for side in (gate.before, gate.after))
    pages = sorted(before | after, key=lambda page: (_same(before.get(page), after.get(page)), page))
    return [shot for page in pages for shot in _of_page(page, before.get(page), after.get(page))]


def path_of(folder: Path, shot: Shot) -> Path:
    """Where the file lies. Raises PictureError when the record names none as the gate does."""
    if not _FILE.fullmatch(shot.file or ""):
        raise PictureError("the record names no file of this run")
    return folder / str(shot.file)


def read_picture(folder: Path, shot: Shot) -> bytes:
    """The picture's bytes: a PNG of a size that can be shown, and the one that the record names by its hash.

    Raises PictureError.
    """
    path = path_of(folder, shot)
    try:
        data = _read(path)
        png_size(data)
    except OSError as err:
        raise PictureError(f"{path.name} cannot be read: {err.strerror or err}") from None
    except NotAPngError as err:
        raise PictureError(f"{path.name} {err}") from None
    if not path.name.startswith(hashlib.sha256(data).hexdigest()[:32]):
        raise PictureError(f"{path.name} is not the picture that was taken at the stop: its hash is another")
    return data


def open_with_system(path: Path) -> bool:
    """Have the system show a file; False where there is no screen for it, or nothing that could."""
    opener = _opener()
    if opener is None:
        return False
    try:
        nowhere = subprocess.DEVNULL
        process = subprocess.Popen(
            [opener, path], stdin=nowhere, stdout=nowhere, stderr=nowhere, start_new_session=True
        )
    except OSError:
        return False
    threading.Thread(target=process.wait, daemon=True).start()  # or it stays behind as a zombie
    return True


def _opener() -> str | None:
    if sys.platform == "darwin":
        return which("open")
    # Without a display xdg-open falls back to browsers that want the terminal.
    return which("xdg-open") if os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY") else None


def _read(path: Path) -> bytes:
    """A plain file in a folder that is none of a link; nothing waits for a pipe."""
    flags = os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC
    folder = os.open(path.parent, flags | os.O_DIRECTORY)
    try:
        fd = os.open(path.name, flags, dir_fd=folder)
    finally:
        os.close(folder)
    with os.fdopen(fd, "rb") as file:
        info = os.fstat(fd)
        if not stat.S_ISREG(info.st_mode) or info.st_size > _MAX_BYTES:
            raise PictureError(f"{path.name} is no plain file, or larger than {_MAX_BYTES // 1_000_000} MB")
        return file.read(_MAX_BYTES)


def _of_page(page: str, before: Picture | None, after: Picture | None) -> Iterator[Shot]:
    for when, picture in (("before", before), ("after", after)):
        if picture:
            yield Shot(page, when, picture.file, not _same(before, after))


def _same(before: Picture | None, after: Picture | None) -> bool:
    return before is not None and after is not None and before.file == after.file
