"""Patches as data: files, hunks and lines; and what changed from one patch of a tree to the next.

The second needs no tree: two patches on the same base show, between them, every line of the base near a change.
"""

import difflib
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

_HUNK = re.compile(r"@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@(.*)")
_CONTEXT = 3
_NO_NEWLINE = "\n\\ No newline at end of file"


class Hunk(NamedTuple):
    """Lines that begin with a space, ``-`` or ``+``; `old` and `new` are the numbers of their first lines."""

    old: int
    new: int
    lines: tuple[str, ...]
    where: str = ""  # what git found around it: a function, a class

    @property
    def old_lines(self) -> list[str]:
        return [line[1:] for line in self.lines if line[0] != "+"]

    @property
    def new_lines(self) -> list[str]:
        return [line[1:] for line in self.lines if line[0] != "-"]


class FilePatch(NamedTuple):
    """What a patch does to one file. `head` are git's words on it besides hunks: modes, renames, binary data."""

    path: str
    head: tuple[str, ...] = ()
    hunks: tuple[Hunk, ...] = ()

    @property
    def added(self) -> int:
        return sum(line[0] == "+" for hunk in self.hunks for line in hunk.lines)

    @property
    def removed(self) -> int:
        return sum(line[0] == "-" for hunk in self.hunks for line in hunk.lines)


def read_patch(text: str) -> tuple[FilePatch, ...]:
    """Read the output of ``git diff``; what is before the first file is passed over."""
    return tuple(_file(lines) for lines in _split(text))


def between(before: Sequence[FilePatch], after: Sequence[FilePatch]) -> tuple[FilePatch, ...]:
    """What leads from the tree that `before` makes of a base to the one that `after` makes of it."""
    old, new = ({file.path: file for file in patch} for patch in (before, after))
    changes = (
        _change(old.get(path, FilePatch(path)), new.get(path, FilePatch(path)))
        for path in sorted({*old, *new})
    )
    return tuple(change for change in changes if change)


def _change(before: FilePatch, after: FilePatch) -> FilePatch | None:
    if before == after:
        return None
    hunks = tuple(hunk for region in _regions(before.hunks, after.hunks) for hunk in region)
    then, now = (tuple(h for h in side.head if not h.startswith("index ")) for side in (before, after))
    if then == now or not (then or now):
        return FilePatch(after.path, (), hunks) if hunks else None
    head = [f"before: {line}" for line in then[:20] if line not in now]
    head += [line for line in now[:20] if line not in then] or (["as in the base"] if not now else [])
    return FilePatch(after.path, tuple(head), hunks)


def _regions(before: Sequence[Hunk], after: Sequence[Hunk]) -> Iterator[Iterator[Hunk]]:
    """Stretches of the base that either patch shows, each with what changed in it."""
    spans = sorted(
        (*((_start(h), h, 0) for h in before), *((_start(h), h, 1) for h in after)), key=lambda s: s[::2]
    )
    shift = [0, 0]
    group: list[tuple[Hunk, int]] = []
    end = -1
    for start, hunk, side in spans:
        if group and start > end:
            yield _compare(group, shift)
            group = []
        group.append((hunk, side))
        end = max(end, start + len(hunk.old_lines))
    if group:
        yield _compare(group, shift)


def _compare(group: list[tuple[Hunk, int]], shift: list[int]) -> Iterator[Hunk]:
    """Compare the two sides of one stretch; `shift` is how far each side has moved against the base so far."""
    first = min(_start(hunk) for hunk, _ in group)
    base: dict[int, str] = {}
    for hunk, _ in group:
        base.update(enumerate(hunk.old_lines, _start(hunk)))
    texts: list[list[str]] = []
    starts = [first + moved for moved in shift]
    for side in (0, 1):
        lines = [base[i] for i in sorted(base)]
        for hunk in reversed([h for h, s in group if s == side]):
            at = _start(hunk) - first
            lines[at : at + len(hunk.old_lines)] = hunk.new_lines
        texts.append(lines)
        shift[side] += len(lines) - len(base)
    return _hunks(texts[0], texts[1], starts[0], starts[1])


