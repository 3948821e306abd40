import os
from pathlib import Path

import pytest

from gatecore.agents.scripted import hooks
from gatecore.agents.scripted.settings import Hook

BLOCK = """echo '{"decision":"block","reason":"red"}'"""


@pytest.mark.parametrize(
    ("command", "feedback"),
    [
        pytest.param("echo red >&2; exit 2", "[{command}]: red\n", id="exit 2 with stderr"),
        pytest.param("exit 2", "[{command}]: No stderr output", id="exit 2 in silence"),
        pytest.param("echo 'No such file or directory' >&2; exit 2", None, id="trap 1"),
        pytest.param('echo "Can\'t open it" >&2; exit 2', None, id="trap 1, other words"),
        pytest.param("echo .; echo no such file >&2; exit 2", "[{command}]: no such file\n", id="not trap 1"),
        pytest.param(f"echo text; {BLOCK}", None, id="trap 3, text before"),
        pytest.param(f"{BLOCK}; echo text", None, id="trap 3, text after"),
        pytest.param(f"{BLOCK}; echo dropped >&2; exit 2", "red", id="JSON and exit 2"),
        pytest.param(f"{BLOCK}; exit 1", "red", id="JSON and exit 1"),
        pytest.param("""echo '{"decision":"block"}'""", "Blocked by hook", id="JSON without a reason"),
        pytest.param(
            """echo '{"hookSpecificOutput":{"additionalContext":"mind"}}'""", "mind", id="more context"
        ),
        pytest.param("echo red >&2; exit 1", None, id="exit 1"),
        pytest.param("exit 127", None, id="exit 127"),
        pytest.param("kill -9 $$", None, id="killed"),
        pytest.param("""echo '{"decision":'; exit 0""", None, id="bad JSON"),
    ],
)
def test_the_contract_of_one_hook(tmp_path: Path, command: str, feedback: str | None) -> None:
    """None: the stop is allowed."""
    ruling = hooks.combine([hooks.rule(one) for one in play(tmp_path, command)])
    expected = "" if feedback is None else feedback.format(command=command)
    assert (ruling.goes_on, ruling.feedback) == (feedback is not None, expected)
    assert not ruling.ends


def test_several_hooks(tmp_path: Path) -> None:
    several = [hooks.rule(one) for one in play(tmp_path, BLOCK, "true", "echo worse >&2; exit 2")]
    assert hooks.combine(several).feedback == "red\n[echo worse >&2; exit 2]: worse\n"
    ends = [hooks.rule(one) for one in play(tmp_path, BLOCK, """echo '{"continue":false}'""")]
    assert hooks.combine(ends) == hooks.Ruling(ends=True)


def play(project: Path, *commands: str) -> list[hooks.Outcome]:
    environ = {"PATH": os.environ["PATH"]}
    return hooks.run([Hook(command, 10) for command in commands], "{}", project, environ, None)
