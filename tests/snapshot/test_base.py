"""What a change is measured against: a commit of a repository, or a work tree as it stood."""

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from worktrees import commit, contents, git, rebuilt, repository, write

from gatecore.snapshot import SnapshotError, Store, Unheld

FILES = {"a.py": b"a\n", "pkg/b.py": b"b\n", ".gitignore": b"*.log\n", "pkg/.gitignore": b"/out\n!keep.log\n"}


@pytest.fixture
def upstream(tmp_path: Path) -> Path:
    return repository(tmp_path / "up stream", FILES)


@pytest.mark.parametrize("kind", ["bare", "worktree", "shallow"])
def test_any_kind_of_repository_will_do(upstream: Path, tmp_path: Path, kind: str) -> None:
    other = tmp_path / "other one"
    match kind:
        case "bare":
            git(upstream, "clone", "--quiet", "--bare", str(upstream), str(other))
        case "worktree":
            git(upstream, "worktree", "add", "--quiet", "--detach", str(other))
        case "shallow":
            commit(upstream)
            git(upstream, "clone", "--quiet", "--depth=1", upstream.as_uri(), str(other))
    store = Store.create(str(tmp_path / "store"), str(other))
    store.checkout(store.base_tree, str(tmp_path / "copy"))
    assert contents(tmp_path / "copy") == contents(upstream)


def test_a_commit_by_any_name(upstream: Path, tmp_path: Path) -> None:
    first = git(upstream, "rev-parse", "HEAD").decode().strip()
    write(upstream, {"a.py": b"changed\n"})
    second = commit(upstream)
    for name, expected in {first: first, "HEAD~1": first, first[:10]: first, "HEAD": second}.items():
        store = Store.create(str(tmp_path / name), str(upstream), commit=name)
        assert store.base_commit == expected
        assert store.base_tree == git(upstream, "rev-parse", f"{expected}^{{tree}}").decode().strip()
        assert Store(store.git_dir).base_tree == store.base_tree


def test_a_repository_of_sha256_ids(tmp_path: Path) -> None:
    upstream = tmp_path / "upstream"
    upstream.mkdir()
    git(upstream, "init", "--quiet", "--object-format=sha256")
    write(upstream, FILES)
    commit(upstream)
    store = Store.create(str(tmp_path / "store"), str(upstream))
    write(upstream, {"new/x.py": b"x\n", "a.py": b"changed\n"})
    snapshot = store.take(str(upstream))
    git(upstream, "add", "--all")
    assert snapshot.tree == git(upstream, "write-tree").decode().strip()
    store.checkout(snapshot.tree, str(tmp_path / "copy"))
    assert store.tree_of(str(tmp_path / "copy")) == snapshot.tree


def test_the_upstream_may_be_gone_afterwards(upstream: Path, tmp_path: Path) -> None:
    shutil.copytree(upstream, tmp_path / "work", symlinks=True)
    store = Store.create(str(tmp_path / "store"), str(upstream))
    shutil.move(upstream, tmp_path / "gone")
    assert not (tmp_path / "store/objects/info/alternates").exists()
    write(tmp_path / "work", {"a.py": b"changed\n"})
    snapshot = store.take(str(tmp_path / "work"))
    store.checkout(snapshot.tree, str(tmp_path / "copy"))
    assert contents(tmp_path / "copy") == contents(tmp_path / "work")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_an_upstream_of_another_user(upstream: Path, tmp_path: Path) -> None:
    for path in [upstream, *upstream.rglob("*")]:
        os.chown(path, 65534, 65534)
    assert Store.create(str(tmp_path / "store"), str(upstream)).base_commit


def test_what_cannot_be_a_base_is_said(upstream: Path, tmp_path: Path) -> None:
    plain = tmp_path / "up stream/pkg"  # inside of a repository, but none
    for folder, name, message in [
        (tmp_path / "nowhere", "HEAD", "no such folder: .*nowhere"),
        (plain, "HEAD", "pkg has no commit 'HEAD'.*not a git repository"),
        (upstream, "no-such", "up stream has no commit 'no-such'"),
        (upstream, "--all", "up stream has no commit '--all'"),
        (repository(tmp_path / "tag", {}), "HEAD:", "has no commit 'HEAD:'"),
    ]:
        with pytest.raises(SnapshotError, match=message):
            Store.create(str(tmp_path / "store"), str(folder), commit=name)
    with pytest.raises(SnapshotError, match=r"no store of the gate: .*store"):
        Store(str(tmp_path / "store"))
    Store.create(str(tmp_path / "store"), str(upstream))
    with pytest.raises(SnapshotError, match="is a store already"):
        Store.create(str(tmp_path / "store"), str(upstream))


