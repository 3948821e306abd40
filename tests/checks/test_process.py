import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from gatecore.checks.process import KEPT_BYTES, Ended, kill_all, run_process

ENV = {"PATH": os.environ["PATH"]}
# A child that outlives its parent, holds the pipe open, ignores SIGTERM; its pid goes to the file `pid`.
LEFT = """
import os, signal, sys, time
if os.fork():
    while not os.path.exists("pid"): time.sleep(0.01)
    {then}
    os._exit(0)
signal.signal(signal.SIGTERM, signal.SIG_IGN)
{leave}
with open("pid.new", "w") as file: file.write(str(os.getpid()))
os.rename("pid.new", "pid")
while True: time.sleep(0.01); os.write(1, b"still here\\n")
"""


def run(folder: Path, code: str, seconds: float = 30.0, **options: str) -> Ended:
    return run_process(
        [sys.executable, "-I", "-c", code],
        cwd=str(folder),
        env=ENV,
        seconds=seconds,
        output=str(folder / "out"),
        **options,
    )


def gone(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        pass
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


def wait_until(condition: Callable[[], bool], seconds: float = 10.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_output_errors_input_and_exit(tmp_path: Path) -> None:
    code = "import sys; print(repr(sys.stdin.read()), flush=True); sys.stderr.write('oh'); sys.exit(3)"
    ended = run(tmp_path, code)
    assert (ended.exit, ended.timed_out) == (3, False)
    assert (tmp_path / "out").read_text() == "''\noh"
    (tmp_path / "in").write_text("hello")
    run(tmp_path, code, stdin=str(tmp_path / "in"), errors=str(tmp_path / "err"))
    assert (tmp_path / "out").read_text() == "'hello'\n"
    assert (tmp_path / "err").read_text() == "oh"


@pytest.mark.parametrize(
    ("leave", "then"),
    [
        ("", ""),
        ("os.setsid()", ""),
        ("os.setsid(); os.dup2(os.open('/dev/null', 1), 1)", ""),
        ("os.setsid()", "time.sleep(60)"),
    ],
)
def test_nothing_left_behind_holds_us_or_lives_on(tmp_path: Path, leave: str, then: str) -> None:
    if leave and not Path("/proc/self/environ").exists():
        pytest.skip("a process that left the group is found in /proc only")
    began = time.monotonic()
    ended = run(tmp_path, LEFT.format(leave=leave, then=then), seconds=2.0 if then else 30.0)
    assert ended.timed_out == bool(then)
    assert ended.exit == (-signal.SIGKILL if then else 0)
    assert time.monotonic() - began < 20
    wait_until(lambda: gone(int((tmp_path / "pid").read_text())))


def test_output_past_the_limit_loses_its_middle(tmp_path: Path) -> None:
    code = "import os; [os.write(1, b) for b in (b'first\\n', *[b'x' * 10**6] * 50, b'last\\n')]"
    ended = run(tmp_path, code)
    output = (tmp_path / "out").read_bytes()
    dropped = 50_000_011 - KEPT_BYTES
    assert ended.exit == 0
    assert ended.seconds < 10
    assert output.startswith(b"first\nxxx")
    assert output.endswith(b"xxxlast\n")
    assert b"\n[... %d bytes of output left out ...]\n" % dropped in output
    assert len(output) < KEPT_BYTES + 100


def test_output_up_to_the_limit_is_kept_whole(tmp_path: Path) -> None:
    run(tmp_path, f"import os; os.write(1, bytes(range(250)) * {KEPT_BYTES // 250})")
    assert (tmp_path / "out").read_bytes() == bytes(range(250)) * (KEPT_BYTES // 250)


def test_a_talker_without_end_is_ended(tmp_path: Path) -> None:
    ended = run(tmp_path, "import os\nwhile True: os.write(1, b'x' * 10**6)", seconds=0.5)
    assert ended.timed_out
    assert (tmp_path / "out").stat().st_size < KEPT_BYTES + 100


def test_what_lies_in_the_output_files_place_is_replaced(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_text("mine")
    (tmp_path / "out").symlink_to(elsewhere)
    run(tmp_path, "print(1)")
    (tmp_path / "out").unlink()
    os.mkfifo(tmp_path / "out")
    run(tmp_path, "print(2)")
    assert (elsewhere.read_text(), (tmp_path / "out").read_text()) == ("mine", "2\n")


@pytest.mark.parametrize(("argv", "error"), [(["no-such"], FileNotFoundError), (["a\0b"], ValueError)])
def test_a_command_that_cannot_be_started(tmp_path: Path, argv: list[str], error: type[Exception]) -> None:
    with pytest.raises(error):
        run_process(argv, cwd=str(tmp_path), env=ENV, seconds=1, output=str(tmp_path / "out"))


def test_kill_all_ends_what_runs_in_other_threads_and_leaves_no_trace(tmp_path: Path) -> None:
    """As a hook does it that is told to end: a handler raises in the main thread."""
    code = LEFT.format(leave="os.setsid()", then="time.sleep(60)")
    program = f"""
import signal, sys, threading
from gatecore.checks.process import kill_all, run_process

def run(folder):
    argv = [sys.executable, "-I", "-c", {code!r}]
    run_process(argv, cwd=folder, env={{}}, seconds=60, output=folder + "/out")

def end(*_):
    raise SystemExit(7)

signal.signal(signal.SIGTERM, end)
threads = [threading.Thread(target=run, args=({str(tmp_path)!r} + name,)) for name in ("/a", "/b")]
try:
    for thread in threads: thread.start()
    for thread in threads: thread.join()
finally:
    kill_all()
"""
    pids = [tmp_path / name / "pid" for name in "ab"]
    for pid in pids:
        pid.parent.mkdir()
    with subprocess.Popen([sys.executable, "-c", program]) as hook:
        wait_until(lambda: all(pid.exists() for pid in pids))
        hook.terminate()
        assert hook.wait(10) == 7
    for pid in pids:
        wait_until(lambda pid=pid: gone(int(pid.read_text())))  # type: ignore[misc]


def test_kill_all_without_anything_to_kill() -> None:
    kill_all()
