"""Look at watched folders again and again: which runs are there, and what is new in each.

A look costs by what happened, not by what is there: it reads the files that were touched, and looks at some of
the other runs in turns, those that may still grow more often. What was read is kept nowhere here, and of a run
that is quiet not even how far it was read: when it changes it is read anew. New runs are read in portions of
a few tenths of a second: the first portion is there at once, `pending` says how many are to come.
"""

import os
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from gatecore.ledger.folders import labels
from gatecore.ledger.reader import MATRIX, MatrixReader, RunReader, is_run, mark_of, tells
from gatecore.ledger.records import MatrixEvent
from gatecore.ledger.replays import EVENTS
from gatecore.ledger.run import Batch
from gateview.store.folder import Folder, is_one_run
from gateview.store.news import News, PlanNews

_PORTION = 0.15  # seconds of reading new runs at one look
_GROWING_PER_LOOK = 200  # runs looked at in turns, those that may still grow
_SETTLED_PER_LOOK = 2  # the others, at least
_SETTLED_PER_SECOND = 10
_QUIET_AFTER = 10.0  # seconds without news
_ABANDONED_AFTER = 3600.0  # the same for a run that is not over: its harness is most likely dead
_YOUNG = 2.0  # seconds for which a new directory is looked at whether or not it was told of
_NEWEST = 100  # at most so many of these

Touched = Mapping[str, Collection[str]]
"""Names of files by the directories in which they are, as paths."""


@dataclass(slots=True, eq=False)
class _Tracked:
    """One run directory under watch, or one that may become one. Without a `reader` it is as at `mark`."""

    key: str
    path: str
    inode: int
    found_at: float
    reader: RunReader | None = None
    mark: int | None = None
    is_read: bool = False
    over: bool = False
    news_at: float = 0.0

    def look(self, now: float, files: Collection[str] | None = None) -> Batch | None:
        """What is new in the run, or in `files` of it."""
        if self.reader is None:
            if self.is_read and files is None and mark_of(self.path) == self.mark:
                return None
            self.reader, files = RunReader(Path(self.path), fresh=self.is_read), None
        batch = self.reader.poll(files)
        if batch is not None:
            self.over = batch.over
            self.news_at = now if self.is_read else now - _age(self.path)
            self.is_read = True
        return batch

    def rest(self) -> None:
        """Forget how far the run was read: it was read to its end, and may have nothing more to tell."""
        if self.reader:
            self.mark, self.reader = self.reader.mark, None

    def is_quiet(self, now: float) -> bool:
        """Whether nothing came for a while."""
        return now - self.news_at > _QUIET_AFTER

    def is_settled(self, now: float) -> bool:
        """Whether nothing more is to be expected of it."""
        return now - self.news_at > (_QUIET_AFTER if self.over else _ABANDONED_AFTER)


