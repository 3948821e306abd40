"""What becomes of single tests, and what a test can do to the process that reports on it."""

import pytest
from checking import GREEN, PYTEST, Case, Ran, assert_answer

CASES = {
    # -- outcomes
    "kinds of outcome": Case(
        {
            "test_a.py": """\
import pytest

@pytest.fixture
def bad_setup():
    raise RuntimeError

@pytest.fixture
def bad_teardown():
    yield
    raise RuntimeError

def test_setup(bad_setup): pass
def test_teardown(bad_teardown): pass
def test_skip(): pytest.skip()
@pytest.mark.xfail
def test_xfail(): assert False
@pytest.mark.xfail
def test_xpass(): pass
@pytest.mark.xfail(strict=True)
def test_strict(): pass
@pytest.mark.xfail(run=False)
def test_not_run(): pass
""",
            "test_b.py": "import pytest\npytest.skip(allow_module_level=True)\n",
        },
        "fail",
        tests={
            "test_a.py::test_setup": "error",
            "test_a.py::test_teardown": "error",
            "test_a.py::test_skip": "skipped",
            "test_a.py::test_xfail": "xfailed",
            "test_a.py::test_xpass": "xpassed",
            "test_a.py::test_strict": "failed",
            "test_a.py::test_not_run": "xfailed",
            "test_b.py": "skipped",
        },
    ),
    "only skipped": Case(
        {"test_a.py": "import pytest\ndef test_one():\n    pytest.skip()\n"}, "fail", "no test passed"
    ),
    "deselected": Case(
        {"test_a.py": GREEN, "pytest.ini": "[pytest]\naddopts = -k two\n"},
        "pass",
        tests={"test_a.py::test_two": "passed", "test_a.py::test_one": "deselected"},
        counts={"collected": 1, "deselected": 1},
    ),
    "unittest": Case(
        {
            "test_a.py": """\
import unittest

class T(unittest.TestCase):
    def test_fine(self): pass
    def test_red(self): self.assertEqual(1, 2)
    def test_sub(self):
        for i in range(3):
            with self.subTest(i=i):
                self.assertNotEqual(i, 1)
    def test_sub_skipped(self):
        with self.subTest():
            self.skipTest("part of it")
    @unittest.expectedFailure
    def test_expected(self): self.fail()
"""
        },
        "fail",
        tests={
            "test_a.py::T::test_expected": "xfailed",
            "test_a.py::T::test_fine": "passed",
            "test_a.py::T::test_red": "failed",
            "test_a.py::T::test_sub": "failed",
            "test_a.py::T::test_sub_skipped": "skipped",
        },
    ),
    "subtests": Case(
        {
            "test_a.py": """\
import pytest

def test_red(subtests):
    with subtests.test("one"):
        assert False
    with subtests.test("two"):
        pass

def test_part_skipped(subtests):
    with subtests.test():
        pytest.skip()

def test_fine(subtests):
    with subtests.test():
        pass
"""
        },
        "fail",
        tests={
            "test_a.py::test_red": "failed",
            "test_a.py::test_part_skipped": "skipped",
            "test_a.py::test_fine": "passed",
        },
    ),
    "a failure stays one when the test is repeated": Case(
        {
            "conftest.py": """\
from _pytest.runner import runtestprotocol

def pytest_runtest_protocol(item, nextitem):
    for attempt in range(2):
        for report in runtestprotocol(item, nextitem=nextitem, log=False):
            item.ihook.pytest_runtest_logreport(report=report)
    item.session.testsfailed = 0
    return True
""",
            "test_a.py": "tries = []\ndef test_one():\n    tries.append(1)\n    assert len(tries) > 1\n",
        },
        "fail",
        "exit code 0 although tests failed",
        tests={"test_a.py::test_one": "failed"},
    ),
    "an attempt that is marked as repeated is no failure": Case(
        {
            "conftest.py": """\
from _pytest.runner import runtestprotocol

def pytest_runtest_protocol(item, nextitem):
    for attempt in range(2):
        for report in runtestprotocol(item, nextitem=nextitem, log=False):
            if report.failed:
                report.outcome = "rerun"
            item.ihook.pytest_runtest_logreport(report=report)
            if report.outcome == "rerun":
                break
        else:
            return True
""",
            "test_a.py": "tries = []\ndef test_one():\n    tries.append(1)\n    assert len(tries) > 1\n",
        },
        "pass",
        tests={"test_a.py::test_one": "passed"},
        counts={"rerun": 1, "passed": 1},
    ),
    "odd ids": Case(
        {
            "test_ü.py": """\
import pytest

@pytest.mark.parametrize("x", ["a::b[c]", "\\n\\x1b[2J", "\\ud800", "日本", " ", "\\u202e"])
def test_one(x): pass
"""
        },
        "pass",
        counts={"passed": 6, "collected": 6},
    ),
    "the same file twice": Case(
        {"test_a.py": GREEN},
        "pass",
        counts={"passed": 2},
        argv=(*PYTEST, "--keep-duplicates", "test_a.py", "test_a.py"),
    ),
    "reordered, some ignored": Case(
        {
            "conftest.py": "collect_ignore = ['test_b.py']\n"
            "def pytest_collection_modifyitems(items):\n    items.reverse()\n",
            "test_a.py": GREEN,
            "test_b.py": "1 / 0\n",
        },
        "pass",
        tests={"test_a.py::test_two": "passed", "test_a.py::test_one": "passed"},
    ),
    # -- what a test can do to its own process
    "a fork that goes on with pytest": Case(
        {
            "test_a.py": "import os\ndef test_one():\n    pid = os.fork()\n    assert pid\n    os.waitpid(pid, 0)\n"
            "def test_two():\n    pass\n"
        },
        "pass",
        counts={"passed": 2},
    ),
    "a process turned upside down": Case(
        {
            "test_a.py": """\
import builtins, json, os, sys

def test_patched(monkeypatch, tmp_path):
    def broken(*args, **kwargs):
        raise RuntimeError
    for name in ("write", "open", "fstat", "getpid"):
        monkeypatch.setattr(os, name, broken)
    monkeypatch.setattr(builtins, "open", broken)
    monkeypatch.setattr(json, "dumps", broken)
    monkeypatch.setattr(json.JSONEncoder, "encode", broken)

def test_elsewhere(tmp_path, monkeypatch):
    os.chdir(tmp_path)
    os.environ.clear()
    sys.path.clear()

def test_descriptors():
    os.closerange(3, 200)
    taken = [os.open("/dev/null", os.O_RDONLY) for _ in range(20)]
    assert taken[0] == 3

def test_after(): pass
"""
        },
        "pass",
        counts={"passed": 4},
        argv=(*PYTEST, "-s", "-p", "no:faulthandler"),
    ),
    "modules that are none": Case(
        {
            "test_a.py": """\
import sys

class Odd:
    __slots__ = ()
    def __getattr__(self, name):
        raise SystemExit

def test_one():
    sys.modules["random.odd"] = Odd()
    sys.modules["random.none"] = None
"""
        },
        "pass",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_case(name: str, ran: dict[str, Ran]) -> None:
    assert_answer(CASES[name], ran[name])
