"""What `run_checks` does around its commands."""

import os
import sys
import threading
import time
from pathlib import Path

import pytest
from checking import GREEN, NO_PLUGINS, PYTEST, SHELL, Case, make_check

from gatecore.checks.outcome import CheckResult
from gatecore.checks.requirements import judge_requirements
from gatecore.checks.run import run_checks

ORACLE = """\
import pytest
import app

def test_req1():
    assert app.answer() == 42

def test_req2():
    assert app.skips() == 1

@pytest.mark.parametrize("n", [1, 2])
def test_req3(n):
    assert app.same(n) == n

def test_req4(tmp_path, cache):
    assert not app.missing
"""


def test_checks_run_side_by_side_are_heard_as_they_end_and_answer_in_order(
    tmp_path: Path, state: Path
) -> None:
    """The first check ends only after the second was heard of."""
    waits = make_check(
        tmp_path / "1", state, Case({}, "", argv=(*SHELL, "until [ -e heard ]; do sleep 0.01; done"))
    )
    ends = make_check(tmp_path / "2", state, Case({}, "", argv=("true",)), "quick")
    heard: list[tuple[str, threading.Thread]] = []

    def hear(result: CheckResult) -> None:
        heard.append((result.name, threading.current_thread()))
        (tmp_path / "1/tree/heard").touch()

    results = run_checks([waits, ends], hear)
    assert heard == [(name, threading.current_thread()) for name in ("quick", "suite")]
    assert [(result.name, result.timed_out) for result in results] == [("suite", False), ("quick", False)]
    assert run_checks([]) == []


def test_an_exception_ends_all_checks(tmp_path: Path, state: Path) -> None:
    quick = make_check(tmp_path / "quick", state, Case({}, "", argv=("true",)), "quick")
    slow = make_check(
        tmp_path / "slow",
        state,
        Case({}, "", argv=(*SHELL, "echo $$ >new; mv new pid; exec sleep 60")),
        "slow",
    )

    def interrupt(_: CheckResult) -> None:
        while not (tmp_path / "slow/tree/pid").exists():
            pass  # as soon as it is there: the other thread may not know yet that its process has started
        raise KeyboardInterrupt

    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        run_checks([quick, slow], interrupt)
    assert time.monotonic() - began < 10
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "slow/tree/pid").read_text()), 0)


def test_an_earlier_report_and_earlier_bytecode_do_not_count(tmp_path: Path, state: Path) -> None:
    check = make_check(
        tmp_path, state, Case({"app.py": "one = 1\n", "test_a.py": "import app\n" + GREEN}, "")
    )
    app = tmp_path / "tree/app.py"
    status = app.stat()
    assert run_checks([check])[0].verdict == "pass"
    app.write_text("one = x\n")
    os.utime(app, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert run_checks([check])[0].verdict == "fail"
    app.write_text("one = 1\n")
    assert run_checks([check])[0].verdict == "pass"
    assert run_checks([check._replace(argv=("true",))])[0].verdict == "not_judged"


@pytest.mark.parametrize("conftest", ["", "import os, sys\nsys.path.insert(0, os.environ['APP_TREE'])\n"])
def test_an_oracle_beside_the_tree(tmp_path: Path, state: Path, conftest: str) -> None:
    """The tests lie elsewhere; the tree has files of the same names, and its own settings."""
    oracle = tmp_path / "oracle"
    oracle.mkdir()
    (oracle / "pytest.ini").write_text("[pytest]\naddopts = -p no:randomly\n")
    (oracle / "conftest.py").write_text(conftest)
    (oracle / "test_T1.py").write_text(ORACLE)
    case = Case(
        {
            "app.py": "import pytest\nmissing = False\ndef answer(): return 42\n"
            "def skips(): pytest.skip('not yet')\ndef same(n): return 1\n",
            "conftest.py": "raise SystemExit\n",
            "pytest.ini": "[pytest]\naddopts = --no-such-option\n",
            "test_T1.py": "def test_req2(): pass\n",
        },
        "",
        argv=(
            *PYTEST,
            *("-c", str(oracle / "pytest.ini"), "--rootdir", str(oracle)),
            str(oracle / "test_T1.py"),
        ),
        env={**NO_PLUGINS, "APP_TREE": str(tmp_path / "tree")},
    )
    (result,) = run_checks([make_check(tmp_path, state, case, "oracle")])
    judged = judge_requirements(str(oracle / "test_T1.py"), result)
    assert judged == ("judged", ("test_req1", "test_req4"), ("test_req2", "test_req3")), result
    assert sorted(path.name for path in oracle.iterdir()) == ["conftest.py", "pytest.ini", "test_T1.py"]


def test_temporary_files_go_when_the_check_ends(tmp_path: Path, state: Path) -> None:
    code = "import os\ndef test_one(tmp_path):\n    print(tmp_path, file=open('where', 'w'))\n"
    check = make_check(tmp_path, state, Case({"test_a.py": code}, ""))
    assert run_checks([check])[0].verdict == "pass"
    where = Path((tmp_path / "tree/where").read_text().strip())
    assert not where.exists()
    assert not where.parents[1].exists()
    assert len(str(where.parents[1])) < 60, "a socket's path has about 100 bytes"


def test_an_environment_of_the_user_reaches_the_command(tmp_path: Path, state: Path) -> None:
    code = "import os\ndef test_one():\n    assert os.environ['APP'] == '1' and os.getcwd() == {tree!r}\n"
    tree = str(tmp_path / "tree")
    case = Case({"test_a.py": code.replace("{tree!r}", repr(tree))}, "", env={**NO_PLUGINS, "APP": "1"})
    assert run_checks([make_check(tmp_path, state, case)])[0].verdict == "pass"
    assert sys.executable in case.argv
