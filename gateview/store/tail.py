"""Look at watched folders again and again: which runs are there, and what is new in each.

Runs that may still grow are looked at every time, those that are over in turns, so that a look costs about
the same whether there are ten finished runs or ten thousand. New runs are read in portions of a few tenths
of a second: the first portion is there at once, `pending` says how many are to come.
"""

import os
import time
from collections import deque
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from gatecore.ledger.reader import MatrixReader, RunReader, is_run
from gatecore.ledger.records import MatrixEvent
from gatecore.ledger.replays import EVENTS
from gatecore.ledger.run import Batch
from gateview.store.state import News

_PORTION = 0.15  # seconds of reading new runs at one look
_RELIST = 2.0  # seconds between listings of a folder whose time stamp stays the same
_SETTLED_PER_LOOK = 2  # settled runs looked at in turns, at least
_SETTLED_PER_SECOND = 40
_SETTLES_AFTER = 10.0  # seconds without news, for a run that is over
_ABANDONED_AFTER = 3600.0  # the same for one that is not: its harness is most likely dead
_YOUNG = 2.0  # seconds for which a new directory is looked at whether or not it was told of
_NEWEST = 100  # at most so many of these
_ITSELF = "."


@dataclass(slots=True, eq=False)
class _Tracked:
    """One run directory under watch."""

    key: str
    path: Path
    reader: RunReader
    found_at: float
    over: bool = False
    news_at: float | None = None
    queue: "deque[_Tracked] | None" = None  # in which it waits for its turn

    def heard(self, batch: Batch, now: float) -> None:
        self.over = batch.over
        self.news_at = now if self.news_at is not None else now - _age(self.path)

    def settled(self, now: float) -> bool:
        quiet = now - self.news_at if self.news_at is not None else 0.0
        return quiet > (_SETTLES_AFTER if self.over else _ABANDONED_AFTER)


@dataclass(slots=True)
class _Folder:
    """One watched folder and the run directories in it: names with inodes, ``.`` for the folder itself."""

    path: Path
    prefix: str
    runs: dict[str, int] = field(default_factory=dict)
    stamp: tuple[int, int] | None = None
    stamped_at: float = 0.0
    listed_at: float = float("-inf")

    def key(self, name: str) -> str:
        return self.prefix + (self.path.name if name == _ITSELF else name)


