import json
import os
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest
from scripted_bench import COMMAND, Bench, block_times, git

BLOCK = """echo '{"decision":"block","reason":"red"}'"""
SAMPLES = Path(__file__).parents[2] / "../shared/claude-code-samples"


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def calc(bench: Bench) -> str:
    return (bench.project / "calc.py").read_text()


def test_block_then_allow_plays_the_attempts_in_order(bench: Bench) -> None:
    inputs = bench.folder / "inputs"
    hook = f"cat >> '{inputs}'; echo >> '{inputs}'; {block_times(bench.folder, 1, BLOCK)}"
    played = bench.play({"attempts": ["half", "whole"]}, "--permission-mode", "acceptEdits", hooks=[hook])

    assert played.code == 0
    assert calc(bench) == "def add(a, b):\n    return a + b\n\n\nX = 1\n"
    assert [line.get("subtype", line["type"]) for line in played.lines if line["type"] != "user"] == [
        "init",
        *["assistant"] * 4,
        "hook_started",
        "hook_response",
        *["assistant"] * 3,
        "hook_started",
        "hook_response",
        "success",
    ]
    edits = [given for name, given in played.tools() if name == "Edit"]
    assert edits[1]["old_string"] == "def add(a, b):\n    return a - b\n"
    assert edits[1]["new_string"] == "def add(a, b):\n    return a + b\n"
    assert played.feedback() == ["Stop hook feedback:\nred"]
    assert played.result["result"] == "I fixed what the check found and ran the tests again."
    assert played.result["num_turns"] == 1 + 5 + 1
    assert played.of("hook_response")[0]["outcome"] == "success"

    first, second = (json.loads(line) for line in inputs.read_text().splitlines())
    assert [first["stop_hook_active"], second["stop_hook_active"]] == [False, True]
    assert first["prompt_id"] == second["prompt_id"]
    assert first["session_id"] == played.result["session_id"]
    assert second["last_assistant_message"] == played.result["result"]
    assert first["cwd"] == str(bench.project)
    assert first["permission_mode"] == "acceptEdits"
    assert first["effort"] == {"level": "high"}


@pytest.mark.parametrize(
    ("say", "feedback"),
    [
        pytest.param("echo red >&2; exit 2", "[{command}]: red\n", id="exit 2 with stderr"),
        pytest.param("echo 'No such file or directory' >&2; exit 2", None, id="trap 1"),
        pytest.param(f"{BLOCK}; echo dropped >&2; exit 2", "red", id="trap 2, JSON hides the command"),
        pytest.param(f"echo text; {BLOCK}", None, id="trap 3"),
    ],
)
def test_what_blocks_and_what_the_agent_hears(bench: Bench, say: str, feedback: str | None) -> None:
    hook = block_times(bench.folder, 1, say)
    played = bench.play({"attempts": [None]}, hooks=[hook])
    expected = [] if feedback is None else [f"Stop hook feedback:\n{feedback.format(command=hook)}"]
    assert played.feedback() == expected
    assert len(played.of("hook_response")) == 1 + len(expected)
    assert (played.code, played.result["terminal_reason"]) == (0, "completed")


def test_continue_false_ends_the_turn(bench: Bench) -> None:
    hooks = ["""echo '{"continue":false}'""", BLOCK]
    played = bench.play({"attempts": [None]}, hooks=hooks)
    assert played.feedback() == []
    assert played.result["terminal_reason"] == "stop_hook_prevented"


@pytest.mark.parametrize(
    ("cap", "calls", "turns"), [("junk", 9, None), ("2", 3, None), ("0", 14, "15")], ids=["8", "2", "off"]
)
def test_cap_on_blocks_in_a_row(bench: Bench, cap: str, calls: int, turns: str | None) -> None:
    limit = ["--max-turns", turns] if turns else []
    played = bench.play({"attempts": []}, *limit, hooks=[BLOCK], CLAUDE_CODE_STOP_HOOK_BLOCK_CAP=cap)
    assert len(played.of("hook_response")) == calls
    if turns:
        assert played.result["subtype"] == "error_max_turns"
        return
    assert (played.code, played.result["result"], played.result["subtype"]) == (0, "", "success")
    assert played.result["num_turns"] == 2 + calls
    assert f"{calls} consecutive times" in played.of("informational")[0]["content"]


