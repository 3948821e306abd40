"""Read run directories for a report: each once, none kept, digests of unchanged ones taken from the cache."""

import os
import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path

from gatecore.analysis.digest import Digest
from gatecore.analysis.reading import NOTHING_AWAY, Away, read_digest
from gatecore.analysis.results import Corpus, Results
from gatecore.ledger.folders import candidates, keyed, no_runs
from gatecore.ledger.packed import Packed, UnpackError, pack, unpack
from gatecore.ledger.reader import MATRIX, MatrixReader
from gatecore.ledger.records import Score, Signoff, Triage
from gateview.store.kept import Keep, Kept, Label
from gateview.store.workers import spread

_WORTH_KEEPING = 200
"""Fewer runs are read faster than the cache is."""


@dataclass(frozen=True, slots=True)
class Gathered:
    """Everything that a report is made of."""

    corpus: Corpus
    folders: tuple[str, ...]
    planned: tuple[str, ...] = ()
    scored: dict[str, tuple[Digest, Score]] = field(default_factory=dict)

    def results(self, most: int | None = None) -> Results:
        """All figures, as `Corpus.results` has them."""
        scores = (self.scored[key][1] for key in sorted(self.scored))
        return self.corpus.results(scores, self.planned, most)


def gather(folders: Sequence[Path], *, cache: bool = False, scores: bool = False) -> Gathered:
    """Read every run in `folders`; keys and errors as for `gateview.store.load.load`.

    With `cache`, digests are kept in the user's cache folder and taken from there. With `scores`, the digest
    and score of every scored run that counts are in the result, and all is read anew, whatever is kept.
    """
    groups = [candidates(folder) for folder in folders]
    paths = keyed(groups)
    corpus, scored, read = Corpus(), dict[str, tuple[Digest, Score]](), set[str]()
    keys = {path: key for key, path in paths.items()}
    away = _verdicts_elsewhere(keys)
    alone = keys if scores else away
    rest = () if scores else [path for path in keys if path not in away]
    for path, digest, score in chain(_scored(alone, away), _digests(rest, cache)):
        read.add(path)
        corpus.add(keys[path], digest)
        if score and digest.counted:
            scored[keys[path]] = digest, score
    elsewhere = {path for group in groups for path in group.paths} - keys.keys()
    for folder, group in zip(folders, groups, strict=True):
        if read.isdisjoint(group.paths) and elsewhere.isdisjoint(group.paths):
            raise no_runs(folder)
    return Gathered(corpus, tuple(map(str, folders)), tuple(_planned(paths, read)), scored)


def _verdicts_elsewhere(paths: Iterable[str]) -> dict[str, Away]:
    """What was said of runs that could not be written, by path."""
    barred = [path for path in paths if not os.access(path, os.W_OK)]
    if not barred:
        return {}
    from gateview.store.elsewhere import lines_of

    found = {
        path: Away(tuple(lines_of(Path(path), Triage)), tuple(lines_of(Path(path), Signoff)))
        for path in barred
    }
    return {path: away for path, away in found.items() if any(away)}


def _scored(paths: Iterable[str], away: Mapping[str, Away]) -> Iterator[tuple[str, Digest, Score | None]]:
    for path in paths:
        found = read_digest(path, away.get(path, NOTHING_AWAY))
        if found:
            yield path, found.digest, found.score


class _Read(Packed, frozen=True):
    """The digest of a run directory; None of another one."""

    digest: Digest | None


class _Made(Packed, frozen=True):
    """What is to be kept of a run directory; without a label: it may change unseen. None of another one.

    None also where it `holds`: then it still is what it was.
    """

    holds: bool = False
    kept: Kept | None = None


def _digests(paths: Collection[str], cache: bool) -> Iterator[tuple[str, Digest, None]]:
    if cache and len(paths) >= _WORTH_KEEPING:
        yield from _kept_digests(paths)
        return
    for path, read in spread(_read, list(paths), pack, lambda packed: unpack(packed, _Read)):
        if read.digest:
            yield path, read.digest, None


def _kept_digests(paths: Collection[str]) -> Iterator[tuple[str, Digest, None]]:
    keeps = _keeps({path.rpartition("/")[0] for path in paths})
    known = {
        f"{folder}/{name}": run for folder in keeps for name, run in keeps[folder].load(len(paths)).items()
    }
    anew = {folder for folder in keeps if keeps[folder].anew}
    items = [(path, known[path].label if path in known else None) for path in paths]
    for (path, _), made in spread(_make, items, pack, lambda packed: unpack(packed, _Made)):
        kept = known[path] if made.holds else made.kept
        digest = _digest(kept.digest, path) if kept else None
        if kept and digest:
            yield path, digest, None
            folder = path.rpartition("/")[0]
            if kept.label and (folder in anew or not made.holds):
                keeps[folder].add(kept)
    for keep in keeps.values():
        keep.commit()


def _keeps(folders: Iterable[str]) -> dict[str, Keep]:
    from platformdirs import user_cache_path

    return {folder: Keep(user_cache_path("gateview"), folder) for folder in folders}


def _read(path: str) -> _Read:
    found = read_digest(path)
    return _Read(found.digest if found else None)


def _make(item: tuple[str, memoryview | None]) -> _Made:
    """Digest the run in a folder, unless it still is what its packed label says."""
    path, label = item
    if label and _holds(label, path):
        return _Made(holds=True)
    now = time.time_ns()
    found = read_digest(path)
    if found is None:
        return _Made()
    fresh = Label(now, found.signatures)
    packed = pack(fresh) if fresh.lasting else b""
    name = os.fsencode(path.rpartition("/")[2])
    return _Made(kept=Kept(name, memoryview(packed), memoryview(pack(found.digest))))


def _holds(label: memoryview, path: str) -> bool:
    try:
        return unpack(label, Label).holds(path)
    except UnpackError:
        return False


def _digest(packed: memoryview, path: str) -> Digest | None:
    try:
        return unpack(packed, Digest)
    except UnpackError:  # the cache is damaged
        return _read(path).digest


def _planned(paths: Mapping[str, str], read: set[str]) -> Iterator[str]:
    """Keys of the runs that the plans in the runs' folders name."""
    prefixes = {
        path.rpartition("/")[0]: key.removesuffix(path.rpartition("/")[2])
        for key, path in paths.items()
        if path in read
    }
    for folder, prefix in sorted(prefixes.items()):
        if os.path.lexists(f"{folder}/{MATRIX}"):
            from gateview.store.plan import Plan, advanced

            events, _ = MatrixReader(Path(folder)).poll()
            yield from advanced(Plan(), events, prefix).cells
