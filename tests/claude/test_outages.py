"""What keeps the API from answering makes a run invalid, and a matrix wait."""

import json
import time
from pathlib import Path

import pytest
from fake_api import Hang, Refuse, Say
from real_client import RealClient

from gatecore.agents.stream import USAGE_LIMIT
from gatecore.harness.bench import Bench
from gatecore.ledger.reader import read_run

LIMITED = {
    "anthropic-ratelimit-unified-status": "rejected",
    "anthropic-ratelimit-unified-reset": str(int(time.time()) + 3600),
    "anthropic-ratelimit-unified-representative-claim": "five_hour",
}
OVERLOADED = Refuse(529, "overloaded_error", "Overloaded")
TOKEN = {"CLAUDE_CODE_OAUTH_TOKEN": "oat-dummy"}
OUTAGES = {
    "a plan's limit": (Refuse(429, "rate_limit_error", "Too much", LIMITED), TOKEN, f"{USAGE_LIMIT}: "),
    "a rate limit": (Refuse(429, "rate_limit_error", "Too many requests"), {}, f"{USAGE_LIMIT}: "),
    "no credit": (
        Refuse(400, "invalid_request_error", "Your credit balance is too low to access the Anthropic API."),
        {},
        f"{USAGE_LIMIT}: ",
    ),
    "overload": (OVERLOADED, {}, "api_error: "),
    "a wrong key": (Refuse(401, "authentication_error", "invalid x-api-key"), {}, "api_error: "),
    "no login": (Say(), {"ANTHROPIC_API_KEY": ""}, "api_error: Not logged in"),
    "nobody there": (OVERLOADED, {"ANTHROPIC_BASE_URL": "http://127.0.0.1:1"}, "api_error: "),
}


@pytest.fixture(scope="module")
def bench(current: RealClient, tmp_path_factory: pytest.TempPathFactory) -> Bench:
    return current.bench(tmp_path_factory.mktemp("outages"), "[limits]\nworker_s = 20\n")


@pytest.mark.parametrize("kind", OUTAGES)
def test_an_outage_makes_the_run_invalid(current: RealClient, bench: Bench, kind: str) -> None:
    refusal, env, why = OUTAGES[kind]
    current.api.play(worker=[refusal])
    ran = current.run(bench, "bare", str(list(OUTAGES).index(kind) + 1), **env)
    assert ran.done.returncode == 1
    assert ran.run.invalid is not None
    assert ran.run.invalid.startswith(why), ran.run.invalid
    assert ran.score["exit_code"] == "1"


def test_an_api_that_hangs_makes_the_run_invalid(current: RealClient, tmp_path: Path) -> None:
    bench = current.bench(tmp_path, "[limits]\nworker_s = 3\n")
    current.api.play(worker=[Hang()])
    ran = current.run(bench, "bare")
    assert ran.run.invalid is not None
    assert ran.run.invalid.startswith("the worker was killed")


@pytest.mark.parametrize(
    ("refusal", "begun", "why"),
    [
        (Refuse(429, "rate_limit_error", "Too many requests"), 1, f"paused: {USAGE_LIMIT}: "),
        (OVERLOADED, 3, "paused: an outage ended 3 cells in a row, the last by api_error: "),
    ],
)
def test_a_matrix_waits_for_the_outage_to_end(
    current: RealClient, tmp_path: Path, refusal: Refuse, begun: int, why: str
) -> None:
    bench = current.bench(tmp_path)
    command = ("matrix", "--configs", "bare", "--reps", "4", "--jobs", "1")
    current.api.play(worker=[refusal])
    done = current.call(bench, *command)
    assert done.returncode == 1
    assert why in done.stderr
    assert "the same command goes on from here" in done.stderr
    lines = [json.loads(line) for line in (bench.runs / "matrix.jsonl").read_text().splitlines()]
    assert sum(line["event"] == "cell_started" for line in lines) == begun
    assert lines[-1]["event"] == "matrix_paused"

    current.api.play(worker=[Say()])
    assert current.call(bench, *command).returncode == 0
    runs = [read_run(bench.runs / f"T1-bare-r{rep}") for rep in range(1, 5)]
    assert all(run.score is not None and run.invalid is None for run in runs)