def _hunks(old: list[str], new: list[str], old_start: int, new_start: int) -> Iterator[Hunk]:
    if old == new:
        return
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=len(old) + len(new) > 4000)
    for group in matcher.get_grouped_opcodes(_CONTEXT):
        lines: list[str] = []
        for tag, i, j, k, m in group:
            if tag == "equal":
                lines += [f" {line}" for line in old[i:j]]
                continue
            lines += [f"-{line}" for line in old[i:j]]
            lines += [f"+{line}" for line in new[k:m]]
        yield Hunk(old_start + group[0][1], new_start + group[0][3], tuple(lines))


def _start(hunk: Hunk) -> int:
    """The number of the first line of the base that a hunk replaces; one that only adds names the one before."""
    return hunk.old if hunk.old_lines else hunk.old + 1


def _split(text: str) -> Iterator[list[str]]:
    """The lines of each file; a line of a hunk that looks like a head is none."""
    lines: list[str] = []
    old = new = 0
    for line in text.removesuffix("\n").split("\n"):
        if line.startswith("diff --git ") and old <= 0 and new <= 0:
            if lines:
                yield lines
            lines = []
        elif match := _HUNK.match(line) if old <= 0 and new <= 0 else None:
            old, new = _length(match[2]), _length(match[4])
        elif old > 0 or new > 0:
            old -= line[:1] in (" ", "-", "")
            new -= line[:1] in (" ", "+", "")
        if lines or line.startswith("diff --git "):
            lines.append(line)
    if lines:
        yield lines


def _file(lines: list[str]) -> FilePatch:
    head: list[str] = []
    hunks: list[Hunk] = []
    path, at = _path_of(lines[0]), 1
    while at < len(lines):
        line = lines[at]
        at += 1
        if match := _HUNK.match(line):
            body, at = _body(lines, at, _length(match[2]), _length(match[4]))
            hunks.append(Hunk(int(match[1]), int(match[3]), tuple(body), match[5].strip()))
        elif line.startswith("+++ ") and not line.startswith("+++ /dev/null"):
            path = _unquoted(line[4:]).removeprefix("b/")
        elif not line.startswith(("--- ", "+++ ", "\\")):
            head.append(line.rstrip("\r"))
    return FilePatch(path, tuple(head), tuple(hunks))


def _body(lines: list[str], at: int, old: int, new: int) -> tuple[list[str], int]:
    """The lines of a hunk and where it ends; that a line has no newline at its end is part of it."""
    body: list[str] = []
    while at < len(lines) and (old > 0 or new > 0 or lines[at].startswith("\\")):
        line = lines[at]
        at += 1
        if not line.startswith("\\"):
            body.append(line if line[:1] in ("+", "-", " ") else f" {line}")
            old -= body[-1][0] != "+"
            new -= body[-1][0] != "-"
        elif body:
            body[-1] += _NO_NEWLINE
    return body, at


def _path_of(line: str) -> str:
    """The path in ``diff --git a/x b/x``; both are the same but in a rename, whose new name is the second."""
    names = line.removeprefix("diff --git ").rstrip("\r")
    if names.endswith('"'):
        return _unquoted(names[names.rfind(' "') + 1 :]).removeprefix("b/")
    half = names[len(names) // 2 + 1 :]
    if f"a/{half.removeprefix('b/')} {half}" == names:
        return half.removeprefix("b/")
    return names.rpartition(" b/")[2] or names


def _unquoted(name: str) -> str:
    """A path as git writes it, in C quotes where it has to."""
    name = name.rstrip("\r").removesuffix("\t")
    if not (name.startswith('"') and name.endswith('"')):
        return name
    try:
        return (
            name[1:-1]
            .encode("latin-1", "backslashreplace")
            .decode("unicode_escape")
            .encode("latin-1")
            .decode()
        )
    except (UnicodeError, ValueError):
        return name


def _length(digits: str | None) -> int:
    return 1 if digits is None else int(digits)