class Tailer:
    """Follows the runs in `folders`. To be polled by one thread; the other members may be used by any."""

    def __init__(self, folders: Sequence[Path], clock: Callable[[], float] = time.monotonic) -> None:
        folders = list(dict.fromkeys(Path(os.path.realpath(folder)) for folder in folders))
        prefixes = _prefixes([folder.parent if _is_one_run(folder) else folder for folder in folders])
        self._folders = [_Folder(path, prefix) for path, prefix in zip(folders, prefixes, strict=True)]
        # A plan belongs to one folder: with several in one view there is no one progress to show.
        self._matrix = MatrixReader(folders[0]) if len(folders) == 1 else None
        self._replays = MatrixReader(folders[0], EVENTS) if len(folders) == 1 else None
        self._clock = clock
        self._tracked: dict[str, _Tracked] = {}
        self._inodes: set[int] = set()
        self._unread: deque[_Tracked] = deque()
        self._growing: deque[_Tracked] = deque()
        self._settled: deque[_Tracked] = deque()
        self._looked_at = clock()
        self._hurried: deque[str] = deque()
        self._newest: deque[_Tracked] = deque(maxlen=_NEWEST)

    @property
    def pending(self) -> int:
        """Runs that were found and not read yet: poll again at once while there are any."""
        return len(self._unread)

    def path(self, key: str) -> Path | None:
        """The run directory of `key`, None when it is not (or no longer) there."""
        tracked = self._tracked.get(key)
        return tracked.path if tracked else None

    @property
    def folders(self) -> list[Path]:
        """The folders, without links."""
        return [folder.path for folder in self._folders]

    def rescan(self) -> None:
        """Look at every run the next time: changes may have been lost."""
        while self._settled:
            tracked = self._settled.popleft()
            tracked.queue = self._growing
            self._growing.append(tracked)

    def hurry(self, key: str) -> None:
        """Look at the run of `key` the next time, whatever its turn."""
        self._hurried.append(key)

    @property
    def restless(self) -> bool:
        """Whether a directory came a moment ago: of what is written in it next, a system may tell nothing."""
        now = self._clock()
        return bool(self._unread) or any(now - folder.stamped_at < _YOUNG for folder in self._folders)

    def poll(self, touched: Collection[str] | None = None) -> News:
        """Return what is new since the last look.

        With `touched`, paths below the folders, only there and in runs that came a moment ago.
        """
        now = self._clock()
        if touched is not None:
            return self._look_at(touched, now)
        gone = frozenset(key for folder in self._folders for key in self._relist(folder, now))
        batches: dict[str, Batch] = {}
        surprised = False  # by news of a run that has settled: there may be more that nobody was told of
        for tracked in self._in_turn(now):
            batch = tracked.reader.poll()
            if batch is not None:
                surprised |= tracked.queue is self._settled
                tracked.heard(batch, now)
                batches[tracked.key] = batch
            self._queue(tracked, now)
        if surprised:
            self.rescan()
        events, anew = self._matrix.poll() if self._matrix else ((), False)
        return News(batches, gone, events, anew, self._new_replays())

    def _look_at(self, touched: Collection[str], now: float) -> News:
        names = {(folder.path, name) for folder in self._folders for name in _names(folder.path, touched)}
        strange = {path for path, name in names if not self._is_known(path, name) and (path / name).is_dir()}
        gone: list[str] = []
        for folder in self._folders:
            gone += self._relist(folder, now, anew=folder.path in strange)
        keys = {folder.key(name) for folder in self._folders for path, name in names if path == folder.path}
        keys |= {folder.key(_ITSELF) for folder in self._folders if _ITSELF in folder.runs}
        keys |= {tracked.key for tracked in self._newest if now - tracked.found_at < _YOUNG}
        batches: dict[str, Batch] = {}
        for key in keys:
            tracked = self._tracked.get(key)
            if tracked and tracked.queue is not self._unread and (batch := tracked.reader.poll()) is not None:
                tracked.heard(batch, now)
                batches[key] = batch
                if tracked.queue is self._settled:
                    self._settled.remove(tracked)
                    self._queue(tracked, now)
        while self._unread and self._clock() < now + _PORTION:
            tracked = self._unread.popleft()
            if self._tracked.get(tracked.key) is tracked:
                if (batch := tracked.reader.poll()) is not None:
                    tracked.heard(batch, now)
                    batches[tracked.key] = batch
                self._queue(tracked, now)
        events, anew = self._matrix.poll() if self._matrix else ((), False)
        return News(batches, frozenset(gone), events, anew, self._new_replays())

    def _new_replays(self) -> tuple[MatrixEvent, ...]:
        return self._replays.poll()[0] if self._replays else ()

    def _is_known(self, path: Path, name: str) -> bool:
        return any(folder.path == path and name in folder.runs for folder in self._folders)

    def _in_turn(self, now: float) -> Iterator[_Tracked]:
        """Take the runs to look at now out of their queues."""
        turns = [self._growing.popleft() for _ in range(len(self._growing))]
        due = max(_SETTLED_PER_LOOK, int(_SETTLED_PER_SECOND * (now - self._looked_at)))
        self._looked_at = now
        turns += [self._settled.popleft() for _ in range(min(due, len(self._settled)))]
        while self._hurried:
            tracked = self._tracked.get(self._hurried.popleft())
            if tracked and tracked.queue is self._settled and tracked in self._settled:
                self._settled.remove(tracked)
                tracked.queue = None
                turns.append(tracked)
        yield from (t for t in turns if self._tracked.get(t.key) is t)
        while self._unread and self._clock() < now + _PORTION:
            tracked = self._unread.popleft()
            if self._tracked.get(tracked.key) is tracked:
                yield tracked

    def _queue(self, tracked: _Tracked, now: float) -> None:
        tracked.queue = self._settled if tracked.settled(now) else self._growing
        tracked.queue.append(tracked)

    def _relist(self, folder: _Folder, now: float, *, anew: bool = False) -> Iterator[str]:
        """List the folder when something may have come or gone, or `anew`; yield the keys of runs that are gone."""
        stamp = _stamp(folder.path)
        if stamp != folder.stamp:
            folder.stamp, folder.stamped_at = stamp, now
        # A directory gets its first file a little after it was made, which the folder's stamp does not tell.
        elif not anew and now - folder.stamped_at > _RELIST > now - folder.listed_at:
            return
        folder.listed_at = now
        found = _runs_in(folder.path, folder.runs)
        for name in [name for name, inode in folder.runs.items() if found.get(name) != inode]:
            self._inodes.discard(folder.runs.pop(name))
            del self._tracked[folder.key(name)]
            yield folder.key(name)
        for name in [name for name in found if name not in folder.runs]:
            key, path = folder.key(name), folder.path / name
            if key in self._tracked or found[name] in self._inodes:
                continue  # reached twice, through a link or as both a folder and a run in it: it counts once
            folder.runs[name] = found[name]
            self._inodes.add(found[name])
            self._tracked[key] = tracked = _Tracked(key, path, RunReader(path), now, queue=self._unread)
            self._unread.append(tracked)
            self._newest.append(tracked)