class Tailer:
    """Follows the runs in `folders`. To be polled by one thread; the other members may be used by any."""

    def __init__(self, folders: Sequence[Path], clock: Callable[[], float] = time.monotonic) -> None:
        paths = list(dict.fromkeys(os.path.realpath(folder) for folder in folders))
        parents = {path: os.path.dirname(path) if is_one_run(path) else path for path in paths}  # noqa: PTH120
        prefixes = labels(dict.fromkeys(parents.values()))
        self._folders = [Folder(path, prefixes[parent]) for path, parent in parents.items()]
        self._plans = {path: (prefixes[parents[path]], MatrixReader(Path(path))) for path in paths}
        self._replays = {path: MatrixReader(Path(path), EVENTS) for path in paths}
        self._clock = clock
        self._tracked: dict[str, _Tracked] = {}
        self._by_path: dict[str, _Tracked] = {}
        self._inodes: set[int] = set()
        self._unread: deque[_Tracked] = deque()
        self._growing: OrderedDict[str, _Tracked] = OrderedDict()
        self._settled: OrderedDict[str, _Tracked] = OrderedDict()
        self._hopeful: OrderedDict[str, _Tracked] = (
            OrderedDict()
        )  # directories without any file of a run so far
        self._overdue = 0  # runs to look at soon, as changes may have been lost
        self._looked_at = clock()
        self._hurried: deque[str] = deque()
        self._newest: deque[_Tracked] = deque(maxlen=_NEWEST)

    @property
    def pending(self) -> int:
        """Runs that were found and not read yet: poll again at once while there are any."""
        return len(self._unread)

    @property
    def folders(self) -> list[Path]:
        """The folders, without links."""
        return [Path(folder.path) for folder in self._folders]

    @property
    def restless(self) -> bool:
        """Whether a directory came a moment ago: of what is written in it next, a system may tell nothing."""
        now = self._clock()
        return bool(self._hurried) or any(now - folder.stamped_at < _YOUNG for folder in self._folders)

    @property
    def overdue(self) -> bool:
        """Whether runs wait to be looked at because changes may have been lost."""
        return self._overdue > 0

    def path(self, key: str) -> Path | None:
        """The run directory of `key`, None when it is not (or no longer) there."""
        tracked = self._tracked.get(key)
        return Path(tracked.path) if tracked and tracked.is_read else None

    def rescan(self) -> None:
        """Look at every run soon: changes may have been lost."""
        self._growing |= self._settled
        self._settled.clear()
        self._overdue = len(self._growing)

    def hurry(self, key: str) -> None:
        """Look at the run of `key` the next time, whatever its turn."""
        self._hurried.append(key)

    def poll(self, touched: Collection[str] | None = None) -> News:
        """Return what is new since the last look.

        With `touched`, paths below the folders, only there and in runs that came a moment ago; else in runs
        whose turn it is. New runs are read in either case.
        """
        now = self._clock()
        files = None if touched is None else _by_directory(touched)
        gone: list[str] = []
        for folder in self._folders:
            gone += self._look_for_runs(folder, now, files)
        batches: dict[str, Batch] = {}
        if files is None:
            self._take_turns(now, batches)
        else:
            self._look_where_told(files, now, batches)
        for _ in range(len(self._hurried)):
            self._look(self._hurried.popleft(), now, batches)
        self._read_new(now, batches)
        return News(batches, frozenset(gone), self._look_at_plans(files), self._look_at_replays(files))

    def _look_for_runs(self, folder: Folder, now: float, files: Touched | None) -> list[str]:
        """Take up the directories that came, and return the keys of the runs that are gone."""
        there = () if files is None else files.get(folder.path, ())
        strange = any(name not in folder.found and os.path.isdir(f"{folder.path}/{name}") for name in there)  # noqa: PTH112
        came, went = folder.look(now, anew=strange)
        gone = [key for name in went if (key := self._forget(folder.key(name)))]
        for name in came:
            key, inode = folder.key(name), folder.found[name]
            if key in self._tracked or inode in self._inodes:
                continue  # reached twice, through a link or as both a folder and a run in it: it counts once
            tracked = _Tracked(key, folder.path_of(name), inode, now)
            self._tracked[key] = self._by_path[tracked.path] = tracked
            self._inodes.add(inode)
            self._unread.append(tracked)
            self._newest.append(tracked)
        return gone

    def _forget(self, key: str) -> str | None:
        """Let go of a directory; return its key if it was a run."""
        tracked = self._tracked.pop(key, None)
        if tracked is None:
            return None
        del self._by_path[tracked.path]
        self._inodes.discard(tracked.inode)
        for queue in (self._growing, self._settled, self._hopeful):
            queue.pop(key, None)
        return key if tracked.is_read else None

    def _look_where_told(self, files: Touched, now: float, batches: dict[str, Batch]) -> None:
        for path, names in files.items():
            if tracked := self._by_path.get(path):
                if tracked.key in self._hopeful:
                    self._hope(tracked.key)
                elif telling := [name for name in names if tells(name)]:
                    self._look(tracked.key, now, batches, telling)
        for tracked in self._newest:
            if now - tracked.found_at < _YOUNG:
                if tracked.key in self._hopeful:
                    self._hope(tracked.key)
                elif tracked.key not in batches:
                    self._look(tracked.key, now, batches)

    def _take_turns(self, now: float, batches: dict[str, Batch]) -> None:
        """Look at some of all runs, and at what may have become one."""
        for key in list(islice(self._hopeful, _GROWING_PER_LOOK)):
            self._hope(key)
        due = max(_SETTLED_PER_LOOK, int(_SETTLED_PER_SECOND * (now - self._looked_at)))
        self._looked_at = now
        settled, growing = list(islice(self._settled, due)), list(islice(self._growing, _GROWING_PER_LOOK))
        surprised = [key for key in settled if self._look(key, now, batches)]
        for key in growing:
            self._look(key, now, batches)
        for key in (*settled, *growing):
            self._queue(self._tracked[key], now)
        self._overdue = max(0, self._overdue - len(growing))
        if surprised:  # there may be more that nobody was told of
            self.rescan()

    def _read_new(self, now: float, batches: dict[str, Batch]) -> None:
        while self._unread and self._clock() < now + _PORTION:
            tracked = self._unread.popleft()
            if self._tracked.get(tracked.key) is not tracked:
                continue
            if not is_run(tracked.path):
                self._hopeful[tracked.key] = tracked
            elif (batch := tracked.look(now)) is not None:
                batches[tracked.key] = batch
                if batch.over:
                    tracked.rest()
                self._queue(tracked, now)

    def _look(
        self, key: str, now: float, batches: dict[str, Batch], files: Collection[str] | None = None
    ) -> bool:
        """Look at a run that was read before, once; return whether there was news."""
        tracked = self._tracked.get(key)
        if tracked is None or not tracked.is_read:
            return False
        if key in batches:
            self.hurry(key)
            return False
        if (batch := tracked.look(now, files)) is None:
            return False
        batches[key] = batch
        if self._settled.pop(key, None):
            self._growing[key] = tracked
        return True

    def _queue(self, tracked: _Tracked, now: float) -> None:
        """Let a run that was just read to its end wait for its next turn."""
        settled = tracked.is_settled(now)
        if tracked.is_quiet(now):
            tracked.rest()
        for queue in (self._growing, self._settled):
            queue.pop(tracked.key, None)
        (self._settled if settled else self._growing)[tracked.key] = tracked

    def _hope(self, key: str) -> None:
        """Let a directory be read if it has become a run; else it waits behind the others."""
        tracked = self._hopeful.pop(key)
        if is_run(tracked.path):
            self._unread.append(tracked)
        else:
            self._hopeful[key] = tracked

    def _look_at_plans(self, files: Touched | None) -> dict[str, PlanNews]:
        news = {}
        for path, (prefix, reader) in self._plans.items():
            if files is None or MATRIX in files.get(path, ()):
                events, anew = reader.poll()
                if events or anew:
                    news[prefix] = PlanNews(events, anew)
        return news

    def _look_at_replays(self, files: Touched | None) -> tuple[MatrixEvent, ...]:
        touched = [r for path, r in self._replays.items() if files is None or EVENTS in files.get(path, ())]
        return tuple(event for reader in touched for event in reader.poll()[0])


def _by_directory(paths: Collection[str]) -> Touched:
    files: dict[str, list[str]] = {}
    for path in paths:
        folder, _, name = path.rpartition("/")
        files.setdefault(folder, []).append(name)
    return files


def _age(run: str) -> float:
    """Seconds since a file came or went in the run directory."""
    try:
        return max(0.0, time.time() - os.stat(run).st_mtime)  # noqa: PTH116
    except OSError:
        return 0.0
