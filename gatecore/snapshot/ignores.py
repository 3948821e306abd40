"""All .gitignore files of a tree as one exclude file at its root."""

import os
from collections.abc import Mapping

_GLOB = {ord(char): f"\\{char}" for char in "\\*?["} | {ord("\n"): "?"}  # a pattern cannot hold a line end


def flatten(files: Mapping[str, bytes], extra: bytes = b"") -> bytes:
    """The rules of .gitignore files, given as path -> content, for `git ls-files --exclude-from`.

    What git decides by where a file lies is decided by order here: deeper files come later and win, and
    `extra` (rules seen from the root) comes last.
    """
    rules: list[bytes] = []
    for path in sorted(files, key=lambda path: path.count("/")):
        folder = path[: path.rfind("/") + 1]
        rules += [_rooted(rule, folder) for rule in _rules(files[path])]
    rules += _rules(extra)
    return b"".join(rule + b"\r\n" for rule in rules)  # git drops one CR, and a rule may end in its own


def _rules(content: bytes) -> list[bytes]:
    """The patterns of a file as git reads them: no comments, blank lines, BOM or spaces at the end."""
    lines = content.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    rules = [
        _trimmed(text.removesuffix(b"\r").split(b"\0", 1)[0]) for text in lines if not text.startswith(b"#")
    ]
    return [rule for rule in rules if rule.removeprefix(b"!").removesuffix(b"/")]


def _trimmed(text: bytes) -> bytes:
    """Without the spaces at its end, but for one that a backslash keeps."""
    bare = text.rstrip(b" ")
    backslashes = len(bare) - len(bare.rstrip(b"\\"))
    return text[: len(bare) + 1] if backslashes % 2 else bare


def _rooted(rule: bytes, folder: str) -> bytes:
    """The rule of a .gitignore in `folder` ("" or "a/b/") as a rule of the root."""
    if not folder:
        return rule
    negation, pattern = (b"!", rule[1:]) if rule.startswith(b"!") else (b"", rule)
    anywhere = b"/" not in pattern.removesuffix(b"/")
    prefix = os.fsencode(folder.translate(_GLOB))
    return b"%s/%s%s%s" % (negation, prefix, b"**/" if anywhere else b"", pattern.removeprefix(b"/"))
