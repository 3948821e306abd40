"""The command line of the client: the flags the harness may give it, read as the client reads them."""

import json
from typing import Any, NamedTuple, TypeVar

_SWITCHES = frozenset(
    ["--print", "--verbose", "--include-hook-events", "--strict-mcp-config", "--version"],
)
_VALUES = frozenset(
    [
        "--model",
        "--output-format",
        "--max-turns",
        "--permission-mode",
        "--settings",
        "--setting-sources",
        "--json-schema",
        "--append-system-prompt",
        "--max-budget-usd",
        "--session-id",
    ],
)
# These take every argument up to the next flag, a prompt included, unless written as --flag=value.
_LISTS = frozenset(
    ["--allowedTools", "--disallowedTools", "--tools", "--mcp-config", "--add-dir", "--plugin-dir"],
)
_SHORT = {"-p": "--print", "-v": "--version"}

_FORMATS = ("text", "json", "stream-json")
_MODES = ("acceptEdits", "auto", "bypassPermissions", "default", "dontAsk", "plan")
_SOURCES = ("user", "project", "local")

N = TypeVar("N", int, float)


class FlagError(Exception):
    """A command line that the client refuses."""


class Flags(NamedTuple):
    """What the command line asks for; `prompt` is None when it has to come from stdin."""

    version: bool
    prompt: str | None
    model: str
    output_format: str
    hook_events: bool
    max_turns: int | None
    max_budget_usd: float | None
    permission_mode: str
    tools: tuple[str, ...] | None
    settings: str | None
    sources: tuple[str, ...]
    schema: dict[str, Any] | None
    session_id: str | None


def parse(argv: list[str]) -> Flags:
    """Read the arguments after the program's name. Raises FlagError with the client's kind of message."""
    given, words = _split(argv)
    flags = Flags(
        version="--version" in given,
        prompt=" ".join(words) or None,
        model=_last(given, "--model") or "claude-sonnet-5",
        output_format=_choice(given, "--output-format", _FORMATS, "text"),
        hook_events="--include-hook-events" in given,
        max_turns=_number(given, "--max-turns", int),
        max_budget_usd=_number(given, "--max-budget-usd", float),
        permission_mode=_choice(given, "--permission-mode", _MODES, "default"),
        tools=_names(given["--tools"]) if "--tools" in given else None,
        settings=_last(given, "--settings"),
        sources=_sources(_last(given, "--setting-sources")),
        schema=_schema(_last(given, "--json-schema")),
        session_id=_last(given, "--session-id"),
    )
    if flags.version:
        return flags
    if "--print" not in given:
        raise FlagError("Error: the scripted client has print mode only: give -p")
    if flags.output_format == "stream-json" and "--verbose" not in given:
        raise FlagError("Error: When using --print, --output-format=stream-json requires --verbose")
    return flags


def _split(argv: list[str]) -> tuple[dict[str, list[str]], list[str]]:
    """Flags with the values given to each, and the words that belong to none."""
    given: dict[str, list[str]] = {}
    words: list[str] = []
    rest = list(argv)
    while rest:
        word = rest.pop(0)
        if word == "--":
            return given, words + rest
        if not word.startswith("-") or word == "-":
            words.append(word)
            continue
        name, equals, value = word.partition("=")
        name = _SHORT.get(name, name)
        values = given.setdefault(name, [])
        if name in _SWITCHES and not equals:
            continue
        if name not in _VALUES and name not in _LISTS:
            raise FlagError(f"error: unknown option '{word}'")
        if equals:
            values.append(value)
            continue
        if not rest or (name in _LISTS and rest[0].startswith("-")):
            raise FlagError(f"error: option '{name} <value>' argument missing")
        values.append(rest.pop(0))
        while name in _LISTS and rest and not rest[0].startswith("-"):
            values.append(rest.pop(0))
    return given, words


def _last(given: dict[str, list[str]], name: str) -> str | None:
    values = given.get(name)
    return values[-1] if values else None


def _choice(given: dict[str, list[str]], name: str, allowed: tuple[str, ...], default: str) -> str:
    value = _last(given, name)
    if value is None:
        return default
    if value not in allowed:
        choices = ", ".join(allowed)
        raise FlagError(
            f"error: option '{name} <value>' argument '{value}' is invalid. Allowed choices are {choices}."
        )
    return value


def _number(given: dict[str, list[str]], name: str, kind: type[N]) -> N | None:
    value = _last(given, name)
    if value is None:
        return None
    try:
        number = kind(value)
    except ValueError:
        number = kind(0)
    if not number > 0:
        raise FlagError(
            f"error: option '{name} <value>' argument '{value}' is invalid. It must be a positive number."
        )
    return number


def _names(values: list[str]) -> tuple[str, ...]:
    return tuple(name for value in values for name in value.replace(",", " ").split())


def _sources(value: str | None) -> tuple[str, ...]:
    if value is None:
        return _SOURCES
    names = tuple(name.strip() for name in value.split(",") if name.strip())
    for name in names:
        if name not in _SOURCES:
            raise FlagError(
                f"Error processing --setting-sources: Invalid setting source: {name}. "
                "Valid options are: user, project, local"
            )
    return names


def _schema(value: str | None) -> dict[str, Any] | None:
    if value is None:
        return None
    try:
        schema = json.loads(value)
    except ValueError as error:
        raise FlagError(f"Error: --json-schema is not valid JSON: {error}") from None
    if not isinstance(schema, dict):
        raise FlagError("Error: --json-schema must be a JSON object")
    return schema
