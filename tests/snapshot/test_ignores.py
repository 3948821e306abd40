"""The .gitignore files of a tree, as one file: the same is ignored as by git itself."""

import shutil
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from worktrees import git, repository, write

from gatecore.snapshot.ignores import flatten

FOLDERS = ["", "a/", "a/b/", "a/b/a/", "b/", "[x]/", "sp ace/", "back\\/", "new\nline/"]
FILES = ["foo", "x.log", "#x", "!x", "sp ", "b", "back\\"]
PATTERNS = [
    "foo", "/foo", "foo/", "*.log", "!*.log", "!foo", "!/foo", "a/", "/a/", "a/b", "b", "b/", "!b/", "a/*", "!a/b/",
    "**/foo", "a/**", "**/b/foo", "a/**/foo", "**", "*", "/*", "!*/", "/", "!", "//", "foo//", "#x", "\\#x", "!x",
    "\\!x", "sp ", "sp\\ ", "sp\\  ", "foo  ", "  ", "f?o", "[f]oo", "[!f]*", "*.l[a-z]g", "foo\r", "\\foo",
    "foo\\", "b/foo", "/b/*.log", "\\[x\\]/", "[x]", "sp ace", "f**", "**o", "x.log\0foo",
]  # fmt: skip

rule_files = st.lists(st.sampled_from(PATTERNS), max_size=5).map(lambda rules: "\n".join(rules).encode())
endings = st.sampled_from([b"", b"\n", b"\r\n"])
starts = st.sampled_from([b"", b"\xef\xbb\xbf"])
contents = st.builds(lambda start, rules, end: start + rules + end, starts, rule_files, endings)


@pytest.fixture(scope="module")
def repo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with the same files in each of the folders."""
    repo = repository(tmp_path_factory.mktemp("ignores") / "repo", {})
    write(
        repo,
        {
            f"{folder}{name}": b""
            for folder in FOLDERS
            for name in FILES
            if not (repo / folder / name).is_dir() and f"{folder}{name}/" not in FOLDERS
        },
    )
    return repo


@settings(max_examples=100)
@given(rules=st.dictionaries(st.sampled_from(FOLDERS), contents, max_size=4))
def test_flattened_rules_ignore_what_git_ignores(repo: Path, rules: dict[str, bytes]) -> None:
    for folder in FOLDERS:
        (repo / f"{folder}.gitignore").unlink(missing_ok=True)
    files = {f"{folder}.gitignore": content for folder, content in rules.items()}
    write(repo, files)
    (repo / ".git/flat").write_bytes(flatten(files))
    listed = git(repo, "ls-files", "--others", "-z")
    ignored = git(repo, "check-ignore", "--no-index", "--stdin", "-z", stdin=listed, ok=(0, 1))
    visible = git(repo, "ls-files", "--others", "-z", "--exclude-from=.git/flat")
    assert set(visible.split(b"\0")) == (set(listed.split(b"\0")) - set(ignored.split(b"\0"))) | {b""}


def test_tracked_files_in_ignored_folders_do_not_open_them(tmp_path: Path) -> None:
    files = {".gitignore": b"out/\n*.log\n", "out/kept": b"", "out/.gitignore": b"!*\n", "out/deep/kept": b""}
    repo = repository(tmp_path / "repo", files)
    write(repo, {"out/new": b"", "out/deep/new": b"", "x.log": b"", "seen": b""})
    rules = {path: content for path, content in files.items() if path.endswith(".gitignore")}
    (repo / ".git/flat").write_bytes(flatten(rules))
    ours = git(repo, "ls-files", "--others", "-z", "--exclude-from=.git/flat")
    assert ours == git(repo, "ls-files", "--others", "-z", "--exclude-standard") == b"seen\0"


def test_rules_of_the_gate_win(tmp_path: Path) -> None:
    repo = repository(tmp_path / "repo", {})
    write(repo, {"a/x.log": b"", "a/keep": b"", ".venv/lib": b""})
    rules = flatten({".gitignore": b"*.log\n", "a/.gitignore": b"!x.log\n"}, extra=b"# ours\n/.venv/\nkeep")
    (repo / ".git/flat").write_bytes(rules)
    assert git(repo, "ls-files", "--others", "-z", "--exclude-from=.git/flat") == b"a/x.log\0"
    shutil.rmtree(repo)
