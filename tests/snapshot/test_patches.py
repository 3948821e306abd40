"""Any tree, held and rebuilt: what git itself makes of a snapshot is the work tree, byte for byte."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from worktrees import contents, git, repository

from gatecore.snapshot import Store


class File(NamedTuple):
    content: bytes
    executable: bool = False


class Link(NamedTuple):
    target: str


Tree = dict[str, File | Link]

NAMES = [
    "a",
    "b",
    "grö\u0308ße",
    'q"uote',
    "tab\t",
    "new\nline",
    "-d",
    " s ",
    "back\\",
    "*",
    "a.b",
    "a-b",
    "Z",
    "\u65e5",
]
if os.uname().sysname != "Darwin":
    NAMES.append(os.fsdecode(b"\xff\xfe"))
CONTENTS = [
    b"",
    b"\n",
    b"no newline",
    b"one\r\ntwo\r\n",
    b"\r",
    b"\0",
    b"x" * 9000 + b"\0\nlate\n",
    b"line\n" * 50,
    b"line\n" * 25 + b"other\n" + b"line\n" * 25,
    b"diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-x\n+y\n",
    b"\xef\xbb\xbfbom\n",
]
BASE: Tree = {
    "a/a": File(b"line\n" * 50),
    "a/b": File(b"one\ntwo"),
    "a/grö\u0308ße": File(b"x" * 9000 + b"\0\n"),
    "b": File(b"#!/bin/sh\n", executable=True),
    'q"uote/-d/ s ': File(b"one\r\ntwo\r\n"),
    "Z": Link("a/b"),
    "-d": File(b""),
}

paths = st.lists(st.sampled_from(NAMES), min_size=1, max_size=3).map("/".join)
files = st.builds(File, st.sampled_from(CONTENTS) | st.binary(max_size=40), st.booleans())
links = st.builds(Link, st.sampled_from(["a", "a/b", "/nowhere", "new\nline", "."]))
changes = st.dictionaries(st.sampled_from(list(BASE)) | paths, st.none() | files | links, max_size=8)


def after(change: dict[str, File | Link | None]) -> Tree:
    """The base after a change in which new files win over folders and files in their way."""
    tree: Tree = dict(BASE)
    for path, item in change.items():
        tree.pop(path, None)
        if item is not None:
            above = {"/".join(path.split("/")[:n]) for n in range(1, path.count("/") + 1)}
            tree = {p: i for p, i in tree.items() if p not in above and not p.startswith(f"{path}/")}
            tree[path] = item
    return tree


def lay_out(folder: Path, tree: Tree) -> None:
    for path, item in tree.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(item, Link):
            file.symlink_to(item.target)
        else:
            file.write_bytes(item.content)
            file.chmod(0o755 if item.executable else 0o644)


def remove_empty(top: Path, folder: Path) -> None:
    while folder != top and not any(folder.iterdir()):
        folder.rmdir()
        folder = folder.parent


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an `upstream` that holds BASE and two stores on it, `used` and `new`."""
    folder = tmp_path_factory.mktemp("base")
    upstream = repository(folder / "upstream", {})
    lay_out(upstream, BASE)
    git(upstream, "add", "--all")
    git(upstream, "commit", "--quiet", "--amend", "--message", "base")
    for name in ("used", "new"):
        Store.create(str(folder / name), str(upstream))
    return folder


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Callable[[], Path]:
    """Gives a new folder at each call."""
    return lambda: tmp_path_factory.mktemp("example")


