"""Reading a run directory at once gives the run that the tolerant reader gives."""

import hashlib
import json
import os
import tarfile
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from synthetic_runs import STOP, write_run

from gatecore.ledger.once import read_once
from gatecore.ledger.reader import read_run
from gatecore.ledger.records import plain

EVENTS = (
    "run_started",
    "stop_begun",
    "check_started",
    "check_ended",
    "stop_ended",
    "worker_ended",
    "run_scored",
)
EVENT = st.builds(
    lambda event, n: {"event": event, "n": n, "check": "suite", "ts": "2026-11-30T20:00:00.123+00:00"},
    st.sampled_from(EVENTS),
    st.integers(1, 2),
)
ODD = st.sampled_from(
    (
        b"",
        b"  ",
        b"[1]",
        b'{"n": 1, "decis',
        b"\xff\xfe",
        b'{"n": "two"}',
        b'\xef\xbb\xbf{"n": 1}',
        b'{"n": 1}\r',
    )
)
LINES = st.lists(st.one_of(STOP.map(lambda stop: json.dumps(plain(stop)).encode()), ODD), max_size=4)
DOCUMENT = st.sampled_from((None, b"{}", b'{"task": "T1", "cfg": "g1"}', b"null", b"", b'{"rep": "x"}', b"{"))


def same(folder: Path) -> None:
    found = read_once(str(folder))
    assert found is not None
    assert found.run == read_run(folder)


@settings(max_examples=200)
@given(
    LINES,
    st.lists(EVENT, max_size=6),
    st.fixed_dictionaries({"meta": DOCUMENT, "score": DOCUMENT, "testwriter": DOCUMENT}),
    st.booleans(),
    st.sampled_from((None, b"Traceback (most recent call last)\n")),
)
def test_whatever_is_in_it(
    lines: list[bytes],
    events: list[dict[str, object]],
    documents: dict[str, bytes | None],
    whole: bool,
    crash: bytes | None,
) -> None:
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary, "T1-g1-r1")
        write_run(folder, **{name: data for name, data in documents.items() if data is not None})
        (folder / "gate.jsonl").write_bytes(b"\n".join(lines) + (b"\n" if whole else b""))
        if events:
            (folder / "events.jsonl").write_text("".join(f"{json.dumps(event)}\n" for event in events))
        if crash:
            (folder / "gate-errors.txt").write_bytes(crash)
        for number in (1, 3):
            (folder / f"snap-{number}.diff").touch()
        same(folder)


def test_the_chain_of_records(tmp_path: Path) -> None:
    first = b'{"n": 1, "prev": ""}'
    after = {"n": 2, "prev": hashlib.sha256(first).hexdigest()}
    folder = write_run(tmp_path / "T1-g1-r1", ledger=[first, after, {"n": 3, "prev": "0" * 64}])
    same(folder)
    found = read_once(str(folder))
    assert found is not None
    assert [entry.chained for entry in found.run.entries] == [True, True, False]


def test_what_is_no_run(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "file").touch()
    for name in ("empty", "file", "absent"):
        assert read_once(str(tmp_path / name)) is None


def test_the_signature_of_what_was_read(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "T1-g1-r1", ledger=[{"n": 1}], meta={"task": "T1"})
    found = read_once(str(folder))
    assert found is not None
    assert found.signatures.keys() == {".", "gate.jsonl", "meta.json"}
    info = (folder / "gate.jsonl").stat()
    assert found.signatures["gate.jsonl"] == (info.st_ino, info.st_size, info.st_mtime_ns)
    (folder / "gate.jsonl").write_bytes(b"{torn")
    (folder / "exit_code.txt").write_text("0")
    torn = read_once(str(folder))
    assert torn is not None
    assert torn.signatures == {}  # what is odd is read anew each time


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing bars root")
def test_a_folder_that_cannot_be_looked_into(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "T1-g1-r1", ledger=[{"n": 1}])
    folder.chmod(0)
    try:
        same(folder)
    finally:
        folder.chmod(0o700)


@pytest.mark.shared
@pytest.mark.parametrize("corpus", ["published-50", "gate-bench"])
def test_the_runs_of_the_original(shared: Path, corpus: str) -> None:
    runs = [path for path in (shared / "ledgers" / corpus / "runs").iterdir() if path.is_dir()]
    assert len(runs) > 40
    for run in runs:
        same(run)


@pytest.mark.shared
def test_the_ugly_ones(shared: Path, tmp_path: Path) -> None:
    with tarfile.open(shared / "ledgers/ugly/ugly.tar.gz") as archive:
        archive.extractall(tmp_path, filter="tar")
    runs = [*(tmp_path / "runs").iterdir(), *(tmp_path / "special").iterdir()]
    assert len(runs) == 17
    for run in runs:
        same(run)