def _names(folder: Path, touched: Collection[str]) -> set[str]:
    """The names in `folder` of what was touched in or below it."""
    start = os.path.join(folder, "")  # noqa: PTH118
    return {path[len(start) :].split("/", 1)[0] for path in touched if path.startswith(start)}


def _runs_in(folder: Path, known: Mapping[str, int]) -> dict[str, int]:
    """Return the run directories of `folder` by name with their inodes, links last.

    It is `known` when the folder cannot be listed just now; those in `known` are not looked into again. A
    folder that is itself a run and holds none is that run.
    """
    try:
        with os.scandir(folder) as entries:
            listed = [(e.is_symlink(), e.name, _inode(e)) for e in entries if not e.name.startswith(".")]
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except OSError:
        return dict(known)
    found = {
        name: inode
        for _, name, inode in sorted(listed)
        if inode is not None and (known.get(name) == inode or is_run(folder / name))
    }
    if not found and is_run(folder) and (stamp := _stamp(folder)):
        return {_ITSELF: stamp[0]}
    return found


def _inode(entry: "os.DirEntry[str]") -> int | None:
    """The inode of a folder, through a link if it is one; None for what is no folder."""
    try:
        if not entry.is_dir():
            return None
        return entry.stat().st_ino if entry.is_symlink() else entry.inode()
    except OSError:  # gone again, or a link to itself
        return None


def _age(run: Path) -> float:
    """Seconds since a file came or went in the run directory."""
    try:
        return max(0.0, time.time() - run.stat().st_mtime)
    except OSError:
        return 0.0


def _stamp(folder: Path) -> tuple[int, int] | None:
    try:
        info = folder.stat()
    except OSError:
        return None
    return info.st_ino, info.st_mtime_ns


def _is_one_run(folder: Path) -> bool:
    return _ITSELF in _runs_in(folder, {})


def _prefixes(parents: Sequence[Path]) -> list[str]:
    """Return what goes before a run's name in its key: nothing for one folder, else what tells it apart."""
    distinct = set(parents)
    if len(distinct) == 1:
        return [""] * len(parents)
    depth = 1
    while len({parent.parts[-depth:] for parent in distinct}) < len(distinct):
        depth += 1
    return ["/".join(parent.parts[-depth:]).lstrip("/") + "/" for parent in parents]
