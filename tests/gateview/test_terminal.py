"""The dashboard in a real pseudo-terminal: what reaches it, and that it is left as it was found."""

import fcntl
import json
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from base64 import b64decode
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pyte
import pytest
from live_dashboard import Growing

pytestmark = pytest.mark.pty
PATIENCE = 30.0
ALT_SCREEN = (b"\x1b[?1049h", b"\x1b[?1049l")


class Terminal:
    """A child process on a pseudo-terminal, its screen drawn by pyte."""

    def __init__(self, *arguments: object, term: str = "xterm-256color") -> None:
        size = (120, 40)
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", size[1], size[0], 0, 0))
        self.before = termios.tcgetattr(slave)
        self._slave = slave
        self._screen = pyte.Screen(*size)
        self._stream = pyte.ByteStream(self._screen)
        self.sent = b""
        # Whoever sets these, like a test runner, would overrule the size of the terminal.
        environment = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "LINES", "NO_COLOR")}
        self.child = subprocess.Popen(
            [sys.executable, "-m", "gateview", *map(str, arguments)],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env={**environment, "TERM": term, "COLORTERM": "truecolor"},
            start_new_session=True,
        )

    @property
    def text(self) -> str:
        """What is on the screen."""
        return "\n".join(self._screen.display)

    @property
    def title(self) -> str:
        """The window's title, as the child may have set it."""
        return str(self._screen.title)

    @property
    def attributes(self) -> list[object]:
        """How the terminal is set now."""
        return termios.tcgetattr(self._slave)

    def press(self, keys: str) -> None:
        """Send keys."""
        os.write(self.master, keys.encode())

    def resize(self, columns: int, lines: int) -> None:
        """Change the size of the window."""
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
        self._screen.resize(lines, columns)
        self.child.send_signal(signal.SIGWINCH)

    def until(self, condition: Callable[[], bool]) -> None:
        """Read what the child sends until a condition holds."""
        deadline = time.monotonic() + PATIENCE
        while not condition():
            if time.monotonic() > deadline or (
                self.ended() and not select.select([self.master], [], [], 0)[0]
            ):
                raise AssertionError(f"it did not come about:\n{self.text}")
            if select.select([self.master], [], [], 0.05)[0]:
                try:
                    data = os.read(self.master, 65536)
                except OSError:  # Linux: the other end is closed
                    data = b""
                self.sent += data
                self._stream.feed(data)

    def shows(self, *texts: str) -> None:
        """Wait until all of `texts` are on the screen."""
        self.until(lambda: all(text in self.text for text in texts))

    def ended(self) -> bool:
        """Whether the child has ended."""
        return self.child.poll() is not None

    def close(self) -> None:
        """End the child if it is still there."""
        if not self.ended():
            self.child.kill()
            self.child.wait()
        os.close(self.master)
        os.close(self._slave)


@contextmanager
def terminal(*arguments: object, term: str = "xterm-256color") -> Iterator[Terminal]:
    """A terminal with the command in it."""
    place = Terminal(*arguments, term=term)
    try:
        yield place
    finally:
        place.close()


