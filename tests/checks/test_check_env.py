import ast
import os
import sys
from pathlib import Path

from gatecore.checks import env as names
from gatecore.checks.env import MARK, PLUGIN, PLUGIN_DIR, check_env, owner

SECRETS = {
    "ANTHROPIC_API_KEY": "1",
    "CLAUDE_CODE_OAUTH_TOKEN": "1",
    "AWS_SECRET_ACCESS_KEY": "1",
    "GITHUB_TOKEN": "1",
    "SSH_AUTH_SOCK": "1",
}
HABITS = {
    "FORCE_COLOR": "1",
    "PYTEST_ADDOPTS": "-x",
    "PYTEST_PLUGINS": "p",
    "PYTHONPATH": "/lib",
    "PYTHONDONTWRITEBYTECODE": "1",
    "HOME": "/home/me",
    "TMPDIR": "/t",
}


def test_it_is_built_from_nothing() -> None:
    env = check_env("/s", inherited={**SECRETS, **HABITS, "LC_TIME": "de", "TZ": "UTC", "PATH": "/bin"})
    assert env == {
        "PATH": "/bin",
        "TZ": "UTC",
        "LC_TIME": "de",
        "LANG": "C.UTF-8",
        "HOME": "/s/home",
        "TERM": "dumb",
        "NO_COLOR": "1",
        "COLUMNS": "80",
        "PYTHONPYCACHEPREFIX": "/s/pycache",
        MARK: owner("/s"),
        "PYTHONSAFEPATH": "1",
        "PYTHONPATH": PLUGIN_DIR,
        "PYTEST_ADDOPTS": f"-p {PLUGIN} --color=no",
    }


def test_what_the_user_lets_through() -> None:
    env = check_env(
        "/s", ["GITHUB_TOKEN", "HOME", "PYTHONPATH", "NONE"], {"TREE": "/t"}, {**SECRETS, **HABITS}
    )
    assert (env["GITHUB_TOKEN"], env["HOME"], env["TREE"]) == ("1", "/home/me", "/t")
    assert env["PYTHONPATH"] == PLUGIN_DIR + os.pathsep + "/lib"
    assert "NONE" not in env
    assert check_env("/s", extra={"PYTEST_ADDOPTS": "-x"}, inherited={})["PYTEST_ADDOPTS"].endswith(" -x")


def test_the_plugin_needs_nothing_but_pytest_and_old_python_and_knows_our_names() -> None:
    tree = ast.parse((Path(PLUGIN_DIR) / f"{PLUGIN}.py").read_text(), feature_version=(3, 8))
    imports = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    imports |= {str(node.module) for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert {name.split(".")[0] for name in imports} <= sys.stdlib_module_names | {"pytest"}
    constants = {
        target.id: node.value.value
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    assert (constants["REPORT"], constants["TREE_ROOT"]) == (names.REPORT, names.TREE_ROOT)