@settings(max_examples=40)
@example({" s /a": File(b""), "b /c d/ ": File(b"\0")})  # git makes headers of these that it cannot read
@given(change=changes)
def test_a_patch_on_a_clean_base_rebuilds_the_tree(
    base: Path, place: Callable[[], Path], change: dict[str, File | Link | None]
) -> None:
    tree, folder = after(change), place()
    lay_out(folder / "work", tree) if tree else (folder / "work").mkdir()
    snapshot = Store(str(base / "used")).take(str(folder / "work"))
    shutil.copytree(base / "upstream", folder / "rebuilt", symlinks=True)
    if snapshot.diff:
        git(folder / "rebuilt", "apply", stdin=snapshot.diff)
    assert contents(folder / "rebuilt") == contents(folder / "work")
    git(folder / "rebuilt", "add", "--all", "--force")
    assert git(folder / "rebuilt", "write-tree").decode().strip() == snapshot.tree
    assert set(snapshot.changed) == {p for p in tree.keys() | BASE if tree.get(p) != BASE.get(p)}
    assert snapshot.unheld == ()
    used = Store(str(base / "used"))
    used.checkout(snapshot.tree, str(base / "copy"))
    assert contents(base / "copy") == contents(folder / "work")
    assert used.tree_of(str(base / "copy")) == snapshot.tree
    shutil.rmtree(folder)


@settings(max_examples=15)
@given(stops=st.lists(changes, min_size=2, max_size=4))
def test_a_snapshot_does_not_depend_on_those_before_it(
    base: Path, place: Callable[[], Path], stops: list[dict[str, File | Link | None]]
) -> None:
    folder, tree = place(), dict[str, File | Link]()
    work = folder / "work"
    work.mkdir()
    for n, change in enumerate(stops):
        before, tree = tree, after(change)
        for path in [path for path in before if before[path] != tree.get(path)]:
            (work / path).unlink()
            remove_empty(work, (work / path).parent)
        lay_out(work, {path: item for path, item in tree.items() if before.get(path) != item})
        shutil.copytree(base / "new", folder / f"fresh-{n}")
        fresh = Store(str(folder / f"fresh-{n}")).take(str(work))
        assert Store(str(base / "used")).take(str(work)) == fresh
    shutil.rmtree(folder)


def test_the_store_is_one_that_git_finds_sound(base: Path) -> None:
    work = base / "sound"
    lay_out(work, after({"a/a": None, "new/x/y": File(b"1"), "new.x": File(b"2"), "new-x": File(b"3", True)}))
    store = Store(str(base / "used"))
    snapshot = store.take(str(work))
    git(base, "--git-dir=used", "fsck", "--strict", "--no-dangling", snapshot.tree)


def test_diff_and_numstat_between_any_two_trees(base: Path) -> None:
    store, work = Store(str(base / "used")), base / "stops"
    lay_out(work, after({"a/a": File(b"line\n" * 49), "bin": File(b"\0")}))
    first = store.take(str(work))
    (work / "bin").write_bytes(b"\0\1")
    (work / "tab\t").write_bytes(b"1\n2\n")
    second = store.take(str(work))
    assert store.numstat(store.base_tree, second.tree) == [
        (0, 1, "a/a"),
        (None, None, "bin"),
        (2, 0, "tab\t"),
    ]
    assert store.numstat(first.tree, second.tree) == [(None, None, "bin"), (2, 0, "tab\t")]
    assert store.diff(store.base_tree, second.tree) == second.diff
    assert store.diff(first.tree, first.tree) == b""
    assert b"a/a" not in store.diff(first.tree, second.tree)


def test_apply_takes_bytes_as_they_are_and_all_or_nothing(base: Path) -> None:
    store, work = Store(str(base / "used")), base / "applied"
    changed = after(
        {"a/b": File(b"1\r\n2"), ".gitattributes": File(b"* text eol=crlf ident\n"), "$": File(b"$Id$\n")}
    )
    lay_out(base / "changed", changed)
    (base / "patch").write_bytes(store.take(str(base / "changed")).diff)
    lay_out(work, after({}))
    store.apply(str(work), str(base / "patch"))
    assert contents(work) == contents(base / "changed")
    with pytest.raises(Exception, match=r"git apply .*/patch: .*already exists"):
        store.apply(str(work), str(base / "patch"))
    assert contents(work) == contents(base / "changed")
