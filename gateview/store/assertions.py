"""Which tests failed, and on what: read off the output of pytest, whole or in part."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

_SECTION = re.compile(r"_{2,} (.+?) _{2,}\s*")
_HEADING = re.compile(r"={3,} (.+?) ={3,}\s*")
_FAILED = re.compile(r"(?:FAILED|ERROR) (\S+)")
_LINES_AT_MOST = 12


class Failure(NamedTuple):
    """One failing test: the line of source that failed, and the lines that say how, as pytest prints them."""

    test: str
    source: str = ""
    errors: tuple[str, ...] = ()


class Output(NamedTuple):
    """What one run of pytest says of failing tests. `torn` are the error lines of a test whose head is cut off;
    `named` are the tests of the summary, without files and parameters."""

    failures: tuple[Failure, ...] = ()
    torn: tuple[str, ...] = ()
    named: frozenset[str] = frozenset()


def parse(text: str) -> Output:
    """Read an output of pytest, or a part of one."""
    sections: list[tuple[str, list[str]]] = [("", [])]
    named = set()
    reading = True
    for line in text.splitlines():
        if heading := _HEADING.fullmatch(line):
            reading = heading[1] in ("FAILURES", "ERRORS")
        elif match := _FAILED.match(line):
            named.add(bare(match[1]))
        elif reading and (section := _SECTION.fullmatch(line)) and section[1].strip("_ "):
            sections.append((section[1], []))
        elif reading:
            sections[-1][1].append(line)
    (_, before), *rest = sections
    return Output(tuple(_failure(test, body) for test, body in rest), _errors(before), frozenset(named))


def bare(test: str) -> str:
    """The name of a test without its file, class and parameters."""
    return test.partition("[")[0].rsplit("::", 1)[-1].rsplit(".", 1)[-1]


def echoed(failures: Sequence[Failure], reason: str, *, whole: bool) -> Iterator[tuple[Failure, str]]:
    """Yield each failure with how much of it `reason` holds: ``told``, ``in part``, ``name only`` or ``cut off``.

    Where the ledger does not hold the whole reason, what is not in it is ``?``.
    """
    sent = parse(reason)
    sections = {failure.test: failure for failure in sent.failures}
    first = next((i for i, failure in enumerate(failures) if failure.test in sections), len(failures))
    for i, failure in enumerate(failures):
        there = sections.get(failure.test)
        if there and there.errors == failure.errors:
            yield failure, "told"
        elif there or (i == first - 1 and sent.torn and failure.errors[-len(sent.torn) :] == sent.torn):
            yield failure, "in part"
        elif bare(failure.test) in sent.named:
            yield failure, "name only"
        else:
            yield failure, "cut off" if whole else "?"


def _failure(test: str, body: list[str]) -> Failure:
    marked = [line[1:].strip() for line in body if line.startswith(">")]
    before = [a.strip() for a, b in pairwise(body) if b.startswith("E ") and a[:4] == "    "]
    source = marked[-1] if marked else before[0] if before else ""
    return Failure(test, source, _errors(body))


def _errors(body: list[str]) -> tuple[str, ...]:
    found = [line[4:].rstrip() for line in body if line.startswith("E ")]
    return tuple(text for text in found if text.strip())[:_LINES_AT_MOST]
