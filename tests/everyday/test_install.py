"""What install puts where, and that uninstall takes out just that."""

import json
import sys
from pathlib import Path

import pytest
from daily import BROKEN, Daily
from gating import git

SETTINGS = {
    "absent": None,
    "plain": '{\n  "permissions": {\n    "allow": ["Bash(ls)"],\n    "deny": []\n  }\n}\n',
    "four spaces, no end of line": '{\n    "model": "opus",\n    "hooks": {}\n}',
    "one line": '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}, "x": "\u00e9"}',
    "tabs": '{\n\t"permissions": {"deny": ["Bash(*gatecore bypass*)"]}\n}\n',
    "empty": "",
}


@pytest.mark.parametrize("before", SETTINGS.values(), ids=SETTINGS)
def test_uninstall_gives_the_settings_back_to_the_byte(daily: Daily, before: str | None) -> None:
    if before is not None:
        daily.write(".claude/settings.local.json", before)
    exclude = daily.work / ".git" / "info" / "exclude"
    excluded = exclude.read_bytes()
    daily.install()
    installed = json.loads(daily.local.read_text())
    assert daily.hook("Stop")[1] > 60
    assert any("gatecore bypass" in rule for rule in installed["permissions"]["deny"])
    if before:
        was = json.loads(before)
        assert installed["hooks"]["Stop"][:-1] == was.get("hooks", {}).get("Stop", [])
        assert {k: v for k, v in installed.items() if k not in ("hooks", "permissions")} == {
            k: v for k, v in was.items() if k not in ("hooks", "permissions")
        }
    assert daily.status() == ""
    daily.install()
    assert len(json.loads(daily.local.read_text())["hooks"]["UserPromptSubmit"]) == 1, "twice is once"
    daily.gatecore("uninstall")
    assert daily.local.exists() == (before is not None)
    if before is None:
        assert not daily.local.parent.exists()
    else:
        assert daily.local.read_text() == before
    assert exclude.read_bytes() == excluded


def test_what_others_changed_meanwhile_stays(daily: Daily) -> None:
    daily.write(".claude/settings.local.json", '{\n  "model": "opus"\n}\n')
    daily.install()
    settings = json.loads(daily.local.read_text())
    settings["permissions"]["allow"] = ["Bash(make)"]
    settings["hooks"]["Stop"].insert(0, {"hooks": [{"type": "command", "command": "true"}]})
    daily.local.write_text(json.dumps(settings, indent=4))
    daily.gatecore("uninstall")
    assert json.loads(daily.local.read_text()) == {
        "model": "opus",
        "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]},
        "permissions": {"allow": ["Bash(make)"]},
    }
    assert daily.local.read_text().startswith('{\n    "model"')


def test_status_is_clean_after_install_ten_stops_and_uninstall(daily: Daily) -> None:
    daily.install("--mode", "block")
    before = git(daily.work, "rev-parse", "HEAD"), (daily.work / ".git" / "index").read_bytes()
    for i in range(10):
        daily.prompt(f"p{i}")
        daily.write("calc.py", f"def add(a, b):\n    return a + b + {i} - {i}\n")
        assert daily.stop(f"p{i}") is None
    assert [r["decision"] for r in daily.records()] == ["allow"] * 10
    assert daily.status() == " M calc.py\n"
    daily.gatecore("uninstall")
    assert daily.status() == " M calc.py\n"
    assert (git(daily.work, "rev-parse", "HEAD"), (daily.work / ".git" / "index").read_bytes()) == before
    assert len(daily.records()) == 10, "the ledger stays"


def test_into_the_users_settings(daily: Daily) -> None:
    daily.install("--user", "--mode", "block")
    user = Path(daily.env["HOME"]) / ".claude" / "settings.json"
    assert not daily.local.exists()
    daily.call("UserPromptSubmit", user)
    daily.write("calc.py", BROKEN)
    assert daily.call("Stop", user)["decision"] == "block"
    elsewhere = daily.work.parent
    assert daily.call("Stop", user, cwd=str(elsewhere), session_id="s2")["decision"] == "block", (
        "the project's"
    )
    assert len(daily.runs()) == 2
    daily.gatecore("uninstall")
    assert not user.exists()


def test_settings_that_are_in_git_or_no_json_are_refused_with_their_name(daily: Daily) -> None:
    daily.write(".claude/settings.local.json", "{,}")
    assert "settings.local.json" in daily.install(code=2)
    assert daily.local.read_text() == "{,}"
    daily.local.write_text("{}\n")
    git(daily.work, "add", "-f", ".claude/settings.local.json")
    assert "--user" in daily.install(code=2)


def test_a_suite_that_cannot_be_judged_is_said_with_what_it_printed(daily: Daily) -> None:
    said = daily.gatecore("install", "--suite", "echo no such thing; exit 3", code=1)
    assert "not_judged" in said
    assert "no such thing" in said


def test_the_suite_is_found(daily: Daily) -> None:
    (daily.work / ".venv" / "bin").mkdir(parents=True)
    (daily.work / ".venv" / "bin" / "python").symlink_to(sys.executable)
    (daily.work / ".venv" / ".gitignore").write_text("*\n")
    assert "suite: .venv/bin/python -m pytest -q\n  pass" in daily.gatecore("install")
    assert json.loads((daily.home / "config.json").read_text())["link"] == [".venv"]


def test_outside_a_repository_and_before_installing(daily: Daily, tmp_path: Path) -> None:
    assert "gatecore install" in daily.gatecore("mode", "block", code=2)
    assert "no gate" in daily.gatecore("uninstall", code=2)
    daily.work = tmp_path
    assert "no git repository" in daily.install(code=2)
