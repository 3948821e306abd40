"""The work tree at a stop is held whole, whatever is in it and whatever was done to its repository."""

import json
import os
import shutil
import socket
import stat
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Self

import pytest
from worktrees import commit, contents, git, rebuilt, repository, write

from gatecore.snapshot import Snapshot, SnapshotError, Store, Unheld

BASE = {
    "pkg/__init__.py": b"",
    "pkg/core.py": b"def double(x):\n    return 2 * x\n",
    "pkg/deep/data.txt": b"one\ntwo\n",
    "README.md": b"read me\n",
    "tool.sh": b"#!/bin/sh\n",
    ".gitignore": b"*.log\nbuild/\n",
    "kept.log": b"tracked though ignored\n",
}


class Case:
    """An upstream, a work tree cloned from it, and a store on its commit."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.upstream, self.work = folder / "up stream", folder / "work"
        self.store = Store(str(folder / "store"))

    @classmethod
    def made(cls, folder: Path, files: dict[str, bytes]) -> Self:
        upstream = repository(folder / "up stream", files)
        git(upstream, "clone", "--quiet", str(upstream), str(folder / "work"))
        Store.create(str(folder / "store"), str(upstream), max_file_bytes=100_000)
        return cls(folder)

    def take(self) -> Snapshot:
        return self.store.take(str(self.work))

    def settle(self) -> None:
        """Take snapshots until every file of the base is known by its stat."""
        known, deadline = self.folder / "store/gate/known.json", time.monotonic() + 10
        while not (known.exists() and BASE.keys() <= json.loads(known.read_bytes()).keys()):
            assert time.monotonic() < deadline
            self.take()

    def held(self) -> Snapshot:
        """Take a snapshot that has to hold all that is there, but for what the base ignores."""
        snapshot = self.take()
        assert snapshot.unheld == ()
        assert rebuilt(self.upstream, snapshot, self.folder / f"rebuilt-{time.time_ns()}") == contents(
            self.work
        )
        return snapshot


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return Case.made(tmp_path_factory.mktemp("template"), BASE).folder


@pytest.fixture
def case(template: Path, tmp_path: Path) -> Case:
    shutil.copytree(template, tmp_path, symlinks=True, dirs_exist_ok=True)
    return Case(tmp_path)


def test_untouched_tree_is_the_base(case: Case) -> None:
    commit_id = git(case.upstream, "rev-parse", "HEAD").decode().strip()
    tree = git(case.upstream, "rev-parse", "HEAD^{tree}").decode().strip()
    assert (case.store.base_commit, case.store.base_tree) == (commit_id, tree)
    assert case.take() == Snapshot(tree, b"", (), (), ())


def _modify(work: Path) -> None:
    write(work, {"pkg/core.py": b"def double(x):\n    return x + x\n"})


def _delete(work: Path) -> None:
    (work / "pkg/deep/data.txt").unlink()
    (work / "pkg/deep").rmdir()


def _new_files(work: Path) -> None:
    write(work, {"new/empty": b"", "new/no-newline": b"a\nb", "new/crlf.txt": b"a\r\nb\r\n"})
    write(work, {"new/nul.bin": b"\0\1\2" * 100, "new/late-nul.txt": b"line\n" * 2000 + b"\0" + b"line\n"})


def _names(work: Path) -> None:
    names = [
        "grö\u0308ße.py",
        'quo"te',
        "tab\there",
        "new\nline",
        "-dash",
        " space ",
        "back\\slash",
        "*?[x]",
        "ünï/ü",
    ]
    write(work, {f"names/{name}": name.encode() for name in names})
    write(work, {"-rf": b"dash\n", ":(top)x": b"magic\n", "a -> b": b"arrow\n"})


def _modes(work: Path) -> None:
    (work / "tool.sh").chmod(0o755)
    write(work, {"new.sh": b"#!/bin/sh\n"})
    (work / "new.sh").chmod(0o700)


def _links(work: Path) -> None:
    (work / "to-file").symlink_to("pkg/core.py")
    (work / "to-folder").symlink_to("pkg")
    (work / "to-nothing").symlink_to("/no/such/place\u00fc")
    (work / "README.md").unlink()
    (work / "README.md").symlink_to("tool.sh")


def _file_becomes_folder(work: Path) -> None:
    (work / "README.md").unlink()
    write(work, {"README.md/inside": b"x\n"})


def _folder_becomes_file(work: Path) -> None:
    _delete(work)
    write(work, {"pkg/deep": b"now a file\n"})


def _folder_becomes_link(work: Path) -> None:
    (work / "pkg/deep").rename(work / "elsewhere")
    (work / "pkg/deep").symlink_to("../elsewhere")


def _tracked_though_ignored(work: Path) -> None:
    write(work, {"kept.log": b"changed\n"})


@pytest.mark.parametrize(
    ("change", "changed"),
    [
        (_modify, {"pkg/core.py"}),
        (_delete, {"pkg/deep/data.txt"}),
        (_new_files, {"new/empty", "new/no-newline", "new/crlf.txt", "new/nul.bin", "new/late-nul.txt"}),
        (_names, None),
        (_modes, {"tool.sh", "new.sh"}),
        (_links, {"to-file", "to-folder", "to-nothing", "README.md"}),
        (_file_becomes_folder, {"README.md", "README.md/inside"}),
        (_folder_becomes_file, {"pkg/deep/data.txt", "pkg/deep"}),
        (_folder_becomes_link, {"pkg/deep/data.txt", "pkg/deep", "elsewhere/data.txt"}),
        (_tracked_though_ignored, {"kept.log"}),
    ],
)
def test_every_kind_of_change_is_held(
    case: Case, change: Callable[[Path], None], changed: set[str] | None
) -> None:
    case.settle()
    change(case.work)
    snapshot = case.held()
    if changed is not None:
        assert set(snapshot.changed) == changed
    assert case.take() == snapshot


@pytest.mark.skipif(os.uname().sysname == "Darwin", reason="its file names are Unicode")
def test_names_that_are_no_unicode_are_held(case: Case) -> None:
    Path(os.fsdecode(os.fsencode(case.work) + b"/caf\xe9 \xff")).write_bytes(b"x\n")
    assert case.held().changed == (os.fsdecode(b"caf\xe9 \xff"),)


def test_same_size_and_time_do_not_hide_a_change(case: Case) -> None:
    file = case.work / "pkg/core.py"
    os.utime(file, (1, 1))
    case.settle()
    file.write_bytes(file.read_bytes().replace(b"2 * x", b"3 * x"))
    os.utime(file, (1, 1))
    assert case.held().changed == ("pkg/core.py",)


def _commits(work: Path) -> None:
    commit(work)
    git(work, "checkout", "--quiet", "-b", "other")


def _index(work: Path) -> None:
    git(work, "add", "--all")
    git(work, "update-index", "--assume-unchanged", "pkg/core.py")
    git(work, "update-index", "--skip-worktree", "README.md")


def _config(work: Path) -> None:
    (work / ".git/hide").write_bytes(b"*\n")
    settings = {
        "diff.external": "true",
        "core.excludesFile": str(work / ".git/hide"),
        "core.worktree": "/",
        "core.attributesFile": str(work / ".git/hide"),
        "core.fileMode": "false",
        "core.autocrlf": "true",
        "core.fsmonitor": "true",
        "diff.noprefix": "true",
        "color.ui": "always",
        "filter.x.clean": "true",
    }
    for name, value in settings.items():
        git(work, "config", name, value)


def _info(work: Path) -> None:
    write(work / ".git/info", {"exclude": b"*\n", "attributes": b"* -diff text ident filter=x\n"})


def _attributes(work: Path) -> None:
    write(
        work,
        {
            ".gitattributes": b"* text eol=crlf ident filter=x -diff export-ignore working-tree-encoding=UTF-16\n"
        },
    )
    write(work, {"pkg/.gitattributes": b"* binary\n", "id.txt": b"$Id$\r\n"})


def _ignore(work: Path) -> None:
    write(work, {".gitignore": b"*\n", "pkg/.gitignore": b"*\n"})


def _no_repository(work: Path) -> None:
    (work / ".git").rename(work.parent / "gone")


def _other_repository(work: Path) -> None:
    (work / ".git").rename(work.parent / "gone")
    (work / ".git").write_text("gitdir: /nowhere\n")


def _repository_in_the_package(work: Path) -> None:
    git(work / "pkg", "init", "--quiet")


@pytest.mark.parametrize(
    "hide",
    [
        _commits,
        _index,
        _config,
        _info,
        _attributes,
        _ignore,
        _no_repository,
        _other_repository,
        _repository_in_the_package,
    ],
)
def test_nothing_done_to_the_repository_hides_a_change(
    case: Case, hide: Callable[[Path], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    write(case.work, {"pkg/core.py": b"changed\r\n", "pkg/new.py": b"new\n", "README.md": b"changed\n"})
    hide(case.work)
    monkeypatch.setenv("GIT_DIR", str(case.work / ".git"))
    monkeypatch.setenv("GIT_EXTERNAL_DIFF", "true")
    monkeypatch.setenv("GIT_INDEX_FILE", "/nowhere")
    monkeypatch.setenv("GIT_OBJECT_DIRECTORY", "/nowhere")
    monkeypatch.setenv("GIT_DIFF_OPTS", "-U0")
    snapshot = case.take()
    assert {"pkg/core.py", "pkg/new.py", "README.md"} <= set(snapshot.changed)
    assert snapshot.unheld == ()
    for name in list(os.environ):
        if name.startswith("GIT_"):
            monkeypatch.delenv(name)
    assert rebuilt(case.upstream, snapshot, case.folder / "rebuilt") == contents(case.work)


def test_the_agents_index_and_status_stay_as_they_were(case: Case) -> None:
    write(case.work, {"pkg/core.py": b"staged\n", "new.py": b"new\n"})
    git(case.work, "add", "pkg/core.py")
    write(case.work, {"pkg/core.py": b"and changed again\n"})
    os.utime(case.work / "README.md", (1, 1))

    def repository_state() -> tuple[object, bytes]:
        files = {
            path: (path.stat().st_mtime_ns, path.read_bytes())
            for path in (case.work / ".git").rglob("*")
            if path.is_file()
        }
        return files, git(case.work, "--no-optional-locks", "status", "--porcelain=v2", "-z")

    before = repository_state()
    case.take()
    assert repository_state() == before


def test_ignored_by_the_base_is_not_held(case: Case) -> None:
    write(case.work, {"debug.log": b"x\n", "build/out.o": b"x\n", "pkg/build/x": b"x\n", "seen.txt": b"x\n"})
    assert case.take().changed == ("seen.txt",)


def test_what_only_a_changed_gitignore_hides_is_held_and_named(case: Case) -> None:
    write(case.work, {".gitignore": b"*.log\nbuild/\nsecret*\n", "secret.py": b"x\n", "open.py": b"x\n"})
    write(case.work, {"venv/.gitignore": b"*\n", "venv/lib/x.py": b"x\n", "debug.log": b"x\n"})
    snapshot = case.take()
    assert snapshot.newly_ignored == ("secret.py", "venv/.gitignore", "venv/lib/x.py")
    assert set(snapshot.changed) == {".gitignore", "open.py", *snapshot.newly_ignored}


def _nested(work: Path, name: str) -> None:
    repository(work / name, {"inside.py": b"x\n"})


def test_nested_repositories_are_named(case: Case) -> None:
    _nested(case.work, "vendor/lib")
    git(case.work, "worktree", "add", "--quiet", "-b", "side", "side tree")
    snapshot = case.take()
    assert snapshot.changed == ()
    assert snapshot.unheld == (
        Unheld("side tree", "nested repository"),
        Unheld("vendor/lib", "nested repository"),
    )


def test_a_folder_that_becomes_a_repository_is_taken_as_if_it_had_always_been_one(case: Case) -> None:
    write(case.work, {"extra/inside.py": b"x\n"})
    assert case.take().changed == ("extra/inside.py",)
    git(case.work / "extra", "init", "--quiet")
    again = case.take()
    assert (again.changed, again.unheld) == ((), (Unheld("extra", "nested repository"),))


def test_a_tracked_file_that_becomes_a_repository_is_deleted(case: Case) -> None:
    (case.work / "README.md").unlink()
    _nested(case.work, "README.md")
    snapshot = case.take()
    assert snapshot.changed == ("README.md",)
    assert snapshot.unheld == (Unheld("README.md", "nested repository"),)


def test_submodules_stay_as_in_the_base(tmp_path: Path) -> None:
    inner = repository(tmp_path / "inner", {"a": b"a\n"})
    upstream = repository(tmp_path / "upstream", {"b": b"b\n"})
    head = git(inner, "rev-parse", "HEAD").decode().strip()
    git(upstream, "update-index", "--add", "--cacheinfo", f"160000,{head},sub")
    git(upstream, "commit", "--quiet", "--message", "submodule")
    work = tmp_path / "work"
    git(upstream, "clone", "--quiet", str(upstream), str(work))
    store = Store.create(str(tmp_path / "store"), str(upstream))
    assert store.take(str(work)).unheld == ()  # an empty folder is what a clone has there
    why = Unheld("sub", "submodule, stays as in the base")
    for filled in (True, False):
        if filled:
            write(work, {"sub/a": b"x"})
        else:
            shutil.rmtree(work / "sub")
        snapshot = store.take(str(work))
        assert (snapshot.tree, snapshot.unheld) == (store.base_tree, (why,))
    copy = tmp_path / "copy"
    store.checkout(store.base_tree, str(copy))
    assert (copy / "sub").is_dir()
    assert store.tree_of(str(copy)) == store.base_tree
    (copy / "sub/left").write_bytes(b"x")
    assert store.tree_of(str(copy)) != store.base_tree
    store.checkout(store.base_tree, str(copy))
    assert store.tree_of(str(copy)) == store.base_tree


def test_files_over_the_limit_are_named_and_cost_no_time(case: Case) -> None:
    case.take()
    for name in ("huge.bin", "pkg/core.py", "pkg/__init__.py"):
        with (case.work / name).open("wb") as file:
            file.truncate(2 << 30)
    write(case.work, {"at-limit": bytes(100_000)})
    began = time.monotonic()
    snapshot = case.take()
    assert time.monotonic() - began < 2
    assert snapshot.changed == ("at-limit",)
    why = "2147483648 bytes, over the limit of 100000"
    assert snapshot.unheld == tuple(Unheld(p, why) for p in ("huge.bin", "pkg/__init__.py", "pkg/core.py"))


def test_a_file_that_grows_over_the_limit_goes_back_to_the_base(case: Case) -> None:
    write(case.work, {"pkg/core.py": b"small\n", "new.txt": b"small\n"})
    assert case.take().changed == ("new.txt", "pkg/core.py")
    write(case.work, {"pkg/core.py": b"x" * 100_001, "new.txt": b"x" * 100_001})
    assert case.take().tree == case.store.base_tree


def test_large_files_of_the_base_are_held_while_they_stay_as_they_are(tmp_path: Path) -> None:
    case = Case.made(tmp_path, {"big": b"x" * 200_000, "bigger": b"y" * 300_000})
    write(case.work, {"bigger": b"z" * 300_000})
    snapshot = case.take()
    assert (snapshot.changed, [u.path for u in snapshot.unheld]) == ((), ["bigger"])
    case.store.checkout(snapshot.tree, str(tmp_path / "copy"))
    assert contents(tmp_path / "copy") == contents(case.upstream)


def test_pipes_and_sockets_hold_nothing_up(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(case.work)
    os.mkfifo("pipe")
    for name in ("README.md", ".gitignore"):
        Path(name).unlink()
        os.mkfifo(name)
    os.mkfifo(".gitattributes")
    write(case.work, {"new.py": b"x\n"})
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("socket")
        began = time.monotonic()
        snapshot = case.take()
        assert time.monotonic() - began < 5
    assert snapshot.changed == ("new.py",)
    assert snapshot.unheld == tuple(Unheld(p, "not a regular file") for p in (".gitignore", "README.md"))


def test_what_cannot_be_read_is_named(unprivileged: Path) -> None:
    case = Case.made(unprivileged, BASE)
    write(case.work, {"shut/inside.py": b"x\n", "secret.py": b"x\n", "open.py": b"x\n"})
    locked = [case.work / name for name in ("pkg/deep", "shut", "secret.py", "pkg/core.py")]
    write(case.work, {"pkg/core.py": b"changed\n"})
    for path in locked:
        path.chmod(0)
    snapshot = case.take()
    for path in locked:
        path.chmod(0o755)
    assert snapshot.changed == ("open.py",)
    denied = "cannot be read: Permission denied"
    named = dict(snapshot.unheld)
    assert named == dict.fromkeys(
        ["pkg/deep", "pkg/deep/data.txt", "shut", "secret.py", "pkg/core.py"], denied
    )


def test_names_that_git_refuses_are_named(case: Case) -> None:
    write(case.work, {"a/.GIT/config": b"x\n", "git~1": b"x\n", ".gitfoo": b"fine\n"})
    (case.work / ".gitmodules").symlink_to("README.md")
    snapshot = case.take()
    assert snapshot.changed == (".gitfoo",)
    assert {path for path, _ in snapshot.unheld} >= {"git~1", ".gitmodules"}


def test_folders_nested_deeper_than_python_recurses(case: Case) -> None:
    deep = case.work / "/".join("d" * 1100)
    subprocess.run(["mkdir", "-p", str(deep)], check=True)
    (deep / "f").write_bytes(b"x\n")
    snapshot = case.take()
    assert snapshot.changed == ("d/" * 1100 + "f",)
    case.store.checkout(snapshot.tree, str(case.folder / "c"))
    case.store.checkout(case.store.base_tree, str(case.folder / "c"))
    assert contents(case.folder / "c") == contents(case.upstream)
    subprocess.run(["rm", "-rf", str(case.work / "d")], check=True)  # too deep for the clean-up of tmp_path


def test_a_thousand_new_files_take_a_handful_of_processes(
    case: Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(case.work, {f"new/{n}.py": b"x = %d\n" % n for n in range(1000)})
    log, real = case.folder / "log", subprocess.check_output(["which", "git"], text=True).strip()
    wrapper = case.folder / "bin/git"
    write(case.folder, {"bin/git": f'#!/bin/sh\necho "$*" >> "{log}"\nexec "{real}" "$@"\n'.encode()})
    wrapper.chmod(wrapper.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", str(wrapper.parent), prepend=os.pathsep)
    assert len(case.take().changed) == 1000
    assert len(log.read_text().splitlines()) <= 4


def test_a_missing_work_tree_is_an_error_and_no_deletion(case: Case) -> None:
    with pytest.raises(SnapshotError, match=r"no such folder: .*nowhere"):
        case.store.take(str(case.folder / "nowhere"))


def test_git_that_is_missing_is_said(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(case.folder))
    with pytest.raises(SnapshotError, match=r"git ls-files .*: cannot be started: .*'git'"):
        case.take()
