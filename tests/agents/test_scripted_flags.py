import subprocess

import pytest
from scripted_bench import COMMAND

from gatecore.agents.scripted.flags import FlagError, parse


def test_the_flags_of_a_worker() -> None:
    flags = parse(
        [
            *["--print", "--model", "claude-sonnet-5-5", "--output-format", "stream-json", "--verbose"],
            *["--include-hook-events", "--max-turns", "60", "--permission-mode", "acceptEdits"],
            *["--allowedTools", "Read", "Bash(git diff *)", "--disallowedTools", "WebFetch"],
            *["--tools", "Read,Edit", "--settings", "{}", "--setting-sources", "", "--strict-mcp-config"],
            *["--mcp-config", '{"mcpServers":{}}', "--append-system-prompt", "-x", "--max-budget-usd=2.5"],
            *["--session-id", "s", "Do it."],
        ]
    )
    assert flags.prompt == "Do it."
    assert flags.model == "claude-sonnet-5-5"
    assert (flags.output_format, flags.hook_events) == ("stream-json", True)
    assert (flags.max_turns, flags.max_budget_usd) == (60, 2.5)
    assert flags.permission_mode == "acceptEdits"
    assert (flags.tools, flags.settings, flags.sources, flags.session_id) == (("Read", "Edit"), "{}", (), "s")


def test_sources_and_schema() -> None:
    assert parse(["-p", "x"]).sources == ("user", "project", "local")
    assert parse(["-p", "x", "--setting-sources", "project,local"]).sources == ("project", "local")
    assert parse(["-p", "x", "--json-schema", '{"type":"object"}']).schema == {"type": "object"}


def test_lists_swallow_what_follows() -> None:
    """So does the client: a prompt after such a flag is lost, unless `=` or `--` ends the list."""
    assert parse(["-p", "--allowedTools", "Read", "Do it."]).prompt is None
    assert parse(["-p", "--allowedTools=Read", "Do it."]).prompt == "Do it."
    assert parse(["-p", "--tools", "", "--", "-x"]).prompt == "-x"


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["-p", "x", "--pace", "1"], "unknown option '--pace'"),
        (["x"], "print mode only"),
        (["-p", "x", "--output-format", "stream-json"], "requires --verbose"),
        (["-p", "x", "--output-format", "xml"], "'xml' is invalid"),
        (["-p", "x", "--max-turns", "0"], "positive number"),
        (["-p", "x", "--max-budget-usd", "nan"], "positive number"),
        (["-p", "x", "--setting-sources", "team"], "Invalid setting source: team"),
        (["-p", "x", "--json-schema", "{"], "not valid JSON"),
        (["-p", "x", "--model"], "argument missing"),
    ],
)
def test_refusals(argv: list[str], message: str) -> None:
    with pytest.raises(FlagError, match=message):
        parse(argv)


@pytest.mark.parametrize(
    ("argv", "code", "stdout", "stderr"),
    [
        (["--version"], 0, "2.1.332 (scripted)\n", ""),
        (["-p", "--nonsense"], 1, "", "error: unknown option '--nonsense'\n"),
        (["-p"], 1, "", "Error: Input must be provided either through stdin or as a prompt argument"),
        (["-p", "x"], 1, "", "GATECORE_SCRIPTED is not set\n"),
    ],
)
def test_as_a_process(argv: list[str], code: int, stdout: str, stderr: str) -> None:
    done = subprocess.run(
        [*COMMAND, *argv], stdin=subprocess.DEVNULL, env={}, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (code, stdout)
    assert done.stderr.startswith(stderr)
