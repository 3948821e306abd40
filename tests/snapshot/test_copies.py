"""A copy holds exactly its tree, whatever a check left in it."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from worktrees import contents, git, repository, write

from gatecore.snapshot import SnapshotError, Store

FILES = {
    "pkg/mod.py": b"x = 1\n",
    "pkg/deep/er/data": b"",
    "run.sh": b"#!/bin/sh\n",
    ".gitignore": b"*.log\nout/\n",
    ".gitattributes": b"* text eol=crlf ident export-subst\n*.id filter=x working-tree-encoding=UTF-16\n",
    "win.txt": b"a\r\nb\r\n",
    "unix.id": b"$Id$ $Format:%H$\n",
}


class Kept:
    """A copy of a base that is kept, and the tree of a later stop."""

    def __init__(self, folder: Path) -> None:
        upstream = folder / "upstream"
        repository(upstream, FILES)
        (upstream / "run.sh").chmod(0o755)
        (upstream / "link").symlink_to("pkg/mod.py")
        git(upstream, "add", "--all")
        git(upstream, "commit", "--quiet", "--message", "base")
        self.upstream, self.copy, self.outside = upstream, folder / "copies/suite", folder / "outside"
        self.store = Store.create(str(folder / "store"), str(upstream), max_file_bytes=1000)
        self.store.checkout(self.store.base_tree, str(self.copy))
        write(self.outside, {"precious": b"precious\n"})

    def restored(self) -> bool:
        """Bring the copy back to the base; whether it then holds what the upstream does."""
        self.store.checkout(self.store.base_tree, str(self.copy))
        return self.intact()

    def intact(self) -> bool:
        tree = self.store.tree_of(str(self.copy)) == self.store.base_tree
        same = contents(self.copy) == contents(self.upstream)
        empty = [path for path in self.copy.rglob("*") if path.is_dir() and not any(path.iterdir())]
        assert contents(self.outside) == {"precious": ("100644", b"precious\n")}
        modes = {path.lstat().st_mode & 0o600 for path in self.copy.rglob("*")}
        return tree and same and not empty and modes == {0o600} and not (self.copy / ".git").exists()


@pytest.fixture
def kept(tmp_path: Path) -> Kept:
    return Kept(tmp_path)


def test_bytes_and_modes_are_as_in_the_tree(kept: Kept) -> None:
    assert kept.intact()
    assert (kept.copy / "win.txt").read_bytes() == b"a\r\nb\r\n"
    assert (kept.copy / "unix.id").read_bytes() == b"$Id$ $Format:%H$\n"
    assert not (kept.copy / ".git").exists()


def test_from_stop_to_stop_only_what_differs_is_written(kept: Kept) -> None:
    store, work = kept.store, kept.upstream
    write(work, {"pkg/mod.py": b"x = 2\n", "new/file": b"new\n"})
    (work / "run.sh").unlink()
    before = {path: path.lstat().st_mtime_ns for path in kept.copy.rglob("*") if path.is_file()}
    snapshot = store.take(str(work))
    store.checkout(snapshot.tree, str(kept.copy))
    assert contents(kept.copy) == contents(work)
    assert store.tree_of(str(kept.copy)) == snapshot.tree
    untouched = [p for p in before if p.exists() and p.lstat().st_mtime_ns == before[p]]
    assert {p.name for p in before} - {p.name for p in untouched} == {"run.sh", "mod.py"}
    assert Store(store.git_dir).tree_of(str(kept.copy)) == snapshot.tree


def _edits(copy: Path, _: Path) -> None:
    write(copy, {"pkg/mod.py": b"x = 3\n", "win.txt": b""})


def _same_size_and_time(copy: Path, _: Path) -> None:
    status = (copy / "pkg/mod.py").stat()
    write(copy, {"pkg/mod.py": b"x = 9\n"})
    os.utime(copy / "pkg/mod.py", ns=(status.st_atime_ns, status.st_mtime_ns))


def _deletes(copy: Path, _: Path) -> None:
    shutil.rmtree(copy / "pkg")
    (copy / "link").unlink()


def _deletes_all(copy: Path, _: Path) -> None:
    shutil.rmtree(copy)


def _adds(copy: Path, _: Path) -> None:
    write(copy, {"new": b"", "pkg/__pycache__/m.pyc": b"x", "x.log": b"ignored", "out/a/b": b"ignored"})
    (copy / "empty/er").mkdir(parents=True)


def _repositories(copy: Path, _: Path) -> None:
    git(copy, "init", "--quiet")
    git(copy / "pkg", "init", "--quiet")
    repository(copy / "vendor/lib", {"x": b"x"})


def _permissions(copy: Path, _: Path) -> None:
    (copy / "run.sh").chmod(0o644)
    (copy / "pkg/mod.py").chmod(0o000)
    write(copy, {"locked/in/x": b""})
    for folder in ("pkg/deep", "locked/in", "locked", "."):
        (copy / folder).chmod(0o500)
    (copy / "pkg").chmod(0)


def _types(copy: Path, outside: Path) -> None:
    (copy / "win.txt").unlink()
    (copy / "win.txt").mkdir()
    write(copy, {"win.txt/x": b""})
    shutil.rmtree(copy / "pkg")
    (copy / "pkg").symlink_to(outside)
    (copy / "link").unlink()
    write(copy, {"link": b"pkg/mod.py"})


def _links_to_the_outside(copy: Path, outside: Path) -> None:
    (copy / "to-outside").symlink_to(outside)
    (copy / "unix.id").unlink()
    (copy / "unix.id").symlink_to(outside / "precious")
    (copy / "run.sh").unlink()
    (copy / "run.sh").hardlink_to(outside / "precious")


def _special(copy: Path, _: Path) -> None:
    os.mkfifo(copy / "pipe")
    (copy / "pkg/mod.py").unlink()
    os.mkfifo(copy / "pkg/mod.py")


def _huge(copy: Path, _: Path) -> None:
    for name in ("win.txt", "huge"):
        with (copy / name).open("wb") as file:
            file.truncate(1 << 40)


def _root_is_a_link(copy: Path, outside: Path) -> None:
    shutil.rmtree(copy)
    copy.symlink_to(outside)


def _too_deep_to_name(copy: Path, _: Path) -> None:
    script = "import os\nfor _ in range(30): os.mkdir('d' * 200); os.chdir('d' * 200)"
    subprocess.run([sys.executable, "-c", script], cwd=copy, check=True)


@pytest.mark.parametrize(
    "check",
    [
        _edits,
        _same_size_and_time,
        _deletes,
        _adds,
        _repositories,
        _permissions,
        _types,
        _links_to_the_outside,
        _special,
        _huge,
    ],
)
def test_what_a_check_did_is_seen_and_undone(kept: Kept, check: Callable[[Path, Path], None]) -> None:
    kept.restored()
    check(kept.copy, kept.outside)
    assert kept.store.tree_of(str(kept.copy)) != kept.store.base_tree
    assert kept.restored()


@pytest.mark.parametrize("check", [_deletes_all, _root_is_a_link, _too_deep_to_name])
def test_a_copy_that_is_past_saving_is_made_anew(kept: Kept, check: Callable[[Path, Path], None]) -> None:
    check(kept.copy, kept.outside)
    assert kept.restored()
    subprocess.run(["rm", "-rf", *map(str, kept.copy.parent.glob("suite.*"))], check=True)


def test_permissions_count_for_others_than_root(unprivileged: Path) -> None:
    kept = Kept(unprivileged)
    _permissions(kept.copy, kept.outside)
    assert kept.store.tree_of(str(kept.copy)) != kept.store.base_tree
    assert kept.restored()


def test_what_the_store_has_not_is_an_error(kept: Kept) -> None:
    with pytest.raises(SnapshotError, match=r"git ls-tree 0123456789\w+: fatal: not a tree object"):
        kept.store.checkout("0123456789" * 4, str(kept.copy))
    with pytest.raises(SnapshotError, match=r"no such folder: .*nowhere"):
        kept.store.tree_of(str(kept.copy / "nowhere"))
    blob = git(kept.upstream, "rev-parse", "HEAD:win.txt").decode().strip()
    write(kept.copy, {"win.txt": b"broken"})
    (Path(kept.store.git_dir) / "objects" / blob[:2] / blob[2:]).unlink()
    with pytest.raises(SnapshotError, match=f"object {blob} is missing"):
        kept.store.checkout(kept.store.base_tree, str(kept.copy))
