"""Which modules a suite loads, the settings it brings along, xdist, time and size."""

import os
import time
from pathlib import Path

import pytest
from checking import GREEN, NO_PLUGINS, ONE_RED, PYTEST, SHELL, Case, Ran, assert_answer

from gatecore.checks.process import KEPT_BYTES

CASES = {
    # -- which modules are loaded
    "E11: a pytest.py that prints": Case(
        {"pytest.py": "print('99 passed')\nraise SystemExit(0)\n", "test_a.py": ONE_RED},
        "fail",
        counts={"failed": 1, "passed": 1},
    ),
    "a new module that hides one of the standard library": Case(
        {"colorsys.py": "", "test_a.py": "import colorsys\n" + GREEN},
        "not_judged",
        "module colorsys was loaded from colorsys.py in the tree",
    ),
    "the same, but it was there before": Case(
        {"colorsys.py": "", "test_a.py": "import colorsys\n" + GREEN},
        "pass",
        base_modules=("colorsys.py", "tests"),
    ),
    "a module from outside the copy": Case(
        {
            "../live/app/__init__.py": "",
            "app/__init__.py": "",
            "conftest.py": "import sys\nsys.path.insert(0, '{base}/live')\nimport app\n",
            "test_a.py": GREEN,
        },
        "not_judged",
        "module app was loaded from {base}/live/app/__init__.py, outside the judged tree",
    ),
    "an installed copy comes after the tree": Case(
        {
            "../live/app/__init__.py": "live = True",
            "../live/pkg/__init__.py": "live = True",
            "app/__init__.py": "live = False",
            "src/pkg/__init__.py": "live = False",
            "tests/test_a.py": "import app, pkg\ndef test_one():\n    assert not app.live and not pkg.live\n",
        },
        "pass",
        env={**NO_PLUGINS, "PYTHONPATH": "{base}/live"},
    ),
    "a new module that hides nothing, since it comes too late": Case(
        {"random.py": "1 / 0\n", "pluggy/__init__.py": "1 / 0\n", "test_a.py": "import random\n" + GREEN},
        "pass",
    ),
    "the suite of a part of the runner": Case(
        {"src/pluggy/__init__.py": "", "test_a.py": GREEN},
        "not_judged",
        "module pluggy was loaded from ",
        base_modules=("src", "pluggy"),
    ),
    "an environment inside the tree": Case(
        {"test_a.py": "import sys\ndef test_one():\n    assert sys.prefix.startswith('{base}/tree/.venv')\n"},
        "pass",
        argv=(
            *SHELL,
            # A minimal environment: its interpreter, and the packages of this one.
            """\
set -e
own=.venv/lib/{version}/site-packages
mkdir -p .venv/bin $own
echo 'home = {home}' > .venv/pyvenv.cfg
ln -s {python} .venv/bin/python
for package in pytest _pytest pluggy iniconfig packaging pygments; do cp -r {packages}/$package $own/; done
exec .venv/bin/python -m pytest -q
""",
        ),
    ),
    # -- what the repo's own settings ask for
    "settings that need the cache": Case(
        {
            "test_a.py": "def test_one(cache):\n    cache.set('a/b', 1)\n",
            "pytest.ini": "[pytest]\naddopts = --ff --strict-config\ncache_dir = .cache\n",
        },
        "pass",
    ),
    "settings of the caller": Case(
        {
            "test_a.py": """\
import os, subprocess, sys

def test_environment():
    assert not {name for name in os.environ if name.startswith(("PYTEST_ADD", "GATECORE_R", "GATECORE_T"))}
    assert "PYTHONSAFEPATH" not in os.environ and "PYTHONPATH" not in os.environ
    assert "AWS_SECRET_ACCESS_KEY" not in os.environ
    assert os.environ["HOME"].endswith("/home") and os.path.isdir(os.environ["HOME"])
    assert os.path.isdir(os.environ["TMPDIR"]) and os.environ["LC_ALL"] == "C"

def test_child():
    code = "import app, sys; assert sys.path[0] == ''"
    subprocess.run([sys.executable, "-c", code], check=True)

def test_input():
    assert os.read(0, 1) == b""
""",
            "app.py": "",
        },
        "pass",
        inherited={"AWS_SECRET_ACCESS_KEY": "x", "PYTEST_ADDOPTS": "--no-such", "LC_ALL": "C"},
        argv=(*PYTEST, "-s"),
    ),
    # -- xdist
    "xdist": Case(
        {
            "app.py": "",
            "conftest.py": "import app\n",
            "test_a.py": f"import app, os, pytest\n{ONE_RED}def test_three(): pytest.skip()\n"
            "def test_env(): assert not {'PYTEST_ADDOPTS', 'PYTHONPATH', 'PYTHONSAFEPATH'} & os.environ.keys()\n",
        },
        "fail",
        tests={
            "test_a.py::test_one": "failed",
            "test_a.py::test_two": "passed",
            "test_a.py::test_three": "skipped",
            "test_a.py::test_env": "passed",
        },
        argv=(*PYTEST, "-p", "xdist", "-n", "2"),
    ),
    "xdist, a worker dies": Case(
        {"test_a.py": GREEN + "import os\ndef test_three(): os._exit(0)\n"},
        "fail",
        counts={"failed": 1, "passed": 2, "collected": 3},
        argv=(*PYTEST, "-p", "xdist", "-n", "1"),
    ),
    "xdist, modules of the workers": Case(
        {
            "colorsys.py": "",
            "test_a.py": "import colorsys\n" + GREEN,
            "pytest.ini": "[pytest]\naddopts = -k one\n",
        },
        "not_judged",
        "module colorsys was loaded from colorsys.py in the tree",
        tests={"test_a.py::test_one": "passed", "test_a.py::test_two": "deselected"},
        argv=(*PYTEST, "-p", "xdist", "-n", "1"),
    ),
    # -- time and size
    "deadline": Case(
        {"test_a.py": GREEN + "import time\ndef test_three():\n    time.sleep(60)\n"},
        "not_judged",
        "timed out after 4 s, before test_a.py::test_three had ended",
        seconds=4,
    ),
    "E13: what is left in the background": Case(
        {
            "test_a.py": """\
import subprocess, sys

IGNORES = '''
import signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
print("here", flush=True)
time.sleep(60)
'''

def start(**options):
    child = subprocess.Popen([sys.executable, "-c", IGNORES], stdout=subprocess.PIPE, **options)
    child.stdout.readline()
    with open("{base}/pids", "a") as file:
        print(child.pid, file=file)

def test_stays(): start()
def test_leaves_the_group(): start(start_new_session=True)
"""
        },
        "pass",
        argv=(*PYTEST, "-s", "-W", "ignore"),
    ),
    "E65: 50 MB of output": Case(
        {
            "test_a.py": f"import os\n{GREEN}def test_three():\n"
            "    for _ in range(50):\n        os.write(1, b'x' * 999_999 + b'\\n')\n"
        },
        "pass",
        argv=(*PYTEST, "-s"),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_case(name: str, ran: dict[str, Ran]) -> None:
    assert_answer(CASES[name], ran[name])


def test_nothing_stays_in_the_background(ran: dict[str, Ran]) -> None:
    case = ran["E13: what is left in the background"]
    assert case.result.seconds < 10
    pids = [int(pid) for pid in (case.base / "pids").read_text().split()]
    assert len(pids) == 2
    deadline = time.monotonic() + 5
    while any(map(lives, pids if Path("/proc").exists() else pids[:1])):
        assert time.monotonic() < deadline
        time.sleep(0.01)


def lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
        return ") Z " not in Path(f"/proc/{pid}/stat").read_text()
    except ProcessLookupError:
        return False
    except FileNotFoundError:
        return not Path("/proc").exists()


def test_of_much_output_both_ends_are_kept(ran: dict[str, Ran]) -> None:
    case = ran["E65: 50 MB of output"]
    assert case.result.seconds < 10
    assert len(case.output) < KEPT_BYTES + 100
    assert "bytes of output left out" in case.output
    assert "3 passed" in case.output
