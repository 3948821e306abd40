"""Patches read as data, and what changed between two of them, against real git."""

import random
import subprocess
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from gateview.lines.diff import diff_of, line_of, places
from gateview.lines.spans import text_of
from gateview.store.patch import FilePatch, between, read_patch
from gateview.store.side import SideText


def git(folder: Path, *arguments: str) -> str:
    """Run git in a folder."""
    command = ["git", "-c", "user.name=x", "-c", "user.email=x@x", "-c", "core.quotePath=true", *arguments]
    return subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout


def applied(lines: list[str], patch: FilePatch) -> list[str]:
    """`lines` after the hunks of a patch, which must fit."""
    result = list(lines)
    for hunk in reversed(patch.hunks):
        at = (
            hunk.old - 1
            if hunk.old_lines
            else hunk.old
            if not hunk.lines[0].startswith("+")
            else hunk.old - 1
        )
        at = max(0, at)
        assert result[at : at + len(hunk.old_lines)] == hunk.old_lines
        result[at : at + len(hunk.old_lines)] = hunk.new_lines
    return result


def test_what_changed_between_two_stops_is_found_without_their_trees(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    base = [f"line {i}" for i in range(120)]
    for name in ("a.py", "gone.py", "same.py"):
        (tmp_path / name).write_text("\n".join(base) + "\n")
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-qm", "base")
    chance = random.Random(7)

    def edited(lines: list[str]) -> list[str]:
        lines = list(lines)
        for _ in range(6):
            at = chance.randrange(len(lines))
            lines[at : at + chance.randrange(3)] = [
                f"new {chance.random()}" for _ in range(chance.randrange(4))
            ]
        return lines

    def snapshot(files: dict[str, list[str]], *gone: str) -> tuple[FilePatch, ...]:
        git(tmp_path, "reset", "-q", "--hard")
        for name, lines in files.items():
            (tmp_path / name).write_text("\n".join(lines) + "\n")
        for name in gone:
            (tmp_path / name).unlink()
        git(tmp_path, "add", "-A")
        return read_patch(git(tmp_path, "diff", "--cached", "--no-renames", "HEAD"))

    for _ in range(8):
        one, other = edited(base), edited(base)
        both = edited(one)
        first = snapshot({"a.py": one, "ü.py": one, "same.py": other})
        second = snapshot({"a.py": both, "ü.py": both, "same.py": other}, "gone.py")
        changes = {patch.path: patch for patch in between(first, second)}
        assert set(changes) == {"a.py", "ü.py", "gone.py"} - ({"a.py", "ü.py"} if one == both else set())
        for name in ("a.py", "ü.py"):
            assert applied(one, changes[name]) == both
        assert changes["gone.py"].removed == 120
        back = {patch.path: patch for patch in between(second, first)}
        assert applied(both, back["a.py"]) == one
    assert between(first, first) == ()
    assert {patch.path for patch in between((), first)} == {"a.py", "ü.py", "same.py"}


def test_lines_that_look_like_heads_files_without_newline_and_binary_ones() -> None:
    text = (
        "diff --git a/x.txt b/x.txt\nindex 1..2 100644\n--- a/x.txt\n+++ b/x.txt\n@@ -1,2 +1,2 @@ class A:\n"
        "--- old\n+++ new\n same\n\\ No newline at end of file\n"
        "diff --git a/logo.png b/logo.png\nnew file mode 100644\nGIT binary patch\nliteral 3\nKcmZ\n\n"
    )
    first, second = read_patch(text)
    assert (first.path, first.added, first.removed, first.hunks[0].where) == ("x.txt", 1, 1, "class A:")
    assert first.hunks[0].lines[0] == "--- old"
    assert (second.path, second.hunks, second.head[0]) == ("logo.png", (), "new file mode 100644")
    diff = diff_of(SideText(text))
    shown = [text_of(line_of(diff, place)[0]) for place in places(diff, frozenset())]
    assert "    1 - -- old" in shown
    assert "    2   same   (no newline at the end)" in shown
    folded = places(diff, frozenset({0, 1}))
    assert [text_of(line_of(diff, place)[0]) for place in folded] == [
        "▸ x.txt   +1 -1",
        "",
        "▸ logo.png   no lines of text",
    ]


@given(
    st.lists(
        st.sampled_from(
            ["diff --git a/x b/x", "@@ -1,2 +1 @@", "+a", "-b", " c", "\\ No", "", "+++ b/x", "é"]
        )
    )
)
def test_whatever_a_patch_is_it_is_read_and_drawn(lines: list[str]) -> None:
    diff = diff_of(SideText("\n".join(lines)))
    for place in places(diff, frozenset()):
        line_of(diff, place)
    assert between(diff.files, diff.files) == ()
    between(diff.files, ())
