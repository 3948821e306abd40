"""A network of its own with nothing but a loopback, where the kernel lets us have one (Linux)."""

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

# Brings the loopback up, listens on it, hands the socket over, and holds the network until stdin ends.
_HOLDER = """
import fcntl, socket, struct, sys
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
    SIOCSIFFLAGS, IFF_UP = 0x8914, 1
    fcntl.ioctl(any_socket, SIOCSIFFLAGS, struct.pack("16sH14x", b"lo", IFF_UP))
listening = socket.create_server(("127.0.0.1", 0))
socket.send_fds(socket.socket(fileno=int(sys.argv[1])), [b"."], [listening.fileno()])
sys.stdin.read()
"""


class Net(NamedTuple):
    """`listening` is a socket in the network, and a command that begins with `prefix` runs in it."""

    listening: socket.socket
    prefix: tuple[str, ...]


@contextmanager
def private_net() -> Iterator[Net]:
    """Yield a network that nothing leaves; where there can be none, that of the machine."""
    ours, theirs = socket.socketpair()
    root = os.geteuid() == 0
    command = [*("unshare", "-n" if root else "-rn"), sys.executable, "-I", "-c", _HOLDER]
    try:
        holder = subprocess.Popen(
            [*command, str(theirs.fileno())],
            stdin=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            pass_fds=[theirs.fileno()],
        )
    except OSError:
        theirs.close()
        ours.close()
        yield Net(_listen(), ())
        return
    theirs.close()
    with ours, holder:
        _, fds, _, _ = socket.recv_fds(ours, 1, 1)
        if fds:
            joined = () if root else ("-U", "--preserve-credentials")
            yield Net(socket.socket(fileno=fds[0]), ("nsenter", "-t", str(holder.pid), *joined, "-n", "--"))
        else:
            yield Net(_listen(), ())


def _listen() -> socket.socket:
    return socket.create_server(("127.0.0.1", 0))
