"""A disk that is full, closed or odd: a clear record or error, in bounded time, and the next stop goes on."""

import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from gating import DOUBLE, PAYLOAD, Gated, NewGate, answering, gated, make_bench

from gatecore.harness.bench import Bench
from gatecore.harness.errors import UsageError
from gatecore.harness.score import score
from gatecore.ledger.reader import read_run

BOUND_S = 30.0
NOBODY = 65534
LIMITED = """
import os, resource, sys
size = int(sys.argv[1])
resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
os.execv(sys.argv[2], sys.argv[2:])
"""
AS_NOBODY = f"""
import ast, os, shutil, sys, tempfile
import gatecore.hook.__main__ as hook
os.setgroups([])
os.setgid({NOBODY})
os.setuid({NOBODY})
sys.exit(hook.main())
"""


def _stop(gate: Gated) -> tuple[bytes, str, int]:
    return _called(shlex.split(gate.command), cwd=gate.work)


def _called(command: list[str], cwd: Path | None = None) -> tuple[bytes, str, int]:
    """Output, stderr and exit code of a hook."""
    begun = time.monotonic()
    payload = json.dumps(PAYLOAD).encode()
    done = subprocess.run(command, input=payload, capture_output=True, check=False, cwd=cwd)
    assert time.monotonic() - begun < BOUND_S
    return done.stdout, done.stderr.decode(), done.returncode


@pytest.mark.parametrize("size", [0, 300, 1000, 2000, 100_000])
def test_no_file_can_grow(new: NewGate, size: int) -> None:
    """A limit on the size of files, in bytes: more or less of a stop can be written, but it is always said."""
    gate = new("g1", "T1")
    (gate.work / "calc.py").write_text("def add(a, b):\n    return a - b\n")
    python, *hook = shlex.split(gate.command)
    # With -B: else it leaves cut bytecode of ours.
    limited = [sys.executable, "-c", LIMITED, str(size), python, "-B", *hook]
    _, err, code = _called(limited, cwd=gate.work)
    if code:
        assert err.startswith("gatecore: this stop is not on record: ")
        assert str(gate.run.parent.parent) in err, "the file is named"
        assert gate.records() == []
    else:
        assert (err, gate.last()["n"]) == ("", 1)
    assert (code == 0) == (size == 100_000)
    assert gate.stop() is not None
    assert gate.last()["decision"] == "block"
    assert gate.last().get("tampered") == []
    run = read_run(gate.run)
    assert run.losses == ()
    assert all(entry.chained for entry in run.entries)


def test_no_space_is_left(tmp_path: Path) -> None:
    """The run directories on a file system that is full."""
    root = tmp_path / "bench"
    (root / "runs").mkdir(parents=True)
    with _small_disk(root / "runs"):
        gate = gated(make_bench(root, **{"tasks/T2.md": "tidy up\n"}), "g3", "T2")
        filler = root / "runs" / "filler"
        with filler.open("wb", buffering=0) as file, suppress(OSError):
            while file.write(b"x" * 4096):
                pass
        (gate.work / "noise.txt").write_text("".join(f"{i}\n" for i in range(4000)))
        out, err, code = _stop(gate)
        assert (out, code) == (b"", 1)
        assert "this stop is not on record: [Errno 28] No space left on device" in err
        filler.unlink()
        assert gate.stop() is None
        assert (gate.last()["n"], gate.last()["decision"]) == (2, "allow")
        assert read_run(gate.run).losses == ()


def _small_disk(folder: Path) -> "_Mounted":
    mount = ["mount", "-t", "tmpfs", "-o", "size=512k", "tmpfs", str(folder)]
    if (
        sys.platform != "linux"
        or os.geteuid()
        or subprocess.run(mount, capture_output=True, check=False).returncode
    ):
        pytest.skip("a small file system cannot be mounted here")
    return _Mounted(folder)


class _Mounted:
    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def __enter__(self) -> None: ...

    def __exit__(self, *_: object) -> None:
        subprocess.run(["umount", "--lazy", str(self._folder)], check=True)


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that somebody else can reach too: pytest's own are for their owner."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    yield folder
    subprocess.run(["chmod", "-R", "u+w", str(folder)], check=True)
    shutil.rmtree(folder)


@pytest.mark.parametrize("on_error", ["allow", "block"])
def test_a_run_directory_that_is_closed(open_folder: Path, on_error: str) -> None:
    """Without write permission; the hook is started as somebody to whom that applies."""
    files = answering(open_folder)
    files["bench.toml"] = f'on_error = "{on_error}"\n{files["bench.toml"]}'
    gate = gated(make_bench(open_folder, **files, **{"tasks/T2.md": "tidy up\n"}), "g3", "T2")
    command = shlex.split(gate.command)
    if os.geteuid() == 0:
        subprocess.run(["chown", "-R", str(NOBODY), str(gate.prepared.state), str(gate.work)], check=True)
        command = [sys.executable, "-I", "-c", AS_NOBODY, *command[-3:]]
    gate.run.chmod(0o555)
    answers = [_called(command, cwd=gate.work) for _ in range(7)]
    assert {code for _, _, code in answers} == {1}
    assert all(f"Permission denied: '{gate.run}" in err for _, err, _ in answers)
    sent_back = [out.startswith(b'{"decision": "block"') for out, _, _ in answers]
    assert sent_back == [on_error == "block"] * 6 + [False], "as often as any block"


def test_a_work_copy_whose_git_directory_the_agent_deletes(new: NewGate, bench: Bench) -> None:
    gate = new()
    gate.append("calc.py", DOUBLE)
    shutil.rmtree(gate.work / ".git")
    assert gate.stop() is None
    assert score(bench, gate.run)["hook_calls"] == 1
    assert "+def double" in (gate.run / "post.diff").read_text()
    assert (gate.run / "numstat.txt").read_text() == "4\t0\tcalc.py\n"


def test_a_work_copy_that_the_agent_deletes(new: NewGate, bench: Bench) -> None:
    gate = new()
    shutil.rmtree(gate.work)
    _, _, code = _called(shlex.split(gate.command))
    assert code == 0
    assert gate.last()["error"] == f"SnapshotError: no such folder: {gate.work}"
    with pytest.raises(UsageError, match="missing; a run can be scored only while its work copy"):
        score(bench, gate.run)


def test_a_file_of_2_gb(new: NewGate, bench: Bench) -> None:
    gate = new()
    with (gate.work / "model.bin").open("wb") as file:
        file.truncate(2 * 1024**3)
    out, _, code = _stop(gate)
    assert (out, code) == (b"", 0)
    assert gate.last()["unheld"] == [
        {"path": "model.bin", "why": "2147483648 bytes, over the limit of 50000000"}
    ]
    begun = time.monotonic()
    score(bench, gate.run)
    assert time.monotonic() - begun < BOUND_S
