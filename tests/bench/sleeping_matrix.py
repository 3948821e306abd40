"""A matrix whose cells sleep: prints wall seconds, and MB of memory after a fifth of the cells and at the end."""

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import BinaryIO

from gatecore.harness.bench import Bench
from gatecore.harness.matrix import Matrix, Progress
from gatecore.harness.site import Cell

root, cells, lanes, seconds = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]


class Sleeping(Matrix):
    """Starts `sleep` instead of a run."""

    def _start(self, cell: Cell, log: BinaryIO) -> "subprocess.Popen[bytes]":
        return subprocess.Popen(
            ["sleep", seconds], stdin=subprocess.PIPE, stdout=log, stderr=log, start_new_session=True
        )


def resident() -> float:
    """MB of memory that this process holds now."""
    listed = subprocess.check_output(["ps", "-o", "rss=", "-p", str(os.getpid())], text=True)
    return int(listed) / 1024


measured: list[float] = []


def told(progress: Progress) -> None:
    """Look at the memory once on the way."""
    if progress.done >= cells // 5 and not measured:
        measured.append(resident())


plan = [Cell("T1", "bare", rep) for rep in range(1, cells + 1)]
begun = time.perf_counter()
Sleeping(Bench(Path(root)), plan, lanes, told, fresh=True).run()
print(time.perf_counter() - begun, measured[0], resident())
