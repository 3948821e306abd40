"""Spread work over processes where there is much of it."""

import os
import signal
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Generic, TypeVar

T = TypeVar("T")
R = TypeVar("R")
_WORTH = 1000
"""Fewer items than that are done in this process."""
_MOST = 4
_CHUNKS = 200
"""Items are handed out in so many chunks: whoever has time takes the next one."""
_NUMBER, _LENGTH = 2, 4
"""Bytes of the number of a chunk, and of the length of a result."""


def spread(
    work: Callable[[T], R],
    items: Sequence[T],
    pack: Callable[[R], bytes],
    unpack: Callable[[bytes], R],
    workers: int | None = None,
) -> Iterator[tuple[T, R]]:
    """Yield each of `items` with ``work(item)``, in any order.

    Many items are divided among forked processes, which hand their results over packed. What a process fails
    to hand over is done here.
    """
    workers = workers or _workers(len(items))
    if workers == 1:
        for item in items:
            yield item, work(item)
        return
    size = -(-len(items) // _CHUNKS)
    chunks = [items[i : i + size] for i in range(0, len(items), size)]
    taken, done = _numbers(len(chunks)), set[int]()
    children = [_Child(work, chunks, taken, pack) for _ in range(workers - 1)]
    try:
        while (number := _next(taken)) is not None:
            for item in chunks[number]:
                yield item, work(item)
            done.add(number)
            for made, results in _ready(children, unpack):
                yield from zip(chunks[made], results, strict=True)
                done.add(made)
        for child in children:
            child.wait()
        for made, results in _ready(children, unpack):
            yield from zip(chunks[made], results, strict=True)
            done.add(made)
    finally:
        os.close(taken)
        for child in children:
            child.end()
    for number in set(range(len(chunks))) - done:
        for item in chunks[number]:
            yield item, work(item)


def _ready(children: "Iterable[_Child[T, R]]", unpack: Callable[[bytes], R]) -> Iterator[tuple[int, list[R]]]:
    for child in children:
        yield from child.ready(unpack)


def _workers(items: int) -> int:
    """A fork copies one thread only, so a process with several must not."""
    if items < _WORTH or not hasattr(os, "fork"):
        return 1
    import threading

    if threading.active_count() > 1:
        return 1
    return min(_MOST, os.cpu_count() or 1)


def _numbers(count: int) -> int:
    """A pipe that holds the numbers below `count`: each is read by one process."""
    reading, writing = os.pipe()
    os.write(writing, b"".join(number.to_bytes(_NUMBER, "big") for number in range(count)))
    os.close(writing)
    return reading


def _next(taken: int) -> int | None:
    number = os.read(taken, _NUMBER)
    return int.from_bytes(number, "big") if number else None


class _Child(Generic[T, R]):
    """A process that does chunks of the work and leaves the results in an unnamed file."""

    def __init__(
        self, work: Callable[[T], R], chunks: Sequence[Sequence[T]], taken: int, pack: Callable[[R], bytes]
    ) -> None:
        import tempfile

        self._at = 0
        self._file = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115 (closed by `end`)
        self._pid = os.fork()
        if self._pid == 0:
            try:
                while (number := _next(taken)) is not None:
                    packed = [pack(work(item)) for item in chunks[number]]
                    framed = b"".join(len(result).to_bytes(_LENGTH, "big") + result for result in packed)
                    head = number.to_bytes(_NUMBER, "big") + len(framed).to_bytes(_LENGTH, "big")
                    if self._file.write(head + framed) < len(head) + len(framed):
                        break  # no room: what is not whole is done again by the parent
            finally:
                os._exit(0)

    def ready(self, unpack: Callable[[bytes], R]) -> Iterator[tuple[int, list[R]]]:
        """Yield the chunks that are there whole and were not yielded before: number and results."""
        while True:
            head = os.pread(self._file.fileno(), _NUMBER + _LENGTH, self._at)
            size = int.from_bytes(head[_NUMBER:], "big")
            framed = os.pread(self._file.fileno(), size, self._at + len(head))
            if len(head) < _NUMBER + _LENGTH or len(framed) < size:
                return
            self._at += len(head) + size
            number = int.from_bytes(head[:_NUMBER], "big")
            yield number, [unpack(result) for result in _parted(framed)]

    def wait(self) -> None:
        """Wait until the process has ended."""
        os.waitpid(self._pid, 0)
        self._pid = 0

    def end(self) -> None:
        """End the process, if it still works, and forget its results."""
        if self._pid:
            os.kill(self._pid, signal.SIGKILL)
            self.wait()
        self._file.close()


def _parted(framed: bytes) -> Iterator[bytes]:
    at = 0
    while at < len(framed):
        end = at + _LENGTH + int.from_bytes(framed[at : at + _LENGTH], "big")
        yield framed[at + _LENGTH : end]
        at = end
