"""The gate's own git directory: the base of a change, and the work tree at each stop against it."""

import os
import re
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from typing import NamedTuple, Self

from gatecore.snapshot import base as bases
from gatecore.snapshot.copies import Copy
from gatecore.snapshot.files import Files
from gatecore.snapshot.git import SnapshotError, existing, git
from gatecore.snapshot.objects import SUBMODULE, Objects
from gatecore.snapshot.worktree import Reader, State, Unheld, others

MAX_FILE_BYTES = 50_000_000

_DIFF = (
    "--binary",
    "--full-index",
    "--no-renames",
    "--no-ext-diff",
    "--no-textconv",
    "--no-color",
    "--src-prefix=a/",
    "--dst-prefix=b/",
    "--unified=3",
)
_SPACED = rb"(?m)^diff --git a/([^\n]* /[^\n]*) b/\1$"
"""Headers that `git apply` takes for nameless, unless quoted: a folder's name ends in a space."""


class Snapshot(NamedTuple):
    """A work tree as it was at one moment."""

    tree: str  # id of the git tree, hex
    diff: bytes  # binary patch from the base to it; `git apply` on a clean base rebuilds it byte for byte
    changed: tuple[str, ...]  # paths that differ from the base
    unheld: tuple[Unheld, ...]
    newly_ignored: tuple[str, ...]  # held, although a .gitignore that is not the base's would hide them


@contextmanager
def _told() -> Generator[None]:
    """A full disk or a missing permission is told like a failure of git."""
    try:
        yield
    except OSError as error:
        raise SnapshotError(str(error)) from error


class Store:
    """A git directory that the gate owns. It reads nothing of a work tree's own `.git`, and writes nothing there.

    Calls on one store are made one at a time. A process that is killed in one leaves nothing that disturbs
    the next. All calls raise SnapshotError when git or the file system refuses.
    """

    def __init__(self, git_dir: str) -> None:
        self.git_dir = os.path.abspath(git_dir)
        self._base = bases.load(self.git_dir)
        self._objects = Objects(self.git_dir, len(self._base.tree))
        self._entries = {self._base.tree: self._base.entries}

    @classmethod
    @_told()
    def create(
        cls,
        git_dir: str,
        upstream: str,
        commit: str = "HEAD",
        extra_ignores: bytes = b"",
        max_file_bytes: int = MAX_FILE_BYTES,
    ) -> Self:
        """A new store whose base is a commit of the repository `upstream`, bare or not.

        `extra_ignores` are rules as in a .gitignore at the root; they win over those of the base.
        """
        git_dir = os.path.abspath(git_dir)
        bases.save(git_dir, bases.of_commit(git_dir, upstream, commit, extra_ignores, max_file_bytes))
        return cls(git_dir)

    @classmethod
    @_told()
    def create_from_work(
        cls,
        git_dir: str,
        work: str,
        tracked: Iterable[str] = (),
        extra_ignores: bytes = b"",
        max_file_bytes: int = MAX_FILE_BYTES,
    ) -> Self:
        """A new store whose base is the folder `work` as it stands, without what its .gitignore files hide.

        `tracked` names files that belong to the base though they are ignored.
        """
        git_dir = os.path.abspath(git_dir)
        bases.init(git_dir, "sha1")
        extra = os.fsdecode(extra_ignores)
        bases.save(git_dir, bases.of_work(git_dir, work, tracked, extra, max_file_bytes))
        return cls(git_dir)

    @property
    def base_commit(self) -> str:
        """The base's commit; "" when the base is a work tree as it stood."""
        return self._base.commit

    @property
    def base_tree(self) -> str:
        """The base's tree."""
        return self._base.tree

    def base_names(self, folder: str = "") -> set[str]:
        """The names of what lies in a folder ("" is the root, else "a/b") of the base."""
        if not folder:
            return {path.partition("/")[0] for path in self._base.entries}
        start = f"{folder}/"
        return {p[len(start) :].partition("/")[0] for p in self._base.entries if p.startswith(start)}

    @_told()
    def rebase(self, work: str, tracked: Iterable[str] = ()) -> None:
        """From now on the base is `work` as it stands, as in `create_from_work`."""
        old = self._base
        new = bases.of_work(self.git_dir, work, tracked, old.extra_ignores, old.limit)
        bases.save(self.git_dir, new)
        if old.tree != new.tree:
            os.unlink(bases.index(self.git_dir, old))
        self._base = new
        self._entries = {new.tree: new.entries}

    @_told()
    def take(self, work: str) -> Snapshot:
        """What is in `work` now, by the base's ignore rules."""
        work = existing(work)
        base = self._base
        listing = others(self.git_dir, work, bases.index(self.git_dir, base), base.ignores)
        files = Files(work, bases.memory(self.git_dir), self._objects, keep=True)
        state = Reader(files, base.large, base.limit).read(base.entries, base.folders, listing.paths)
        tree = self._objects.write_tree(state.entries, state.changed, base.folders)[""]
        self._entries[tree] = state.entries
        files.save()
        return Snapshot(
            tree,
            self.diff(base.tree, tree),
            tuple(sorted(state.changed)),
            tuple(sorted(listing.unheld + state.unheld)),
            self._newly_ignored(work, state),
        )

    @_told()
    def diff(self, old: str, new: str) -> bytes:
        """The patch from one tree-ish to another, in the form of `Snapshot.diff`."""
        if old == new:
            return b""
        patch = git(self.git_dir, "diff-tree", "-r", "-p", *_DIFF, old, new).out
        return re.sub(_SPACED, rb'diff --git "a/\1" "b/\1"', patch)

    @_told()
    def numstat(self, old: str, new: str) -> list[tuple[int | None, int | None, str]]:
        """Lines added and deleted (None for a binary file) and path, for each file that differs."""
        out = git(self.git_dir, "diff-tree", "-r", "-z", "--numstat", "--no-renames", old, new).out
        rows = (line.split("\t", 2) for line in os.fsdecode(out).split("\0")[:-1])
        return [(_count(added), _count(deleted), path) for added, deleted, path in rows]

    @_told()
    def checkout(self, tree: str, copy: str) -> None:
        """Make the folder `copy` hold exactly `tree`; what else is there goes, ignored or not.

        It is kept from stop to stop, and what is known of its files lies beside it in `copy` + ".known".
        """
        self._copy(os.path.abspath(copy)).bring_to(self._entries.get(tree) or self._objects.entries(tree))

    @_told()
    def tree_of(self, copy: str) -> str:
        """The id of the tree that the folder `copy` holds now, ignored files too. It is not stored."""
        submodules = {path: e for path, e in self._base.entries.items() if e.startswith(SUBMODULE)}
        found = self._copy(existing(copy)).entries(submodules)
        return self._objects.write_tree(found, found, {}, keep=False)[""]

    @_told()
    def apply(self, work: str, patch: str) -> None:
        """`git apply` a patch file to a work tree, all of it or nothing."""
        git(self.git_dir, "apply", "--whitespace=nowarn", os.path.abspath(patch), work=existing(work))

    def _copy(self, root: str) -> Copy:
        return Copy(root, self._objects, self._base.large, self._base.limit)

    def _newly_ignored(self, work: str, state: State) -> tuple[str, ...]:
        if not any(map(bases.is_ignore_file, state.changed)):
            return ()
        base = self._base
        now = bases.rules(self._objects, state.entries, base.extra_ignores)
        seen = set(others(self.git_dir, work, bases.index(self.git_dir, base), now).paths)
        new = state.entries.keys() - base.entries.keys()
        return tuple(sorted(new - seen))


def _count(number: str) -> int | None:
    return None if number == "-" else int(number)
