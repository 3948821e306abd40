"""The base of a change: the tree that it is measured against and the ignore rules that hold for it."""

import json
import os
from collections.abc import Iterable
from typing import NamedTuple

from gatecore.snapshot.files import Files
from gatecore.snapshot.git import SnapshotError, existing, git
from gatecore.snapshot.ignores import flatten
from gatecore.snapshot.objects import Entries, Objects, unique, write_whole
from gatecore.snapshot.worktree import Reader, others

_RAW = b"* -text !eol !ident !filter !working-tree-encoding !diff !merge !whitespace\n"
"""Attributes that win over those of any .gitattributes: bytes are taken and written as they are."""

_TRUSTED = b"[safe]\n\tdirectory = *\n"
"""For an upstream that another user owns: the gate runs its tests, so git need not shy away from its files."""


class Base(NamedTuple):
    """The base of a change, as the store keeps it in gate/base.json."""

    commit: str  # "" when it is a work tree as it stood
    tree: str
    entries: Entries
    folders: dict[str, str]  # "" or "a/b/" -> tree id
    large: dict[str, int]  # path -> bytes of its files over the limit
    limit: int  # bytes; a larger file of a work tree is not held
    extra_ignores: str  # rules of the gate's, besides the .gitignore files
    ignores: str  # all rules, seen from the root


def init(git_dir: str, algorithm: str) -> None:
    """Make a git directory. Raises SnapshotError when it has a base already."""
    if os.path.exists(f"{git_dir}/gate/base.json"):
        raise SnapshotError(f"{git_dir} is a store already")
    os.makedirs(f"{git_dir}/gate", exist_ok=True)
    git(git_dir, "init", "--quiet", "--template=", f"--object-format={algorithm}")
    os.makedirs(f"{git_dir}/info", exist_ok=True)
    write_whole(f"{git_dir}/info/attributes", _RAW)


def of_commit(git_dir: str, upstream: str, name: str, extra_ignores: bytes, limit: int) -> Base:
    """The commit `name` of the repository `upstream`, bare or not, as the base of a new store.

    The objects are copied: nothing in the store leads back to that repository.
    """
    upstream = existing(upstream)
    inner = f"{upstream}/.git"
    source = inner if os.path.lexists(inner) else upstream
    try:
        verify = ("rev-parse", "--verify", "--end-of-options", f"{name}^{{commit}}")
        commit = git(source, *verify, work=upstream).out.decode().strip()
    except SnapshotError as error:
        raise SnapshotError(f"{upstream} has no commit {name!r} ({error})") from error
    init(git_dir, git(source, "rev-parse", "--show-object-format", work=upstream).out.decode().strip())
    options = ("--quiet", "--depth=1", "--no-tags", "--no-auto-maintenance", "--no-write-fetch-head")
    trusted = f"{git_dir}/gate/fetch.config"
    write_whole(trusted, _TRUSTED)
    git(git_dir, "fetch", *options, upstream, commit, config=trusted)
    tree = git(git_dir, "rev-parse", f"{commit}^{{tree}}").out.decode().strip()
    objects = Objects(git_dir, len(tree))
    entries = objects.entries(tree)
    folders = objects.write_tree(entries, entries, {})
    extra = os.fsdecode(extra_ignores)
    ignores = rules(objects, entries, extra)
    return Base(commit, folders[""], entries, folders, _large(git_dir, tree, limit), limit, extra, ignores)


def of_work(git_dir: str, work: str, tracked: Iterable[str], extra_ignores: str, limit: int) -> Base:
    """The files of `work` as they are now, by the .gitignore files that are there now.

    The paths in `tracked` belong to it, ignored or not.
    """
    work = existing(work)
    empty = f"{git_dir}/gate/no-index"
    objects = Objects(git_dir, 40)
    files = Files(work, memory(git_dir), objects, keep=True)
    show = ("--porcelain", "-z", "--no-renames", "--untracked-files=all", "--ignored=matching")
    shown = git(git_dir, "status", *show, work=work, index=empty).out
    # Also the ignored ones: a .venv comes with a .gitignore that ignores itself and all beside it.
    found = [path for path in (line[3:] for line in os.fsdecode(shown).split("\0")) if is_ignore_file(path)]
    reader = Reader(files, {}, limit)
    ignores = rules(objects, reader.read({}, {}, found).entries, extra_ignores)
    listed = others(git_dir, work, empty, ignores).paths
    entries = reader.read({}, {}, dict.fromkeys([*listed, *tracked])).entries
    folders = objects.write_tree(entries, entries, {})
    files.save()
    return Base("", folders[""], entries, folders, {}, limit, extra_ignores, ignores)


def rules(objects: Objects, entries: Entries, extra: str) -> str:
    """The ignore rules of a tree, seen from its root. As in git, a .gitignore that is a link does not count."""
    found = [path for path, entry in entries.items() if is_ignore_file(path) and entry.startswith("100")]
    contents = objects.read(entries[path][7:] for path in found)
    return os.fsdecode(flatten(dict(zip(found, contents, strict=True)), os.fsencode(extra)))


def is_ignore_file(path: str) -> bool:
    """Whether git reads ignore rules there."""
    return os.path.basename(path) == ".gitignore"


def index(git_dir: str, base: Base) -> str:
    """The git index with the base's entries, to list what is not among them; nothing ever changes it."""
    return f"{git_dir}/gate/{base.tree}.index"


def memory(git_dir: str) -> str:
    """Where it is kept what was read in the work tree."""
    return f"{git_dir}/gate/known.json"


def load(git_dir: str) -> Base:
    """The base of a store. Raises SnapshotError when there is none."""
    path = f"{git_dir}/gate/base.json"
    try:
        with open(path, "rb") as file:
            return Base(**json.load(file))
    except (OSError, ValueError, TypeError) as error:
        raise SnapshotError(f"no store of the gate: {path}: {error}") from error


def save(git_dir: str, base: Base) -> None:
    """Make `base` the base of the store: killed at any time, this leaves the old one or the new one."""
    part = unique(index(git_dir, base))
    git(git_dir, "read-tree", base.tree, index=part)
    os.replace(part, index(git_dir, base))
    write_whole(f"{git_dir}/gate/base.json", json.dumps(base._asdict()).encode())


def _large(git_dir: str, tree: str, limit: int) -> dict[str, int]:
    lines = os.fsdecode(git(git_dir, "ls-tree", "-r", "-l", "-z", tree).out).split("\0")[:-1]
    sizes = ((meta.split()[3], path) for meta, path in (line.split("\t", 1) for line in lines))
    return {path: int(size) for size, path in sizes if size.isdigit() and int(size) > limit}
