"""A patch as lines of a screen: files with their hunks, each line made only when it is looked at."""

from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import PurePath

from gatecore.text import clean
from gateview.lines.spans import Span, Spans, say, text_of
from gateview.lines.stop import note
from gateview.lines.syntax import coloured, lexer_of
from gateview.store.patch import FilePatch, Hunk, between, read_patch
from gateview.store.side import SideText

_STRETCH = 120  # lines coloured at once
_LONGEST_LINE = 4000
_HEAD_AT_MOST = 12
_AT_ONCE = 2000
_ROLES = {"+": "added", "-": "removed"}


@dataclass(frozen=True, slots=True)
class Diff:
    """Files of a patch and what is to be said before them. `known` is False when no patch could be read."""

    files: tuple[FilePatch, ...] = ()
    notes: tuple[str, ...] = ()
    known: bool = True
    against: str = "the base"

    @property
    def folded_at_first(self) -> frozenset[int]:
        """Files of such a length that the others would not be found."""
        return frozenset(i for i, file in enumerate(self.files) if file.added + file.removed > 2000)


@dataclass(frozen=True, slots=True)
class Place:
    """One line of a diff: of which file and hunk, and which line of it; -1 where it is none's."""

    file: int = -1
    hunk: int = -1
    line: int = -1
    text: Spans = field(default=(), compare=False)


def diff_of(patch: SideText) -> Diff:
    """The diff in a file; of what is no diff, a note that says so."""
    if not patch.text.strip():
        empty = patch.note.endswith("is empty") or not patch.note
        words = "Nothing was changed: the snapshot's diff is empty." if empty else _sentence(patch.note)
        return Diff(notes=(words,), known=empty)
    files = read_patch(patch.text)
    notes = (_sentence(patch.note),) if patch.note else ()
    if not files:
        lines = clean(patch.text).split("\n")[:1000]
        return Diff(
            notes=(*notes, "This does not look like a diff; shown as it is.", "", *lines), known=False
        )
    for suffix in {PurePath(file.path).suffix for file in files}:
        lexer_of(suffix)  # loads it here, off the thread that draws
    return Diff(files, notes)


def diff_between(before: Diff, now: Diff, against: str) -> Diff:
    """What changed from one stop to the next, made of their diffs against the base.

    Where there is nothing to compare with, the diff against the base, and a note that says so.
    """
    if not now.known:
        return now
    if not before.known:
        return replace(
            now, notes=(*now.notes, f"Against the base, for of {against}: {' '.join(before.notes)}")
        )
    files = between(before.files, now.files)
    unread = [text for text in (*before.notes, *now.notes) if text.startswith("The first")]
    return Diff(files, (*unread, *([] if files else [f"The same as at {against}."])), against=against)


def places(diff: Diff, folded: frozenset[int]) -> list[Place]:
    """Every line of the diff, those of folded files left out."""
    lines = [Place(text=note(text)) for text in diff.notes]
    for at, file in enumerate(diff.files):
        if lines:
            lines.append(Place())
        lines.append(Place(at, text=_file_head(file, folded=at in folded)))
        if at in folded:
            continue
        head = [text for text in file.head if not text.startswith("index ")]
        lines += [Place(at, text=note(f"  {text[:_LONGEST_LINE]}")) for text in head[:_HEAD_AT_MOST]]
        if len(head) > _HEAD_AT_MOST:
            lines.append(
                Place(at, text=note(f"  and {len(head) - _HEAD_AT_MOST:,} more lines that are no text"))
            )
        for number, hunk in enumerate(file.hunks):
            lines.append(Place(at, number, text=_hunk_head(hunk)))
            lines += [Place(at, number, i) for i in range(len(hunk.lines))]
    return lines


def line_of(diff: Diff, place: Place) -> tuple[Spans, str]:
    """The spans of a line, and the role of what is under it."""
    if place.line < 0:
        return place.text, ""
    file = diff.files[place.file]
    hunk = file.hunks[place.hunk]
    numbers, code = _stretch(hunk, place.line // _STRETCH, PurePath(file.path).suffix)
    within = place.line % _STRETCH
    sign = hunk.lines[place.line][0]
    role = _ROLES.get(sign, "")
    head = say(Span(f"{numbers[within]:>5} ", "dim"), Span(f"{sign} ", role))
    return head + code[within], f"{role}-row" if role else ""


def plain_line(diff: Diff, place: Place) -> str:
    """The text of a line, uncoloured and hence at once."""
    if place.line < 0:
        return text_of(place.text)
    return diff.files[place.file].hunks[place.hunk].lines[place.line]


@lru_cache(maxsize=256)
def _stretch(hunk: Hunk, number: int, suffix: str) -> tuple[list[int], list[Spans]]:
    """Numbers and code of some lines of a hunk. Both sides are coloured, each as the code that it is."""
    first = number * _STRETCH
    lines = hunk.lines[first : first + _STRETCH]
    old = hunk.old + sum(line[0] != "+" for line in hunk.lines[:first])
    new = hunk.new + sum(line[0] != "-" for line in hunk.lines[:first])
    texts = [_text(line) for line in lines]
    sides = {}
    for sign in "-+":
        at = [i for i, line in enumerate(lines) if line[0] in (" ", sign)]
        sides[sign] = dict(zip(at, coloured([texts[i] for i in at], suffix), strict=True))
    numbers, code = [], []
    for i, line in enumerate(lines):
        numbers.append(old if line[0] == "-" else new)
        code.append(sides["-" if line[0] == "-" else "+"][i])
        old += line[0] != "+"
        new += line[0] != "-"
    return numbers, code


def _text(line: str) -> str:
    text, ending, _ = line[1:].partition("\n\\")
    text = clean(text.removesuffix("\r")).replace("\n", " ").expandtabs(8)[:_LONGEST_LINE]
    return f"{text}   (no newline at the end)" if ending else text


def _file_head(file: FilePatch, *, folded: bool) -> Spans:
    counts = (
        say(Span(f"   +{file.added:,}", "added"), Span(f" -{file.removed:,}", "removed"))
        if file.hunks
        else say(Span("   no lines of text", "dim"))
    )
    return say(Span("▸ " if folded else "▾ ", "dim"), Span(file.path, "file"), *counts)


def _hunk_head(hunk: Hunk) -> Spans:
    return say(Span(f"  ⋯ line {hunk.new:,}", "hunk"), Span(f"   {hunk.where}" if hunk.where else "", "hunk"))


def hunk_words(diff: Diff, place: Place) -> Spans:
    """Where in the diff a line is: file and number of the hunk."""
    if place.file < 0:
        return say(Span(f"{len(diff.files)} files", "dim")) if diff.files else ()
    file = diff.files[place.file]
    which = f"   hunk {place.hunk + 1} of {len(file.hunks)}" if place.hunk >= 0 else ""
    return say(
        Span(file.path, "file"),
        Span(which, "dim"),
        Span(f"   file {place.file + 1} of {len(diff.files)}", "dim"),
    )


def as_lines(diff: Diff) -> list[Spans]:
    """The diff, or its beginning, at once, for a text."""
    whole = places(diff, diff.folded_at_first)
    lines = [line_of(diff, place)[0] for place in whole[:_AT_ONCE]]
    return lines if len(whole) <= _AT_ONCE else [*lines, note(f"and {len(whole) - _AT_ONCE:,} more lines")]


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}." if text else ""
