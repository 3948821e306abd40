"""What reaches the model of the project and of the login, though no settings are read."""

import json
from collections.abc import Sequence
from typing import Any

import pytest
from fake_api import Reply, Request, Say, answer, bash
from gating import DOUBLE
from real_client import Ran, RealClient, reads_only

TOLD = {
    "upstream/CLAUDE.md": "Always use tabs (MARK-CLAUDE).\n@docs/style.md\n",
    "upstream/docs/style.md": "MARK-IMPORTED\n",
    "upstream/.claude/rules/names.md": "MARK-RULE\n",
    "upstream/.claude/skills/release-notes/SKILL.md": (
        "---\nname: release-notes\ndescription: MARK-SKILL how to write release notes\n---\nMARK-BODY\n"
    ),
    "upstream/.claude/agents/helper.md": "---\nname: helper\ndescription: MARK-AGENT\n---\nhi\n",
    "upstream/.mcp.json": '{"mcpServers": {"MARK-MCP": {"command": "false"}}}',
}
FINDING = {"severity": "blocking", "file": "calc.py", "line": 1, "text": "double is missing"}
LOGINS = {
    "an API key": ({}, {"x-api-key": "sk-dummy"}),
    "an OAuth token": ({"CLAUDE_CODE_OAUTH_TOKEN": "oat-dummy"}, {"authorization": "Bearer oat-dummy"}),
}


def reviewer(request: Request) -> Sequence[Reply]:
    """Approves once the function is there."""
    found: list[dict[str, Any]] = [] if "+def double" in request.text else [FINDING]
    return [answer(approve=not found, findings=found), Say()]


@pytest.fixture(scope="module", params=LOGINS)
def login(request: pytest.FixtureRequest) -> tuple[dict[str, str], dict[str, str]]:
    """The environment of a login, and the headers that it makes."""
    found: tuple[dict[str, str], dict[str, str]] = LOGINS[request.param]
    return found


@pytest.fixture(scope="module")
def ran(
    client: RealClient, login: tuple[dict[str, str], dict[str, str]], tmp_path_factory: pytest.TempPathFactory
) -> Ran:
    """A worker under gate 3, whose reviewers the hook asks: block, allow."""
    bench = client.bench(tmp_path_factory.mktemp("project"), files=TOLD)
    client.api.play(
        worker=[Say(), bash(f"python3 -c \"open('calc.py', 'a').write({DOUBLE!r})\""), Say()],
        reviewer=reviewer,
    )
    return client.run(bench, "g3", **login[0])


def test_the_login_reaches_the_worker_and_its_reviewers(
    ran: Ran, login: tuple[dict[str, str], dict[str, str]]
) -> None:
    assert len(ran.asked("worker")) == 3
    assert len(ran.asked("reviewer")) >= 4
    sent = [{k: v for k, v in r.headers.items() if k in ("x-api-key", "authorization")} for r in ran.wire]
    assert sent == [login[1]] * len(ran.wire)
    assert "dummy" not in json.dumps([request.body for request in ran.wire])


def test_reviewers_block_and_allow_from_within_the_hook(ran: Ran) -> None:
    assert ran.decisions == ["block", "allow"]
    assert ran.score["blocks_by_gate"] == {"g1": 0, "g3": 1}
    assert "1. calc.py:1 double is missing" in ran.records[0]["reason"]
    assert ran.score["cost_reviewers_usd"] > 0


def test_instructions_rules_skills_and_agents_of_the_project_reach_the_worker(ran: Ran) -> None:
    text = ran.asked("worker")[0].text
    for mark in ("MARK-CLAUDE", "MARK-IMPORTED", "MARK-RULE", "MARK-SKILL", "MARK-AGENT", "release-notes"):
        assert mark in text, mark
    assert "MARK-MCP" not in text


def test_a_reviewer_reads_the_change_and_nothing_of_the_project_s_instructions(ran: Ran) -> None:
    first = ran.asked("reviewer")[0]
    assert "MARK-" not in first.text
    assert reads_only(first)