def test_live_append_resize_and_quit_leave_the_terminal_as_it_was(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    runs.mkdir()
    with terminal("watch", runs) as place:
        place.shows("no runs yet", "quit")
        run = Growing(runs)
        place.shows("T1-g1-r1")
        data = run.stop() + run.stop("allow", failed=0)
        for start in range(0, len(data), 97):
            run.append(data[start : start + 97])
        place.shows("■✓", "g1 right", "reason 1 of T1-g1-r1", "1 right, 0 false")
        place.resize(80, 24)
        place.shows("runs  feed  now  configs", "■✓")
        place.press("\r")
        place.shows("1 ■ g1", "2 ✓", "esc back")
        place.press("\x1b")
        place.shows("runs  feed  now  configs", "q quit")
        assert place.attributes != place.before
        place.press("q")
        place.until(lambda: ALT_SCREEN[1] in place.sent and place.ended())
        assert place.child.returncode == 0
        assert place.attributes == place.before
        assert place.sent.count(ALT_SCREEN[0]) == place.sent.count(ALT_SCREEN[1]) == 1
        assert b"\x1b[?25h" in place.sent.rpartition(ALT_SCREEN[0])[2]


def test_a_hostile_ledger_leaves_the_terminal_alone_and_so_does_being_ended(tmp_path: Path) -> None:
    run = Growing(tmp_path)
    evil = "\x1b]0;owned\x07\x1b]2;owned\x1b\\\x1b[8m\x9b2J[red]literal[/red] \x1b]52;c;b3duZWQ=\x07"
    run.append(run.stop(reason=evil, gate1={"ran": True, "pass": False, "gate_tests_failed": [evil]}))
    (run.path / "snap-1.diff").write_text(f"diff --git a/x b/x\n@@ -0,0 +1 @@\n+{evil}\n")
    with terminal("watch", tmp_path) as place:
        place.shows("[8m")
        place.press("\r")
        place.shows("[red]literal[/red]", "esc back")
        place.press("2")
        place.shows("+ ␛]0;owned␇")
        assert "owned" not in place.title
        assert not any(
            code in place.sent for code in (b"\x1b]52", b"\x1b]2;", b"\x1b]0;owned", b"\x9b2J", b"\x1b[8m")
        )
        place.press("q")
        place.until(place.ended)
        assert place.child.returncode == 0


def test_what_is_copied_of_a_hostile_run_steers_neither_terminal_nor_clipboard(tmp_path: Path) -> None:
    run = Growing(tmp_path / "runs", "T1-\x1b]0;owned\x07[b]\x9bg1-r1")
    run.append(run.stop(reason="\x1b]52;c;b3duZWQ=\x07told"))
    with terminal("watch", run.path.parent) as place:
        place.shows("owned␇[b]", "told")
        place.press("y")
        place.shows("copied")
        place.press("\ty")
        place.until(lambda: place.sent.count(b"\x1b]52;c;") == 2)
        copied = [
            b64decode(part.partition(b"\x07")[0]).decode() for part in place.sent.split(b"\x1b]52;c;")[1:]
        ]
        assert not any(char in text for text in copied for char in "\x1b\x07\x9b")
        assert [text.count("owned") for text in copied] == [1, 1]
        assert "owned" not in place.title
        place.press("q")
        place.until(place.ended)


def test_a_dumb_terminal_gets_plain_text(tmp_path: Path) -> None:
    run = Growing(tmp_path)
    run.append(run.stop())
    with terminal("watch", tmp_path, term="dumb") as place:
        place.until(lambda: b"right block" in place.sent and place.ended())
        assert b"\x1b" not in place.sent
        assert place.child.returncode == 0


def test_the_demo_is_watched_and_its_matrix_ends_with_the_dashboard(tmp_path: Path) -> None:
    with terminal("demo", "--dir", tmp_path / "bench") as place:
        place.shows("running", "T1-")
        place.press("q")
        place.until(lambda: b"Look again" in place.sent and place.ended())
        assert place.child.returncode == 0
        # The matrix held this lock until it had ended.
        with (tmp_path / "bench" / "runs" / ".matrix.lock").open() as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)


def test_a_triage_key_reaches_the_disk(tmp_path: Path) -> None:
    run = Growing(tmp_path)
    run.append(run.stop(failed=0, stop_id="abc"))
    with terminal("triage", tmp_path) as place:
        place.shows("1 false by the oracle", "T1-g1-r1, stop 1")
        place.press("f")
        place.shows("1 done", "agreement 1/1")
        assert json.loads((run.path / "triage.jsonl").read_text())["verdict"] == "false"
        place.press("4")
        place.shows("false, flaky")
        place.press("z")
        place.shows("taken back")
        place.press("q")
        place.until(place.ended)
        assert place.child.returncode == 0
    said = [json.loads(line) for line in (run.path / "triage.jsonl").read_text().splitlines()]
    assert [(s["stop_id"], s["verdict"], s["cause"]) for s in said] == [
        ("abc", "false", None),
        ("abc", "false", "flaky"),
        ("abc", "false", None),
    ]