def test_hooks_templates_and_config_of_the_user_have_no_part(
    upstream: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hooks, home = tmp_path / "hooks", tmp_path / "home"
    names = ("post-checkout", "post-index-change", "reference-transaction", "fsmonitor-watchman")
    write(hooks, dict.fromkeys(names, f"#!/bin/sh\ntouch '{tmp_path}/ran'\nexit 1\n".encode()))
    settings = {
        "core.hooksPath": str(hooks),
        "core.autocrlf": "true",
        "core.excludesFile": str(home / "all"),
        "init.templateDir": str(tmp_path),
        "init.defaultObjectFormat": "sha256",
    }
    write(home, {"all": b"*\n"})
    for name, value in settings.items():
        git(home, "config", "--file", ".gitconfig", name, value)
    for path in hooks.iterdir():
        path.chmod(0o755)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("GIT_TEMPLATE_DIR", str(tmp_path))
    store = Store.create_from_work(str(tmp_path / "store"), str(upstream))
    write(upstream, {"new": b"a\r\n"})
    assert store.take(str(upstream)).changed == ("new",)
    assert not (tmp_path / "ran").exists()
    assert not (tmp_path / "store/hooks").exists()


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """A work tree that nobody committed, with ignored files and a virtual environment that ignores itself."""
    work = tmp_path / "work"
    write(
        work,
        FILES | {"pkg/x.log": b"", "pkg/keep.log": b"", "pkg/out/o": b"", "dist/built.js": b"", "x.tmp": b""},
    )
    write(work, {".venv/.gitignore": b"*\n", ".venv/lib/m.py": b"", "node_modules/m/.gitignore": b"!*\n"})
    with (work / ".gitignore").open("ab") as file:
        file.write(b"dist/\nnode_modules\n")
    return work


HELD = {".gitignore", "a.py", "pkg/.gitignore", "pkg/b.py", "pkg/keep.log"}


def test_a_work_tree_as_it_stands(work: Path, tmp_path: Path) -> None:
    store = Store.create_from_work(
        str(tmp_path / "store"), str(work), tracked=["dist/built.js"], extra_ignores=b"*.tmp"
    )
    assert store.base_commit == ""
    store.checkout(store.base_tree, str(tmp_path / "copy"))
    assert set(contents(tmp_path / "copy")) == {*HELD, "dist/built.js"}
    assert store.take(str(work)) == (store.base_tree, b"", (), (), ())
    write(
        work,
        {"dist/built.js": b"changed", "dist/new.js": b"", "new.py": b"", "new.tmp": b"", ".venv/new": b""},
    )
    assert store.take(str(work)).changed == ("dist/built.js", "new.py")


def test_a_new_base_for_each_request(work: Path, tmp_path: Path) -> None:
    store = Store.create_from_work(str(tmp_path / "store"), str(work))
    write(
        work, {"new.py": b"x\n", ".gitignore": b"*.log\nx.tmp\ndist/\nnode_modules\n", "a.py": b"changed\n"}
    )
    (work / "pkg/b.py").unlink()
    old = store.take(str(work))
    assert old.changed == (".gitignore", "a.py", "new.py", "pkg/b.py")
    store.rebase(str(work))
    for again in (store, Store(store.git_dir)):
        snapshot = again.take(str(work))
        assert (snapshot.changed, snapshot.tree) == ((), again.base_tree)
        assert "x.tmp" in {path for _, _, path in again.numstat(old.tree, snapshot.tree)}
    assert len(list((tmp_path / "store/gate").glob("*.index"))) == 1


def test_a_nested_repository_is_no_part_of_a_base_either(work: Path, tmp_path: Path) -> None:
    repository(work / "lib", {"x": b"x"})
    store = Store.create_from_work(str(tmp_path / "store"), str(work))
    assert store.take(str(work)) == (store.base_tree, b"", (), (Unheld("lib", "nested repository"),), ())


def test_what_a_killed_process_leaves_disturbs_nobody(upstream: Path, tmp_path: Path) -> None:
    git_dir = tmp_path / "store"
    store = Store.create(str(git_dir), str(upstream))
    write(upstream, {"a.py": b"changed\n"})
    before = store.take(str(upstream))
    for name in (
        "index.lock",
        f"gate/{store.base_tree}.index.lock",
        "gate/known.json.1.1",
        "gate/ignores.1.1",
    ):
        write(git_dir, {name: b"half"})
    known = git_dir / "gate/known.json"
    for damage in (known.read_bytes()[:-20], b"[]", b""):
        known.write_bytes(damage)
        assert Store(str(git_dir)).take(str(upstream)) == before


LOOP = """
import sys
from gatecore.snapshot import Store
store, work, copy = Store(sys.argv[1]), sys.argv[2], sys.argv[3]
for n in range(1_000_000):
    for m in range(20):
        open(f"{work}/new-{m}", "w").write(f"{n} {m}")
    store.checkout(store.take(work).tree, copy)
    print(n, flush=True)
"""


def test_killed_at_any_moment_the_next_stop_is_right(upstream: Path, tmp_path: Path) -> None:
    git_dir, copy = tmp_path / "store", tmp_path / "copy"
    Store.create(str(git_dir), str(upstream))
    for round_ in range(5):
        args = [sys.executable, "-c", LOOP, str(git_dir), str(upstream), str(copy)]
        with subprocess.Popen(args, stdout=subprocess.PIPE, cwd=Path(__file__).parents[2]) as process:
            assert process.stdout is not None
            for _ in range(round_ + 1):
                process.stdout.readline()
            process.send_signal(signal.SIGKILL)
        store = Store(str(git_dir))
        snapshot = store.take(str(upstream))
        assert rebuilt(upstream, snapshot, tmp_path / f"rebuilt-{round_}") == contents(upstream)
        store.checkout(snapshot.tree, str(copy))
        assert contents(copy) == contents(upstream)
    git(git_dir, "--git-dir=.", "fsck", "--strict", "--no-dangling")


def test_two_stops_at_once_do_not_harm_the_store(upstream: Path, tmp_path: Path) -> None:
    git_dir, failures = str(tmp_path / "store"), []
    Store.create(git_dir, str(upstream))
    works = []
    for n in range(4):
        shutil.copytree(upstream, tmp_path / f"work-{n}", symlinks=True)
        works.append(tmp_path / f"work-{n}")
        write(works[-1], {f"new/{m}": f"{m}".encode() for m in range(n * 10)})

    def stop(work: Path) -> None:
        for _ in range(5):
            store = Store(git_dir)
            store.checkout(store.take(str(work)).tree, f"{work}-copy")
            if contents(Path(f"{work}-copy")) != contents(work):
                failures.append(work)

    threads = [threading.Thread(target=stop, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    json.loads((tmp_path / "store/gate/known.json").read_bytes())
    git(tmp_path, f"--git-dir={git_dir}", "fsck", "--strict", "--no-dangling")


def test_a_full_disk_is_an_error(upstream: Path, tmp_path: Path) -> None:
    store = Store.create(str(tmp_path / "store"), str(upstream))
    write(upstream, {"new": bytes(range(256)) * 64})
    code = """
import resource, sys
from gatecore.snapshot import Store
resource.setrlimit(resource.RLIMIT_FSIZE, (200, 200))
Store(sys.argv[1]).take(sys.argv[2])
"""
    args = [sys.executable, "-c", code, store.git_dir, str(upstream)]
    done = subprocess.run(args, capture_output=True, text=True, cwd=Path(__file__).parents[2], check=False)
    assert "SnapshotError: [Errno 27] File too large" in done.stderr
    assert not list((tmp_path / "store").rglob("objects/*/*.*"))
    assert store.take(str(upstream)).changed == ("new",)
