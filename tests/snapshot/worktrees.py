"""What the tests of snapshots share: real repositories, and ways to look at what is in a folder."""

import os
import stat
import subprocess
from collections.abc import Mapping
from pathlib import Path

from gatecore.snapshot import Snapshot


def git(folder: Path, *args: str, stdin: bytes = b"", ok: tuple[int, ...] = (0,)) -> bytes:
    """Run git as a user would in `folder`, without the configuration of whoever runs the tests."""
    env = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    env |= {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C"}
    identity = ("-c", "user.name=Dev", "-c", "user.email=dev@example.org")
    done = subprocess.run(
        ["git", *identity, *args], cwd=folder, env=env, input=stdin, capture_output=True, check=False
    )
    assert done.returncode in ok, done.stderr.decode(errors="replace")
    return done.stdout


def write(folder: Path, files: Mapping[str, bytes]) -> None:
    for path, content in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)


def commit(folder: Path, message: str = "change") -> str:
    git(folder, "add", "--all", "--force")
    git(folder, "commit", "--quiet", "--allow-empty", "--message", message)
    return git(folder, "rev-parse", "HEAD").decode().strip()


def repository(folder: Path, files: Mapping[str, bytes]) -> Path:
    """A repository whose one commit holds `files`, byte for byte."""
    folder.mkdir(parents=True)
    git(folder, "init", "--quiet")
    write(folder, {".git/info/attributes": b"* -text !ident !filter !working-tree-encoding\n"})
    write(folder, files)
    commit(folder, "base")
    return folder


def contents(folder: Path) -> dict[str, tuple[str, bytes]]:
    """path -> mode as git has it, and content or link target; without what lies in a `.git`."""
    found = {}
    places = [folder]
    for place in places:  # grows while it is read
        for path in place.iterdir():
            mode, key = path.lstat().st_mode, str(path.relative_to(folder))
            if path.name == ".git":
                continue
            if stat.S_ISDIR(mode):
                places.append(path)
            elif stat.S_ISLNK(mode):
                found[key] = ("120000", os.fsencode(path.readlink()))
            elif stat.S_ISREG(mode):
                found[key] = ("100755" if mode & stat.S_IXUSR else "100644", path.read_bytes())
    return found


def rebuilt(upstream: Path, snapshot: Snapshot, into: Path) -> dict[str, tuple[str, bytes]]:
    """What is in a clean clone of the base after `git apply` of the snapshot's diff."""
    git(upstream, "clone", "--quiet", str(upstream), str(into))
    if snapshot.diff:
        git(into, "apply", stdin=snapshot.diff)
    return contents(into)
