"""JUnit XML, as other runners than pytest write it, in the form of our own report."""

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

from gatecore.text import clean

_MESSAGE_CHARS = 1500
_SHOWN = 20
_OUTCOMES = {"failure": "failed", "error": "error", "skipped": "skipped"}


class Junit(NamedTuple):
    """`report` has the lines that `outcome` judges, none when there is no XML; `failures` is for people."""

    report: bytes
    failures: str


def read_junit(xml: bytes) -> Junit:
    """Read a file of test suites. XML that is broken or cut off counts as none."""
    from xml.etree import ElementTree  # only a check of another runner needs it

    try:
        root = ElementTree.fromstring(xml)
    except (ElementTree.ParseError, ValueError, LookupError):
        return Junit(b"", "")
    lines: list[list[str]] = [["start", "junit"]]
    shown: list[str] = []
    for name, kind, message in _cases(root):
        lines += [["collected", name], ["test", name, kind]]
        if kind in ("failed", "error"):
            shown.append(f"{kind.upper()} {name}\n{message}\n")
    lines += [["module", name, "error"] for name in _broken_suites(root)]
    lines.append(["finish", "junit"])
    more = [f"[{len(shown) - _SHOWN} more]\n"] if len(shown) > _SHOWN else []
    return Junit(
        b"".join(json.dumps(line).encode() + b"\n" for line in lines), "".join(shown[:_SHOWN] + more)
    )


def _cases(root: Any) -> Iterator[tuple[str, str, str]]:
    """Name, outcome and message of each test."""
    for case in root.iter("testcase"):
        where = case.get("file") or case.get("classname") or ""
        name = "::".join(part for part in (where, case.get("name") or "?") if part)
        kind, message = "passed", ""
        for child in case:
            if child.tag in _OUTCOMES and kind in ("passed", "skipped"):
                kind = _OUTCOMES[child.tag]
                message = clean(child.text or child.get("message") or "").strip()[:_MESSAGE_CHARS]
        yield name, kind, message


def _broken_suites(root: Any) -> Iterator[str]:
    """Suites that say they broke, and not in one of their tests."""
    for suite in root.iter("testsuite"):
        if any(child.tag in ("error", "failure") for child in suite):
            yield suite.get("name") or "?"
