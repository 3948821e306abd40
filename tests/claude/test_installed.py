"""The gate on a developer's repository, as `gatecore install` leaves it, under the real client."""

import json
import shlex
import subprocess
import sys
from typing import Any, NamedTuple

import pytest
from fake_api import Request, Say, bash
from gating import git
from real_client import RealClient

SUITE = f"{shlex.quote(sys.executable)} -m pytest -q -p no:cacheprovider"
BREAK = bash("python3 -c \"open('calc.py', 'w').write('def add(a, b):\\n    return a - b\\n')\"")
MEND = bash("python3 -c \"open('calc.py', 'w').write('def add(a, b):\\n    return b + a\\n')\"")


class Session(NamedTuple):
    """What a session left."""

    records: list[dict[str, Any]]
    stream: list[dict[str, Any]]
    wire: list[Request]
    status: str


@pytest.fixture(scope="module")
def session(client: RealClient, tmp_path_factory: pytest.TempPathFactory) -> Session:
    """Installed in mode block; the agent breaks the suite, stops, mends it, stops."""
    folder = tmp_path_factory.mktemp("installed")
    work, home, state = (folder / name for name in ("work", "home", "state"))
    for place in (work / "tests", home, state):
        place.mkdir(parents=True)
    (work / "calc.py").write_text("def add(a, b):\n    return a + b\n")
    (work / "tests/test_calc.py").write_text(
        "from calc import add\n\n\ndef test_add():\n    assert add(1, 2) == 3\n"
    )
    git(work, "init", "-q", "-b", "main")
    git(work, "add", "-A")
    git(work, "commit", "-q", "-m", "base")
    env = {**client.environ(home), "XDG_STATE_HOME": str(state)}

    def call(*command: str, text: str = "") -> str:
        return subprocess.run(
            command, cwd=work, env=env, input=text, capture_output=True, text=True, timeout=90, check=True
        ).stdout

    call(sys.executable, "-m", "gatecore", "install", "--suite", SUITE, "--mode", "block")
    client.api.play(worker=[BREAK, Say("Done."), MEND, Say("Now it is.")])
    flags = (
        "-p",
        "--model",
        "claude-sonnet-5-5",
        "--output-format",
        "stream-json",
        "--verbose",
        "--include-hook-events",
    )
    rights = ("--permission-mode", "acceptEdits", "--allowedTools", "Bash(python3:*)")
    out = call(*client.command(home), *flags, *rights, text="make add commute")
    (ledger,) = state.glob("gatecore/repos/*/runs/*/gate.jsonl")
    return Session(
        [json.loads(line) for line in ledger.read_text().splitlines()],
        [json.loads(line) for line in out.splitlines()],
        list(client.api.wire),
        git(work, "status", "--porcelain", "--untracked-files=all"),
    )


def test_a_block_blocks_and_the_mended_change_is_let_go(session: Session) -> None:
    assert [record["decision"] for record in session.records] == ["block", "allow"]
    reason = json.dumps(session.records[0]["reason"], ensure_ascii=False)[1:-1]
    assert reason in session.wire[-1].text
    assert session.stream[-1]["result"] == "Now it is."
    assert len({record["prompt_id"] for record in session.records}) == 1


def test_git_sees_the_change_and_nothing_of_the_gate(session: Session) -> None:
    assert session.status == " M calc.py\n"