def test_a_tool_call_resets_the_cap(bench: Bench) -> None:
    played = bench.play(
        {"attempts": [None, None, "half"]}, hooks=[BLOCK], CLAUDE_CODE_STOP_HOOK_BLOCK_CAP="2"
    )
    assert len(played.of("hook_response")) == 5


def test_timeout_cancels_the_hook_and_allows_the_stop(bench: Bench) -> None:
    hooks = [("echo partial >&2; exec sleep 60", 0.2), block_times(bench.folder, 1, BLOCK)]
    played = bench.play({"attempts": [None]}, hooks=hooks)
    cancelled = played.of("hook_response")[0]
    assert (cancelled["outcome"], cancelled["exit_code"]) == ("cancelled", 1)
    assert (cancelled["stdout"], cancelled["stderr"]) == ("", "partial\n")
    assert played.feedback() == ["Stop hook feedback:\nred"], "of the other hook, which still counts"
    assert (played.code, played.result["is_error"]) == (0, False)


def test_what_a_hook_does_at_its_deadline_is_ignored(bench: Bench) -> None:
    """SIGTERM reaches it, and exit 2 from a handler blocks nothing."""
    leave = "trap 'kill $!; touch left; echo red >&2; exit 2' TERM; sleep 60 & wait"
    played = bench.play({"attempts": [None]}, hooks=[(leave, 0.2)])
    assert (bench.project / "left").exists()
    assert (played.code, played.feedback()) == (0, [])


def test_hook_kill_takes_the_whole_group(bench: Bench) -> None:
    fifo = bench.folder / "fifo"
    os.mkfifo(fifo)
    reader = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    hook = f"{{ echo up; exec sleep 60; }} > '{fifo}' & wait; {BLOCK}"
    played = bench.play({"attempts": [None], "hook_kill": {"1": 0.3}}, hooks=[hook])
    response = played.of("hook_response")[0]
    assert (response["exit_code"], response["outcome"], response["stdout"]) == (None, "cancelled", "")
    assert (played.code, played.feedback()) == (0, [])
    assert os.read(reader, 9) == b"up\n"
    assert os.read(reader, 9) == b"", "the child of the hook holds no end of it: it is dead"
    os.close(reader)


def test_hook_input_takes_the_place_of_the_client_s(bench: Bench) -> None:
    hook = f"cat >> '{bench.folder / 'in'}'; {block_times(bench.folder, 1, BLOCK)}"
    bench.play({"attempts": [None], "hook_input": {"1": "[no json]"}}, hooks=[hook])
    given = (bench.folder / "in").read_text()
    assert given.startswith('[no json]{"session_id"')


def test_cut_after_tears_the_last_line(bench: Bench) -> None:
    ledger = bench.folder / "gate.jsonl"
    hook = f"""echo '{{"n": 1, "whole": true}}' >> '{ledger}'"""
    bench.play(
        {"attempts": [None], "cut_after": {"2": 7}},
        hooks=[f"{hook}; {block_times(bench.folder, 1, BLOCK)}"],
        GATECORE_SCRIPTED_LEDGER=str(ledger),
    )
    assert ledger.read_text() == '{"n": 1, "whole": true}\n{"n": 1, "whole"'


