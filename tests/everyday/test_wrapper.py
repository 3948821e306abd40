"""The shell script answers by itself when the pinned interpreter is gone or fails."""

import os
import sys
from pathlib import Path

import pytest
from daily import BROKEN, Daily

from gatecore.ledger.classes import classed_stops
from gatecore.ledger.reader import read_run


@pytest.fixture
def python(tmp_path: Path) -> Path:
    """An interpreter that may be lost."""
    path = tmp_path / "lost" / "python"
    path.parent.mkdir()
    path.write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    path.chmod(0o755)
    return path


def _ruin(python: Path, how: str) -> None:
    if how == "gone":
        python.unlink()
    elif how == "cannot be run":
        python.chmod(0o644)
    else:
        python.write_text("#!/bin/sh\ncat >/dev/null\nexit 1\n")


@pytest.mark.parametrize("how", ["gone", "cannot be run", "fails"])
def test_the_next_stop_is_answered_and_on_record(daily: Daily, python: Path, how: str) -> None:
    if how == "cannot be run" and os.geteuid() == 0:
        how = "fails"
    daily.install("--mode", "block", "--python", str(python))
    daily.prompt()
    daily.write("calc.py", BROKEN)
    assert daily.stop() is not None
    _ruin(python, how)
    answer = daily.call("Stop", session_id="s7")
    assert list(answer) == ["systemMessage"]
    assert "did not run" in answer["systemMessage"]
    alone = daily.records(0)
    assert [(r["decision"], r["session_id"], r["prompt_id"]) for r in alone] == [("error", "s7", "p1")]
    assert [s.kind for s in classed_stops(read_run(daily.runs()[0]))] == ["error"]
    daily.gatecore("uninstall")
    assert not daily.local.exists()


def test_where_an_error_is_to_block_it_blocks_once(daily: Daily, python: Path) -> None:
    daily.install("--mode", "block", "--python", str(python), "--on-error", "block")
    python.unlink()
    assert "gatecore doctor" in daily.call("Stop")["reason"]
    assert "systemMessage" in daily.call("Stop", stop_hook_active=True)
    assert "decision" not in daily.call("UserPromptSubmit"), "a prompt is never held up"
    assert len(daily.records(0)) == 3
