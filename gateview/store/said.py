"""Write what a person says of a run, at once: beside its ledger, or where that cannot be, in the user's folder."""

import getpass
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Generic

from gatecore.ledger.writer import VERSION, append, now
from gateview.store.elsewhere import S, file_of, folder, lines_of

AUTHOR = "GATEVIEW_AUTHOR"
"""Environment variable with the name under which it is written; default: the login name."""


def author() -> str:
    """Who speaks."""
    if name := os.environ.get(AUTHOR, "").strip():
        return name
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return "?"


class SaidLog(Generic[S]):
    """Appends lines of one `kind` to the file `name` of a run, and reads those that are kept elsewhere."""

    def __init__(
        self, name: str, kind: type[S], elsewhere: Path | None = None, by: str | None = None
    ) -> None:
        self._name = name
        self._kind: type[S] = kind
        self._folder = elsewhere or folder(kind)
        self.by = by or author()
        self._stamp: object = None

    def append(self, run: Path, fields: dict[str, Any]) -> Path:
        """Append a line and return the file. Raises OSError when it can be written nowhere."""
        record = {"v": VERSION, "ts": now(), "by": self.by, **fields}
        file = run / self._name
        try:
            _refuse_all_but_plain_files(file)
            append(str(file), record)
        except OSError:
            file = file_of(run, self._folder)
            file.parent.mkdir(parents=True, exist_ok=True)
            append(str(file), record)
        return file

    def elsewhere(self, run: Path) -> Iterator[S]:
        """What was said of a run and had to be kept elsewhere."""
        return lines_of(run, self._kind, self._folder)

    def has_news(self) -> bool:
        """Whether what is kept elsewhere changed since this was last asked."""
        before, self._stamp = self._stamp, self._stamps()
        return self._stamp != before

    def _stamps(self) -> object:
        try:
            with os.scandir(self._folder) as files:
                return sorted((file.name, file.stat().st_size) for file in files)
        except OSError:
            return []


def _refuse_all_but_plain_files(file: Path) -> None:
    """A link or a pipe in a run directory must not lead a verdict elsewhere."""
    try:
        if not stat.S_ISREG(file.lstat().st_mode):
            raise OSError(f"{file} is not a plain file")
    except FileNotFoundError:
        return
