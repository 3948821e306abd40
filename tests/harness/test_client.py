"""How the worker is started: its login, its instructions, and what of an outer session it must not see."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from gating import make_bench

from gatecore.agents.claude import agent_env, borrowed_token, lent_token
from gatecore.agents.stream import read_stream
from gatecore.harness.bench import Bench
from gatecore.harness.client import project_flags

# A client that notes how it was called, and ends as if all were done.
SPY = """
    import json, os, pathlib, sys
    seen = {"argv": sys.argv[1:], "env": dict(os.environ), "cwd": os.getcwd(), "stdin": sys.stdin.read()}
    state = pathlib.Path(__file__).parent / ".gatecore" / pathlib.Path.cwd().name
    seen["lent"] = [path.name for path in state.glob("*token*")]
    pathlib.Path(__file__).with_name("seen.json").write_text(json.dumps(seen))
    usage = {"claude-sonnet-5-5": {}}
    print(json.dumps({"type": "result", "subtype": "success", "is_error": False, "modelUsage": usage}))
"""


LOGINS = {
    "ANTHROPIC_API_KEY": "k",
    "ANTHROPIC_BASE_URL": "http://127.0.0.1:1",
    "CLAUDE_CODE_OAUTH_TOKEN": "t",
    "CLAUDE_CONFIG_DIR": "/home/somebody/.claude-plan",
    "CLAUDE_CODE_USE_BEDROCK": "1",
    "CLAUDE_CODE_SKIP_BEDROCK_AUTH": "1",
    "CLAUDE_CODE_CLIENT_CERT": "/etc/client.pem",
    "AWS_REGION": "eu-central-1",
    "HOME": "/home/somebody",
}
OUTER = {
    "CLAUDECODE": "1",
    "CLAUDE_CODE_SESSION_ID": "s",
    "CLAUDE_CODE_SUBAGENT_MODEL": "x",
    "CLAUDE_EFFORT": "low",
}


@pytest.fixture(scope="module")
def spied(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    root = tmp_path_factory.mktemp("spied")
    bench = make_bench(root, **{"spy.py": SPY, "upstream/CLAUDE.md": "Use tabs.\n"})
    command = json.dumps([sys.executable, str(root / "spy.py")])
    (root / "bench.toml").write_text(f"[client]\ncommand = {command}\n")
    return bench


def run(bench: Bench, cfg: str) -> dict[str, Any]:
    """Run T1 and return how the client was called."""
    inherited = {
        name: value for name, value in os.environ.items() if not name.startswith(("CLAUDE", "ANTHROPIC"))
    }
    done = subprocess.run(
        [sys.executable, "-m", "gatecore", "run", cfg, "T1"],
        cwd=bench.root,
        env={**inherited, **LOGINS, **OUTER},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    seen: dict[str, Any] = json.loads((bench.root / "seen.json").read_bytes())
    return seen


@pytest.fixture(scope="module")
def bare(spied: Bench) -> dict[str, Any]:
    return run(spied, "bare")


@pytest.fixture(scope="module")
def gated(spied: Bench) -> dict[str, Any]:
    return run(spied, "g3")


def flag(argv: list[str], name: str) -> str:
    return argv[argv.index(name) + 1]


def test_a_plan_login_and_an_api_key_both_reach_the_worker(bare: dict[str, Any]) -> None:
    assert {name: bare["env"].get(name) for name in LOGINS} == LOGINS
    assert not bare["env"].keys() & OUTER.keys()
    assert "--bare" not in bare["argv"]  # reads API keys only


def test_the_token_of_a_plan_is_lent_to_the_hook_for_as_long_as_the_worker_runs(
    spied: Bench, bare: dict[str, Any], tmp_path: Path
) -> None:
    """The client keeps it from the commands it starts, and the reviewers are asked from its hook."""
    with lent_token(str(tmp_path), LOGINS):
        assert borrowed_token(str(tmp_path)) == {"CLAUDE_CODE_OAUTH_TOKEN": "t"}
        (file,) = tmp_path.iterdir()
        assert file.stat().st_mode & 0o777 == 0o600
    assert borrowed_token(str(tmp_path)) == {}
    with lent_token(str(tmp_path), {"ANTHROPIC_API_KEY": "k"}):
        assert borrowed_token(str(tmp_path)) == {}
    assert bare["lent"] == ["oauth-token"]
    assert borrowed_token(str(spied.state(Path(bare["cwd"]).name))) == {}


def test_the_worker_gets_the_request_its_limits_and_no_word_of_gates(
    spied: Bench, bare: dict[str, Any], gated: dict[str, Any]
) -> None:
    argv = bare["argv"]
    asked = "add double(n) to calc\n\nWhen you are done, stop and summarise what you changed.\n"
    assert bare["stdin"] == gated["stdin"] == asked
    assert bare["cwd"] == str(spied.work("T1-bare-r1"))
    assert (flag(argv, "--max-turns"), flag(argv, "--setting-sources")) == ("60", "")
    assert (flag(argv, "--permission-mode"), flag(argv, "--model")) == ("acceptEdits", "claude-sonnet-5-5")
    assert flag(argv, "--settings") == "{}"
    assert "--strict-mcp-config" in argv
    assert "--json-schema" not in argv  # with it a block is ignored


def test_hooks_are_given_outside_the_work_tree(gated: dict[str, Any]) -> None:
    settings = json.loads(flag(gated["argv"], "--settings"))
    (stop,) = settings["hooks"]["Stop"]
    assert stop["hooks"][0]["command"] == 'eval "exec ${GATECORE_STOP:?}"'  # which the agent may be shown
    assert "gatecore.hook" in settings["env"]["GATECORE_STOP"]
    assert settings["permissions"]["deny"]
    assert not (Path(gated["cwd"]) / ".claude").exists()


def test_a_run_whose_hook_never_ran_is_an_alarm(spied: Bench, gated: dict[str, Any]) -> None:
    score = json.loads((spied.runs / Path(gated["cwd"]).name / "score.json").read_bytes())
    assert score["alarm"] == "a gated run ended in success without a record of a stop"
    assert (score["cost_total_usd"], score["turns"], score["gate_tests_total"]) == (None, None, None)


def test_the_projects_instructions_are_given_back(bare: dict[str, Any]) -> None:
    assert flag(bare["argv"], "--add-dir") == bare["cwd"]
    assert bare["env"]["CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD"] == "1"


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ([], []),
        (["AGENTS.md"], ["--append-system-prompt"]),
        (["AGENTS.md", "CLAUDE.md"], []),
        (["AGENTS.md", ".claude/CLAUDE.md"], []),
        ([".claude/settings.json"], []),
        ([".claude/skills/release/SKILL.md"], ["--plugin-dir"]),
        ([".claude/commands/deploy.md", "AGENTS.md"], ["--plugin-dir", "--append-system-prompt"]),
    ],
)
def test_what_the_client_would_have_read_is_given_back(
    tmp_path: Path, files: list[str], expected: list[str]
) -> None:
    for name in files:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(f"from {name}", encoding="utf-8")
    flags = project_flags(tmp_path)
    assert flags[:2] == ["--add-dir", str(tmp_path)]
    assert flags[2::2] == expected
    if "--append-system-prompt" in expected:
        assert flag(flags, "--append-system-prompt").endswith("from AGENTS.md")


def test_agents_see_nothing_of_an_outer_session() -> None:
    outer = {
        "PATH": "/bin",
        "CLAUDECODE": "1",
        "CLAUDE_CODE_OAUTH_TOKEN": "t",
        "GATECORE_SCRIPTED_RUN": "x",
        "MCP_X": "1",
    }
    assert agent_env(outer, {"A": "b"}) == {"PATH": "/bin", "CLAUDE_CODE_OAUTH_TOKEN": "t", "A": "b"}


API_ERROR = {"is_error": True, "subtype": "success", "terminal_reason": "api_error"}


@pytest.mark.parametrize(
    ("result", "outage"),
    [
        ({"is_error": False}, None),
        ({"is_error": True, "subtype": "error_max_turns"}, None),
        ({"is_error": True, "subtype": "error_max_budget_usd"}, None),
        (API_ERROR, "api_error"),
        (
            {**API_ERROR, "api_error_status": 529, "result": "Overloaded.\nTry again"},
            "api_error: Overloaded. Try again",
        ),
        ({**API_ERROR, "api_error_status": 429, "result": "Rejected"}, "usage limit: Rejected"),
        (
            {**API_ERROR, "result": "You've hit your weekly limit"},
            "usage limit: You've hit your weekly limit",
        ),
        (
            {**API_ERROR, "result": "Claude AI usage limit reached"},
            "usage limit: Claude AI usage limit reached",
        ),
        ({**API_ERROR, "result": "Credit balance is too low"}, "usage limit: Credit balance is too low"),
        ({"is_error": True, "result": 3}, "error"),
    ],
)
def test_an_outage_is_told_from_an_end(tmp_path: Path, result: dict[str, Any], outage: str | None) -> None:
    path = tmp_path / "stream.jsonl"
    path.write_text(json.dumps({"type": "result", **result}) + "\n{torn")
    assert read_stream(path, ()).outage == outage


@pytest.mark.shared
def test_that_the_agent_went_on_is_seen_in_a_real_stream(shared: Path) -> None:
    stream = read_stream(shared / "claude-code-samples" / "stream-two-blocks.jsonl", ())
    assert (stream.feedbacks, stream.went_on) == (2, 2)


def with_client(root: Path, script: str) -> Bench:
    """A bench whose client is a shell script."""
    bench = make_bench(root)
    (bench.root / "bench.toml").write_text(
        f"[client]\ncommand = {json.dumps(['/bin/sh', '-c', script, 'it'])}\n"
    )
    return bench


def gatecore(bench: Bench, *args: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "gatecore", *args]
    return subprocess.run(command, cwd=bench.root, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    "command", [["run", "bare", "T1"], ["matrix"], ["prep", "T1"], ["write-tests", "T1"]]
)
def test_a_client_that_cannot_be_used_is_named_before_anything_begins(
    tmp_path: Path, command: list[str]
) -> None:
    bench = with_client(tmp_path, "echo '2.0.0 (Claude Code)'")
    done = gatecore(bench, *command)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("gatecore: /bin/sh: version 2.0.0 is too old for the gate to hold: 2.1.")
    (bench.root / "bench.toml").write_text('[client]\ncommand = ["/no/such/client"]\n')
    done = gatecore(bench, *command)
    assert (done.returncode, done.stdout) == (2, "")
    assert (
        done.stderr
        == "gatecore: /no/such/client: the client could not be started: No such file or directory\n"
    )
    assert not bench.runs.exists()
    assert not bench.work("T1-bare-r1").exists()


def test_validate_tells_a_client_that_is_too_old_once_and_still_tries_the_oracle(tmp_path: Path) -> None:
    done = gatecore(with_client(tmp_path, "echo 2.0.0"), "validate")
    wrong = [line for line in done.stdout.splitlines() if line.startswith("WRONG")]
    assert "oracle" in wrong[0]
    assert wrong[-1].startswith("WRONG client: /bin/sh: version 2.0.0 is too old")
    assert "hook" not in done.stdout


def test_a_client_that_does_not_tell_its_version_is_doubted_and_used(tmp_path: Path) -> None:
    result = json.dumps({"type": "result", "subtype": "success", "is_error": False})
    done = gatecore(with_client(tmp_path, f"echo '{result}'"), "run", "bare", "T1")
    assert done.returncode == 0
    assert done.stderr.startswith("gatecore: /bin/sh: its version is unknown")


def test_a_client_that_dies_before_its_result_makes_no_valid_run(tmp_path: Path) -> None:
    bench = with_client(tmp_path, "echo 'error: unknown option' >&2; exit 3")
    done = gatecore(bench, "run", "bare", "T1")
    assert done.returncode == 1
    why = "the client ended without a result (exit code 3): error: unknown option"
    assert done.stdout == f"T1-bare-r1: 0/2 requirements, invalid: {why}, $?\n"
    score = json.loads((bench.runs / "T1-bare-r1" / "score.json").read_bytes())
    assert (score["invalid"], score["cost_total_usd"], score["has_result_line"]) == (why, None, False)