def test_hook_environment(bench: Bench) -> None:
    played = bench.play(
        {"attempts": [None]},
        hooks=['env >&2; echo "$CLAUDE_PROJECT_DIR"; pwd'],
        OWN="x",
        ANTHROPIC_API_KEY="k",
        CLAUDE_CODE_OAUTH_TOKEN="t",
    )
    response = played.of("hook_response")[0]
    assert response["stdout"].splitlines() == [str(bench.project)] * 2
    names = {line.partition("=")[0] for line in response["stderr"].splitlines()}
    assert {"OWN", "GATECORE_SCRIPTED", "CLAUDECODE", "CLAUDE_CODE_SESSION_ID", "ANTHROPIC_API_KEY"} <= names
    assert "CLAUDE_CODE_OAUTH_TOKEN" not in names  # the client keeps it to itself


def test_identical_hooks_run_once_and_others_side_by_side(bench: Bench) -> None:
    """Each of two hooks waits for the other: one after the other they would never end."""
    meet = "touch {0}; until [ -e {1} ]; do sleep 0.01; done"
    hooks = [(meet.format("a", "b"), 5.0), (meet.format("b", "a"), 5.0)]
    played = bench.play({"attempts": [None]}, hooks=[*hooks, *hooks])
    assert [response["outcome"] for response in played.of("hook_response")] == ["success", "success"]


