"""Suites that are not one pytest at the root: other runners, several folders, environments, in place."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from daily import BROKEN, DOUBLE, FILES, SUITE, Daily, make_repo

NODE = {
    "sum.js": "module.exports = (a, b) => a + b;\n",
    "sum.test.js": """
        const test = require("node:test");
        const assert = require("node:assert");
        const sum = require("./sum.js");
        test("adds", () => assert.equal(sum(1, 2), 3));
        test("adds nothing", () => assert.equal(sum(0, 0), 0));
        """,
    "package.json": '{"name": "sum", "scripts": {"test": "node --test"}}\n',
}


@pytest.fixture
def node(daily: Daily, tmp_path: Path) -> Daily:
    """A repository of JavaScript."""
    if shutil.which("node") is None:
        pytest.skip("no node on PATH")
    daily.work = tmp_path / "node"
    make_repo(daily.work, NODE)
    return daily


def test_a_repo_of_javascript_by_junit(node: Daily) -> None:
    said = node.gatecore("install", "--mode", "block")
    assert "suite: node --test --test-reporter=junit" in said
    assert "pass in" in said
    node.prompt()
    node.write("sum.js", "module.exports = (a, b) => a - b;\n")
    reason = node.stop()
    assert reason is not None
    assert "adds" in reason
    assert "-1 == 3" in reason
    check = node.last()["checks"]["suite"]
    assert (check["counts"]["passed"], check["counts"]["failed"]) == (1, 1)
    node.write("sum.js", NODE["sum.js"] + "// the same\n")
    assert node.stop() is None
    node.write("sum.js", "module.exports = (((\n")
    assert node.stop() is not None, "what does not even load is red"
    assert node.status() == " M sum.js\n"


def test_a_runner_that_dies_before_its_report_is_red_and_one_that_is_missing_judges_nothing(
    node: Daily,
) -> None:
    command = "test ! -e broken || exit 2; node --test --test-reporter=junit"
    command += ' --test-reporter-destination="$GATECORE_JUNIT"'
    node.gatecore("install", "--mode", "block", "--suite", command)
    node.prompt()
    node.write("broken", "")
    reason = node.stop()
    assert reason is not None
    assert "no test was reported" in reason
    assert "not_judged" in node.gatecore("install", "--suite", 'no-such-runner "$GATECORE_JUNIT"', code=1)


def test_each_folder_has_its_suite_and_only_those_of_the_change_are_run(daily: Daily) -> None:
    for name in ("api", "web"):
        for file in ("calc.py", "tests/test_calc.py"):
            daily.write(f"{name}/{file}", FILES[file])
    daily.install("--mode", "block", "--suite", f"api={SUITE}", "--suite", f"web={SUITE}")
    daily.prompt()
    daily.write("api/calc.py", FILES["calc.py"] + DOUBLE)
    assert daily.stop() is None
    assert daily.last()["checks"].keys() == {"suite"}
    daily.write("web/calc.py", BROKEN)
    reason = daily.stop()
    assert reason is not None
    assert "in web" in reason
    assert {name: check["verdict"] for name, check in daily.last()["checks"].items()} == {
        "suite-api": "pass",
        "suite-web": "fail",
    }


def test_a_change_that_no_suite_is_for_is_skipped(daily: Daily) -> None:
    daily.write("api/calc.py", FILES["calc.py"])
    daily.write("api/tests/test_calc.py", FILES["tests/test_calc.py"])
    daily.gatecore("install", "--mode", "block", "--suite", f"api={SUITE}")
    daily.prompt()
    daily.write("other/x.py", "(((\n")
    assert daily.stop() is None
    assert daily.last()["decision"] == "skipped"


def _environment(daily: Daily) -> None:
    """An ignored folder without which the suite cannot run."""
    daily.write("deps/needed.py", "VALUE = 3\n")
    daily.write(".gitignore", "deps/\n")
    daily.write(
        "tests/test_calc.py",
        "import sys\n\nsys.path.append('deps')\n\nfrom calc import add\nfrom needed import VALUE\n\n\n"
        "def test_add():\n    assert add(1, 2) == VALUE\n",
    )


def test_what_the_suite_needs_and_git_ignores_is_linked(daily: Daily) -> None:
    _environment(daily)
    assert "red from the start" in daily.install("--mode", "block")
    daily.install("--link", "deps")
    daily.prompt()
    daily.write("calc.py", BROKEN)
    assert daily.stop() is not None
    daily.write("calc.py", FILES["calc.py"] + DOUBLE)
    assert daily.stop() is None
    assert daily.last()["gate1"]["pass"] is True
    assert (daily.work / "deps" / "needed.py").exists()


def test_in_place_a_tree_that_the_suite_changes_is_on_record(daily: Daily) -> None:
    _environment(daily)
    daily.write("tests/test_writes.py", "def test_writes():\n    open('out.txt', 'a').write('x')\n")
    daily.install("--mode", "block", "--inplace")
    (daily.work / "out.txt").unlink(missing_ok=True)
    daily.prompt()
    daily.write("calc.py", BROKEN)
    assert daily.stop() is not None
    record = daily.last()
    assert (daily.work / "out.txt").exists()
    assert record["tree_after"] not in (None, record["tree"])


def test_an_editable_install_of_the_work_tree_is_not_what_is_judged(daily: Daily, tmp_path: Path) -> None:
    venv = tmp_path / "venv"
    subprocess.run(
        [sys.executable, "-m", "venv", "--without-pip", "--system-site-packages", str(venv)], check=True
    )
    site = next((venv / "lib").glob("python3*/site-packages"))
    (site / "editable.pth").write_text(f"{daily.work}\n")
    (site / "pytest.pth").write_text(f"{Path(pytest.__file__).parents[1]}\n")
    daily.gatecore("install", "--mode", "block", "--suite", f"{venv}/bin/python -m pytest -q")
    daily.prompt()
    daily.write("calc.py", BROKEN)
    stop = daily.start("Stop")
    out, _ = stop.communicate(timeout=120)
    assert b"test_add" in out, "the copy was judged"
