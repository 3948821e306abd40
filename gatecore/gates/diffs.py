"""The change as reviewers are shown it: cut per file, with what was left out named."""

import re

from gatecore.text import clean

_FILE = rb"(?m)^(?=diff --git )"
_BINARY = r"(?ms)^GIT binary patch$.*"


def shown_diff(diff: bytes, chars: int) -> str:
    """Return `diff` as text of about `chars` characters at most, each file given a fair share of them.

    What was left out of a file is said at its place and, with its name, at the top.
    """
    files = [_text(part) for part in re.split(_FILE, diff) if part]
    rooms = _fair_shares([len(text) for text in files], chars)
    shown, left_out = [], []
    for text, room in zip(files, rooms, strict=True):
        missing = len(text) - room
        if missing > 0:
            head = text.split("\n", 1)[0].removeprefix("diff --git ")
            left_out.append(f"- {head}: {missing} of {len(text)} characters")
            shown.append(f"{text[:room]}\n[{missing} characters of this file are left out]\n")
        else:
            shown.append(text)
    notice = [
        "This change is too long to be shown whole; read the rest in the files. Left out:",
        *left_out,
        "",
        "",
    ]
    return ("\n".join(notice) if left_out else "") + "".join(shown)


def _text(part: bytes) -> str:
    text = clean(part.decode("utf-8", "replace"))
    return re.sub(_BINARY, "[a binary file; its content is not shown]\n", text)


def _fair_shares(sizes: list[int], total: int) -> list[int]:
    """Split `total` over parts so that small ones are whole and large ones share the rest equally."""
    shares = [0] * len(sizes)
    rest = total
    for place, i in enumerate(sorted(range(len(sizes)), key=sizes.__getitem__)):
        shares[i] = min(sizes[i], rest // (len(sizes) - place))
        rest -= shares[i]
    return shares
