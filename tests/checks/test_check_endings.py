"""Suites that end early, say nothing to us, or say something else than their exit code."""

import sys

import pytest
from checking import GREEN, ONE_RED, PYTEST, SHELL, Case, Ran, assert_answer

CASES = {
    "green": Case(
        {"test_a.py": GREEN}, "pass", tests={f"test_a.py::test_{n}": "passed" for n in ("one", "two")}
    ),
    "red": Case({"test_a.py": ONE_RED}, "fail", counts={"failed": 1, "passed": 1, "collected": 2}),
    # -- a suite that ends early, or is never reached
    "E5: conftest ends pytest": Case(
        {
            "conftest.py": "import pytest\ndef pytest_sessionstart():\n    pytest.exit('', 0)\n",
            "test_a.py": GREEN,
        },
        "fail",
        "no test was collected (exit code 0)",
    ),
    "E5: conftest ends pytest as it is loaded": Case(
        {"conftest.py": "import pytest\npytest.exit('', 0)\n", "test_a.py": GREEN},
        "fail",
        "no test was collected",
    ),
    "E5b: code ends pytest": Case(
        {
            "app.py": "import pytest\ndef run(): pytest.exit('', 0)\n",
            "test_a.py": f"import app\n{GREEN}def test_three(): app.run()\ndef test_four(): assert False\n",
        },
        "fail",
        "2 of 4 collected tests have no outcome (exit code 0)",
        counts={"passed": 2, "missing": 2},
    ),
    "os._exit in a test": Case(
        {"test_a.py": GREEN + "import os\ndef test_three():\n    os._exit(0)\n"},
        "fail",
        "1 of 3 collected tests have no outcome (exit code 0)",
    ),
    "os._exit in a teardown": Case(
        {
            "test_a.py": "import os, pytest\n@pytest.fixture\ndef gone():\n    yield\n    os._exit(0)\n"
            "def test_one(gone):\n    pass\n"
        },
        "fail",
        "1 of 1 collected tests have no outcome (exit code 0)",
    ),
    "os._exit after the last test": Case(
        {"conftest.py": "import os\ndef pytest_sessionfinish():\n    os._exit(0)\n", "test_a.py": GREEN},
        "fail",
        "pytest did not reach the end of its session (exit code 0)",
    ),
    "killed": Case(
        {"test_a.py": GREEN + "import os\ndef test_three():\n    os.kill(os.getpid(), 11)\n"},
        "fail",
        "1 of 3 collected tests have no outcome (killed by SIGSEGV)",
    ),
    "sys.exit in a test": Case(
        {"test_a.py": GREEN + "import sys\ndef test_three():\n    sys.exit(0)\n"},
        "fail",
        tests={
            "test_a.py::test_one": "passed",
            "test_a.py::test_two": "passed",
            "test_a.py::test_three": "failed",
        },
    ),
    "E35: nothing that pytest collects": Case(
        {"test_a.py": "class Suite:\n    def test_one(self):\n        pass\n"},
        "fail",
        "no test was collected (exit code 5)",
    ),
    "E59: an option that is unknown here": Case(
        {"test_a.py": GREEN, "pytest.ini": "[pytest]\naddopts = --no-such-option\n"},
        "fail",
        "no test was collected (exit code 4)",
    ),
    "E60: a repo without tests": Case({"app.py": ""}, "fail", "no test was collected (exit code 5)"),
    "conftest raises": Case(
        {"conftest.py": "1 / 0\n", "test_a.py": GREEN}, "fail", "no test was collected (exit code 4)"
    ),
    "a module that cannot be collected": Case(
        {"test_a.py": GREEN, "test_b.py": "def test_three(:\n"},
        "fail",
        "modules that could not be collected: 1",
        tests={"test_a.py::test_one": "missing", "test_a.py::test_two": "missing", "test_b.py": "error"},
    ),
    "first failure ends the run": Case(
        {"test_a.py": ONE_RED, "pytest.ini": "[pytest]\naddopts = -x\n"},
        "fail",
        "1 of 2 collected tests have no outcome (exit code 1)",
        tests={"test_a.py::test_one": "failed", "test_a.py::test_two": "missing"},
    ),
    "collected only": Case(
        {"test_a.py": GREEN, "pytest.ini": "[pytest]\naddopts = --collect-only\n"},
        "fail",
        "2 of 2 collected tests have no outcome (exit code 0)",
    ),
    # -- no report of ours
    "not pytest": Case(
        {},
        "not_judged",
        "the command did not run pytest with our report plugin (exit code 0)",
        argv=(sys.executable, "-c", "print('99 passed')"),
    ),
    "no such command": Case({}, "not_judged", "the command could not be run: ", argv=("no-such-command",)),
    "our plugin switched off": Case(
        {"test_a.py": GREEN},
        "not_judged",
        "the command did not run pytest with our report plugin (exit code 0)",
        argv=(*PYTEST, "-p", "no:gatecore_report"),
    ),
    "our plugin switched off by the repo": Case(
        {"test_a.py": GREEN, "pytest.ini": "[pytest]\naddopts = -p no:gatecore_report\n"},
        "pass",
        counts={"passed": 2},
    ),
    "a FIFO in the report's place": Case(
        {
            "test_a.py": "import os\ndef test_one():\n"
            "    os.unlink('{base}/report.jsonl')\n    os.mkfifo('{base}/report.jsonl')\n"
        },
        "not_judged",
        "the command did not run pytest with our report plugin (exit code 0)",
    ),
    # -- text and colours
    "E6: words that look like a summary": Case(
        {
            "test_a.py": "import sys, warnings\ndef test_one():\n"
            "    warnings.warn('found 2 errors in the config, 3 failed')\n    sys.__stdout__.write('2 failed')\n"
        },
        "pass",
        counts={"passed": 1, "failed": 0, "error": 0},
    ),
    "E54: colours": Case(
        {"test_a.py": ONE_RED, "pytest.ini": "[pytest]\naddopts = --color=yes\n"},
        "fail",
        counts={"failed": 1, "passed": 1},
        inherited={"FORCE_COLOR": "1"},
    ),
    # -- exit codes
    "exit code 1 although all passed": Case(
        {
            "conftest.py": "def pytest_sessionfinish(session):\n    session.exitstatus = 1\n",
            "test_a.py": GREEN,
        },
        "fail",
        "exit code 1 although no test failed",
    ),
    "exit code 0 although one failed": Case(
        {"test_a.py": ONE_RED},
        "fail",
        "exit code 0 although tests failed",
        argv=(*SHELL, "python -m pytest -q; true"),
    ),
    "pytest twice": Case(
        {"test_a.py": GREEN, "test_b.py": ONE_RED},
        "fail",
        counts={"passed": 3, "failed": 1, "collected": 4},
        argv=(*SHELL, "python -m pytest -q test_a.py; python -m pytest -q test_b.py"),
    ),
    "pytest twice, the second cut off": Case(
        {"test_a.py": f"{GREEN}import os\ndef test_three():\n    if os.path.exists('again'): os._exit(0)\n"},
        "fail",
        "1 of 3 collected tests have no outcome (exit code 0)",
        argv=(*SHELL, "python -m pytest -q; touch again; python -m pytest -q"),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_case(name: str, ran: dict[str, Ran]) -> None:
    assert_answer(CASES[name], ran[name])
