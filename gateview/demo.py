"""`gateview demo`: the sample bench's matrix as a child process, and the dashboard on it."""

import signal
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gateview.settings import Settings

_GATECORE = (sys.executable, "-m", "gatecore")
_PATIENCE = 10.0  # seconds for the child to end after each signal


def run_demo(folder: Path | None, settings: "Settings | None") -> int:
    """Lay the sample bench out in `folder` (default: a new one), run its matrix and show it.

    `settings` are those of the dashboard; without them there is none, and the report is printed at the end.

    Returns the exit code: that of the child where it failed, 0 where the dashboard was closed before its end.
    """
    bench = Path(tempfile.mkdtemp(prefix="gateview-demo-")) if folder is None else folder.resolve()
    laid_out = subprocess.run([*_GATECORE, "init", "--sample", bench], stdout=subprocess.DEVNULL, check=False)
    if laid_out.returncode:
        return laid_out.returncode
    return _watched(bench, settings) if settings else _reported(bench)


def _reported(bench: Path) -> int:
    """Run the matrix, its progress on stderr, then print the report."""
    from gateview.report.command import print_report

    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda received, _: sys.exit(128 + received))
    with _start(bench, None) as matrix:
        try:
            code = matrix.wait()
        finally:
            _end(matrix)
    if not (bench / "runs").is_dir():
        return code
    return print_report([bench / "runs"], "table") or code


def _watched(bench: Path, settings: "Settings") -> int:
    """Run the matrix, its output in a log, under the dashboard."""
    from gateview.app import GateviewApp

    runs, log = bench / "runs", bench / "matrix-child.log"
    runs.mkdir(exist_ok=True)
    with _start(bench, log) as matrix:
        try:
            app = GateviewApp([runs], f"{runs}/", settings=settings)
            app.run()
        finally:
            code = matrix.poll()
            _end(matrix)
    print(f"The runs are in {runs}\nLook again:  gateview watch {runs}")
    if code is None:
        print(f"The matrix was ended with the dashboard; go on:  gatecore matrix --bench {bench}")
    elif code:
        print(f"The matrix ended with exit code {code}; see {log}", file=sys.stderr)
    return app.return_code or code or 0


def _start(bench: Path, log: Path | None) -> "subprocess.Popen[bytes]":
    """Start the matrix in a session of its own, so that only we end it."""
    command = [*_GATECORE, "matrix", "--bench", str(bench)]
    if log is None:
        return subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, start_new_session=True
        )
    with log.open("ab") as out:
        return subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=out, stderr=out, start_new_session=True
        )


def _end(matrix: "subprocess.Popen[bytes]") -> None:
    """End the child if it is still there: it ends its own children on SIGINT, and resumes later."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
        if matrix.poll() is not None:
            return
        matrix.send_signal(number)
        with suppress(subprocess.TimeoutExpired):
            matrix.wait(_PATIENCE)
