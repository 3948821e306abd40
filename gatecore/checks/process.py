"""Run a command under a deadline; nothing it does or leaves behind can hold us or fill memory or disk."""

import math
import os
import select
import signal
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, suppress
from typing import NamedTuple

from gatecore.checks.env import MARK

KEPT_BYTES = 1_000_000
"""How much of an output is kept: half of it from the beginning, half from the end."""

_CHUNK = 65_536
_REAP_S = 5.0
_live: dict[int, str] = {}  # process group -> mark
_kills = 0  # calls of `kill_all`


class Ended(NamedTuple):
    """How a process ended."""

    exit: int | None
    """Exit code; negative for a signal; None in the rare case that it cannot even be killed."""
    seconds: float
    timed_out: bool


def run_process(
    argv: Sequence[str],
    *,
    cwd: str,
    env: Mapping[str, str],
    seconds: float,
    output: str,
    errors: str | None = None,
    stdin: str = os.devnull,
) -> Ended:
    """Run `argv` in a session of its own until it ends or `seconds` have passed, then kill what is left.

    Its stdout goes to the file `output`, its stderr to `errors` or to `output` as well; a file that grows
    past `KEPT_BYTES` loses its middle. What is left: the whole process group and, on Linux, processes that
    left the group but kept the environment, in which a mark is set that begins with the one in `env`.
    Raises OSError or ValueError when the command cannot be started or its output not be written.
    """
    began, kills = time.monotonic(), _kills
    mark = f"{env.get(MARK, '')}.{os.urandom(8).hex()}"
    with ExitStack() as stack:
        source = stack.enter_context(open(stdin, "rb"))
        out = stack.enter_context(closing(_Sink(output)))
        err = stack.enter_context(closing(_Sink(errors))) if errors else None
        process = subprocess.Popen(
            argv,
            cwd=cwd,
            env={**env, MARK: mark},
            stdin=source,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE if err else subprocess.STDOUT,
            bufsize=0,
            start_new_session=True,
        )
        _live[process.pid] = mark
        sinks = {}
        for pipe, sink in ((process.stdout, out), (process.stderr, err)):
            if pipe and sink:
                sinks[stack.enter_context(pipe).fileno()] = sink
        try:
            if kills != _kills:  # in another thread, while this one was in Popen
                _kill(process.pid, mark)
            timed_out = _follow(process, sinks, began + seconds)
        finally:
            _kill(process.pid, mark)
            del _live[process.pid]
        with suppress(subprocess.TimeoutExpired):
            process.wait(_REAP_S)
        for fd, sink in sinks.items():
            sink.drain(fd)
    return Ended(process.returncode, time.monotonic() - began, timed_out)


def kill_all() -> None:
    """Kill everything that runs or is just being started. Takes no lock and may be called twice."""
    global _kills  # noqa: PLW0603 (the module is the registry)
    _kills += 1
    for group, mark in list(_live.items()):
        _kill(group, mark)


def kills() -> int:
    """How often everything was killed: what ran meanwhile did not end by itself."""
    return _kills


def kill_left(mark: str) -> None:
    """Kill all whose mark begins with `mark`: what a process that was killed itself left running (on Linux)."""
    for _ in range(3):  # one of them may just have forked
        strays = list(_marked(mark))
        for pid in strays:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        if not strays:
            return


class _Sink:
    """A new file that keeps the first and the last part of what it is fed, and a line in between."""

    def __init__(self, path: str) -> None:
        with suppress(FileNotFoundError):
            os.unlink(path)
        self._file = open(path, "xb", buffering=0)  # noqa: SIM115 (closed by `close`)
        self._room = KEPT_BYTES // 2
        self._tail = bytearray()
        self._dropped = 0

    def take(self, fd: int) -> bool:
        """Read once from `fd`; return False at its end."""
        chunk = os.read(fd, _CHUNK)
        head, rest = chunk[: self._room], chunk[self._room :]
        self._room -= len(head)
        if head:
            self._file.write(head)
        self._tail += rest
        if len(self._tail) > KEPT_BYTES:
            self._trim()
        return bool(chunk)

    def drain(self, fd: int) -> None:
        """Take what lies in a pipe now, and not more than one holds: somebody may still write to it."""
        os.set_blocking(fd, False)
        with suppress(BlockingIOError):
            for _ in range(KEPT_BYTES // _CHUNK):
                if not self.take(fd):
                    break

    def close(self) -> None:
        with self._file:
            self._trim()
            if self._dropped:
                self._file.write(b"\n[... %d bytes of output left out ...]\n" % self._dropped)
            self._file.write(self._tail)

    def _trim(self) -> None:
        excess = max(0, len(self._tail) - KEPT_BYTES // 2)
        self._dropped += excess
        del self._tail[:excess]


def _follow(process: subprocess.Popen[bytes], sinks: Mapping[int, _Sink], deadline: float) -> bool:
    """Feed the sinks until the process itself has ended or the deadline has passed; return whether it has.

    The end of a pipe says nothing: a process left in the background holds it open.
    """
    ended, tell = os.pipe()

    def wait() -> None:
        process.wait()
        os.close(tell)

    threading.Thread(target=wait, daemon=True).start()
    poll = select.poll()
    for fd in (ended, *sinks):
        poll.register(fd, select.POLLIN)
    try:
        while (left := deadline - time.monotonic()) > 0:
            ready = {fd for fd, _ in poll.poll(math.ceil(left * 1000))}
            for fd in ready & sinks.keys():
                if not sinks[fd].take(fd):
                    poll.unregister(fd)
            if ended in ready:
                return False
        return True
    finally:
        os.close(ended)


def _kill(group: int, mark: str) -> None:
    # macOS answers EPERM for a group of which only zombies are left.
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGKILL)
    kill_left(mark)


def _marked(mark: str) -> Iterator[int]:
    """The processes whose mark begins with `mark`; none where there is no /proc."""
    try:
        entries = os.listdir("/proc")
    except OSError:
        return
    needle = f"{MARK}={mark}".encode()
    for entry in entries:
        if entry.isdecimal():
            with suppress(OSError), open(f"/proc/{entry}/environ", "rb") as environ:
                if needle in environ.read():
                    yield int(entry)
