"""The oracle's side: one `test_reqN` per requirement, judged by all tests of that name."""

import re
from collections.abc import Callable
from typing import NamedTuple

from gatecore.checks.outcome import NOT_JUDGED, CheckResult

ORACLE = "oracle"
"""Name of the check that runs the hidden tests."""

_REQUIREMENT = r"test_req\d+"
_NAMED = r"(?i)\breq(?:uirement)?[\s_-]*(\d+)"
_USAGE_OR_INTERNAL = (3, 4)  # pytest's exit codes


class Requirements(NamedTuple):
    """What the oracle says of a tree."""

    state: str
    """"judged"; "broken": the oracle did not run, which says nothing of the tree; "absent": there is none."""
    passed: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()


def judge_requirements(file: str, result: CheckResult) -> Requirements:
    """Judge the requirements that the oracle's file holds by the result of running it."""
    try:
        with open(file, encoding="utf-8") as stream:
            text = stream.read()
        if not file.endswith(".py"):
            return judge(named(text), result, _named_in)
        names = requirements(text)
    except FileNotFoundError:
        return Requirements("absent")
    except (OSError, ValueError, SyntaxError):
        return Requirements("broken")
    return judge(names, result)


def requirements(source: str) -> tuple[str, ...]:
    """Return the names of the `test_reqN` functions of a module, at its top or in its classes, in order.

    Raises SyntaxError, or ValueError for a NUL byte, when it is no Python.
    """
    import ast  # costs milliseconds that a stop without an oracle need not pay

    functions: list[str] = []
    nodes: list[ast.stmt] = ast.parse(source).body
    while nodes:
        node, *nodes = nodes
        if isinstance(node, ast.ClassDef):
            nodes = node.body + nodes
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and re.fullmatch(
            _REQUIREMENT, node.name
        ):
            functions.append(node.name)
    return tuple(dict.fromkeys(functions))


def named(text: str) -> tuple[str, ...]:
    """The requirements that tests in another language than Python name: "req 3", "REQ-3", "requirement 3"."""
    return tuple(dict.fromkeys(f"test_req{number}" for number in re.findall(_NAMED, text)))


def judge(
    names: tuple[str, ...], result: CheckResult, of: Callable[[str], str | None] | None = None
) -> Requirements:
    """A requirement passes when it has tests and all of them passed; not when one is skipped or missing."""
    if not names:
        return Requirements("absent")
    never_began = not result.tests and result.exit in _USAGE_OR_INTERNAL
    if result.verdict == NOT_JUDGED or never_began:
        return Requirements("broken")
    outcomes: dict[str, set[str]] = {}
    for test, kind in result.tests.items():
        if name := (of or _requirement_of)(test):
            outcomes.setdefault(name, set()).add(kind)
    passed = tuple(name for name in names if outcomes.get(name) == {"passed"})
    return Requirements("judged", passed, tuple(name for name in names if name not in passed))


def _named_in(test: str) -> str | None:
    """The requirement that the name of a test in JUnit XML holds."""
    found = re.search(_NAMED, test.rsplit("::", 1)[-1])
    return f"test_req{found[1]}" if found else None


def _requirement_of(test: str) -> str | None:
    """The requirement's name in a node id, whose parameters may hold `::` as well."""
    for part in test.split("::")[1:]:
        if re.fullmatch(_REQUIREMENT, name := part.split("[", 1)[0]):
            return name
    return None
