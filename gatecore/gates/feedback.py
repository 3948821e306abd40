"""What a blocked agent reads: the end of the output, cut to size, with no path of the harness in it."""

import os
import re
from collections.abc import Iterable

from gatecore.checks.scratch import PATTERN
from gatecore.text import clean

_LINES = 40
_COLOUR = r"\x1b\[[\d;]*m"
_TEMPORARY = rf"(?:/[\w.+-]+)*/{PATTERN}/\d+(?![\w-])"


def tail(output: str, chars: int) -> str:
    """The last 40 lines of `output`, at most `chars` characters; the cut is said first."""
    lines = output.rstrip().split("\n")
    kept = "\n".join(lines[-_LINES:])
    if len(lines) <= _LINES and len(kept) <= chars:
        return kept
    note = f"[the last part of {len(lines)} lines]\n"
    room = max(0, chars - len(note))
    return (note + kept[max(0, len(kept) - room) :])[:chars]


def read_output(path: str) -> str:
    """The text of a check's output file, without colours and cleaned; empty when there is none."""
    try:
        with open(path, "rb") as file:
            return clean(re.sub(_COLOUR, "", file.read().decode("utf-8", "replace")))
    except OSError:
        return ""


def scrub(text: str, cwd: str, shown: Iterable[tuple[str, str]]) -> str:
    """Replace folders of the harness, absolute and as seen from `cwd`, by what is to be shown instead.

    `shown` pairs a folder with its stand-in; a longer path is replaced before one that holds it. The folders
    of checks for temporary files are shown as ``/tmp``.
    """
    text = re.sub(_TEMPORARY, "/tmp", text)
    names: dict[str, str] = {}
    for folder, name in shown:
        names.setdefault(folder, name)
        names.setdefault(os.path.relpath(folder, cwd), name)
    names = {name: stand_in for name, stand_in in names.items() if name not in (".", "..")}
    if not names:
        return text
    longest_first = sorted(names, key=len, reverse=True)
    pattern = re.compile("|".join(rf"(?<![\w.-]){re.escape(name)}(?![\w-])" for name in longest_first))
    return pattern.sub(lambda match: names[match.group()], text)