def test_project_settings_are_read_again_at_each_stop(bench: Bench) -> None:
    """The agent can switch the project's hooks off, and not those given by flag without sources."""
    local = bench.project / ".claude/settings.local.json"
    local.parent.mkdir()
    off = f"""{BLOCK}; echo '{{"disableAllHooks": true}}' > '{local}'"""
    settings = {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": off}]}]}}
    (local.parent / "settings.json").write_text(json.dumps(settings))

    without = bench.play({"attempts": []}, hooks=["true"])
    assert [len(without.of("hook_response")), local.exists()] == [1, False]
    with_project = bench.play({"attempts": []}, "--setting-sources", "user,project,local")
    assert [len(with_project.of("hook_response")), local.exists()] == [1, True]
    assert len(with_project.feedback()) == 1
    by_flag = bench.play({"attempts": []}, hooks=[block_times(bench.folder, 1, BLOCK)])
    assert len(by_flag.of("hook_response")) == 2


@pytest.mark.parametrize(
    "settings",
    [
        {"disableAllHooks": True, "hooks": {"Stop": [{"hooks": [{"type": "command", "command": BLOCK}]}]}},
        {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": BLOCK, "timeout": "1500"}]}]}},
    ],
    ids=["disabled", "breaks the schema"],
)
def test_settings_without_effect(bench: Bench, settings: dict[str, Any]) -> None:
    file = bench.folder / "settings.json"
    file.write_text(json.dumps(settings))
    played = bench.play({"attempts": []}, "--settings", str(file))
    assert (played.code, played.of("hook_response")) == (0, [])


def test_max_turns_ends_without_a_stop(bench: Bench) -> None:
    played = bench.play({"attempts": ["half"]}, "--max-turns", "2", hooks=[BLOCK])
    assert played.code == 1
    result = played.result
    assert (result["subtype"], result["is_error"], result["num_turns"]) == ("error_max_turns", True, 3)
    assert result["terminal_reason"] == "max_turns"
    assert result["errors"] == ["Reached maximum number of turns (2)"]
    assert "result" not in result
    assert played.of("hook_response") == []


def test_max_turns_after_a_block(bench: Bench) -> None:
    played = bench.play(
        {"attempts": ["half", "whole"], "end": "max_turns_after_block"}, "--max-turns", "60", hooks=[BLOCK]
    )
    assert (played.code, played.result["subtype"]) == (1, "error_max_turns")
    assert len(played.of("hook_response")) == 1
    assert [name for name, _ in played.tools()] == ["Glob", "Edit", "Bash", "Edit"]
    assert "a + b" in calc(bench), "the attempt after the block is in the tree"


def test_budget(bench: Bench) -> None:
    played = bench.play({"attempts": ["half"]}, "--max-budget-usd", "0.04", hooks=[BLOCK])
    assert (played.code, played.result["subtype"]) == (1, "error_max_budget_usd")
    assert played.of("hook_response") == []


@pytest.mark.parametrize("key", ["api_error", "outage"])
def test_api_error(bench: Bench, key: str) -> None:
    played = bench.play({"attempts": ["half"], key: True}, hooks=[BLOCK])
    result = played.result
    assert (played.code, result["is_error"], result["terminal_reason"]) == (1, True, "api_error")
    assert (result["total_cost_usd"], result["modelUsage"]) == (0, {})
    assert played.of("hook_response") == []


def test_no_result_line(bench: Bench) -> None:
    played = bench.play({"attempts": ["half"], "end": "no_result"}, hooks=["true"])
    assert played.code == -signal.SIGKILL
    assert played.of("result") == []
    assert len(played.of("hook_response")) == 1


def test_refusing_and_text_only(bench: Bench) -> None:
    scenario = {"attempts": ["half", None, None], "refuse": True}
    looks = bench.play(scenario, hooks=[block_times(bench.folder, 2, BLOCK)])
    assert "not part of my change" in looks.result["result"]
    assert [name for name, _ in looks.tools()] == ["Glob", "Edit", "Bash", "Bash"]
    (bench.folder / "calls").unlink()
    bench.reset()
    quiet = bench.play(scenario | {"text_only": True}, hooks=[block_times(bench.folder, 2, BLOCK)])
    assert [name for name, _ in quiet.tools()] == ["Glob", "Edit", "Bash"]


@pytest.mark.parametrize("where", ["plain", "own repository", "inside another"])
def test_new_files_and_odd_names_come_and_go(bench: Bench, where: str) -> None:
    bench.attempt("umlaut", 'größe "x".py', "X = 2\n")
    bench.attempt("binary", "blob.bin", "\0\1\2" * 100)
    if where == "inside another":
        git(bench.folder, "init", "-q")
    if where == "own repository":
        git(bench.project, "init", "-q")
        git(bench.project, "config", "core.autocrlf", "true")
    files = bench.folder / "files"
    hook = f"ls >> '{files}'; {block_times(bench.folder, 2, BLOCK)}"
    played = bench.play({"attempts": ["umlaut", "binary", "half"]}, hooks=[hook])
    assert played.code == 0, played.stderr
    assert files.read_text().split("\n") == [
        *["calc.py", 'größe "x".py'],
        *["blob.bin", "calc.py"],
        *["calc.py", ""],
    ]
    assert (bench.project / "calc.py").read_bytes() == b"def add(a, b):\n    return a - b\n\n\nX = 1\n"
    writes = [given["content"] for name, given in played.tools() if name == "Write"]
    assert writes == ["X = 2\n", "\0\1\2" * 100]


@pytest.mark.parametrize(
    ("scenario", "message"),
    [
        (None, "no run 'r1'"),
        ({"attempts": ["half"], "pace": 1}, "unknown key 'pace'"),
        ({"attempts": ["missing"]}, "missing.patch"),
        ({"attempts": "half"}, "attempts must be a list"),
        ({"attempts": [], "end": "well"}, "end must be"),
    ],
)
def test_a_scenario_that_cannot_be_played(
    bench: Bench, scenario: dict[str, Any] | None, message: str
) -> None:
    played = bench.play(scenario)
    assert (played.code, played.lines) == (1, [])
    assert message in played.stderr
    assert str(bench.scripted / "scenarios.json") in played.stderr
    assert "'r1'" in played.stderr


def test_a_patch_that_does_not_apply(bench: Bench) -> None:
    (bench.project / "calc.py").write_text("something else\n")
    played = bench.play({"attempts": ["half"]})
    assert played.code == 1
    assert "half.patch" in played.stderr
    assert "does not apply" in played.stderr


def test_model_of_the_scenario_and_repeatable_costs(
    bench: Bench, tmp_path_factory: pytest.TempPathFactory
) -> None:
    scenario = {"attempts": ["half"], "model": "claude-haiku-4-5"}
    keys = bench.folder / "keys"
    played = bench.play(scenario, "--model", "claude-sonnet-5-5", hooks=[f"cat > '{keys}'"])
    assert played.of("init")[0]["model"] == "claude-haiku-4-5"
    assert list(played.result["modelUsage"]) == ["claude-haiku-4-5"]
    assert "effort" not in json.loads(keys.read_text())
    assert 0.04 < played.result["total_cost_usd"] < 0.1
    again = Bench(tmp_path_factory.mktemp("a-much-longer-name")).play(scenario)
    for key in ("total_cost_usd", "usage", "session_id"):
        assert again.result[key] == played.result[key]


@pytest.mark.shared
def test_lines_have_the_structure_of_the_samples(bench: Bench) -> None:
    if not SAMPLES.exists():
        pytest.skip("the samples of the real client are not beside the repository")
    text = (SAMPLES / "stream-two-blocks.jsonl").read_text()
    samples = [json.loads(line) for line in text.splitlines()]
    played = bench.play({"attempts": ["half", None]}, hooks=[block_times(bench.folder, 1, BLOCK)])

    def shape(line: dict[str, Any]) -> tuple[Any, ...]:
        content = line.get("message", {}).get("content", [{}])[0].get("type")
        return line["type"], line.get("subtype"), content

    allowed = {shape(line): line for line in samples}
    for line in played.lines:
        sample = allowed[shape(line)]
        assert set(line) <= set(sample), shape(line)
        assert set(line.get("message", {})) <= set(sample.get("message", {}))
    result = next(line for line in samples if line["type"] == "result")
    assert set(played.result["usage"]) <= set(result["usage"])
    ours, theirs = (next(iter(r["modelUsage"].values())) for r in (played.result, result))
    assert set(ours) <= set(theirs)
    for subtype in ("hook_started", "hook_response"):
        sample = next(line for line in samples if line.get("subtype") == subtype)
        assert set(played.of(subtype)[0]) == set(sample)
    limited = bench.play({"attempts": [None]}, "--max-turns", "1")
    assert set(limited.result) <= set(json.loads((SAMPLES / "result-max-turns.json").read_text()))


@pytest.mark.shared
def test_hook_input_has_the_keys_of_the_samples(bench: Bench) -> None:
    if not SAMPLES.exists():
        pytest.skip("the samples of the real client are not beside the repository")
    inputs = bench.folder / "in"
    bench.play({"attempts": [None]}, hooks=[f"cat > '{inputs}'; env > '{inputs}.env'"])
    assert set(json.loads(inputs.read_text())) == set(
        json.loads((SAMPLES / "hook-input-first.json").read_text())
    )
    ours = {line.partition("=")[0] for line in Path(f"{inputs}.env").read_text().splitlines()}
    known = set((SAMPLES / "hook-env-names.txt").read_text().split())
    assert {name for name in ours if name.startswith(("CLAUDE", "AI_"))} <= known


def test_stream_goes_out_line_by_line(bench: Bench) -> None:
    """The hook finds in the stream's file what was said before it was called."""
    stream = bench.folder / "stream.jsonl"
    hook = f"tail -n 1 '{stream}' >&2"
    (bench.scripted / "scenarios.json").write_text(json.dumps({"r1": {"attempts": [None]}}))
    with stream.open("wb") as out:
        command = [*COMMAND, *bench.flags([hook], None), "Do it."]
        done = subprocess.run(command, cwd=bench.project, env=bench.environ(), stdout=out, check=False)
    lines = [json.loads(line) for line in stream.read_text().splitlines()]
    seen = next(line for line in lines if line.get("subtype") == "hook_response")["stderr"]
    assert (done.returncode, json.loads(seen)["subtype"]) == (0, "hook_started")
