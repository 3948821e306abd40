"""A file is known by its stat, and by nothing that could deceive."""

import os
from pathlib import Path

import pytest

from gatecore.snapshot.files import Files, NotHeldError
from gatecore.snapshot.objects import Objects


@pytest.fixture
def objects(tmp_path: Path) -> Objects:
    return Objects(str(tmp_path / "store"), 40)


def read(folder: Path, objects: Objects) -> str:
    files = Files(str(folder), str(folder / "known"), objects, keep=False)
    entry = files.entry("file", os.lstat(folder / "file"))
    files.save()
    return entry


def test_changes_within_one_tick_of_the_clock_are_seen(tmp_path: Path, objects: Objects) -> None:
    for n in range(200):
        content = b"%03d" % n
        (tmp_path / "file").write_bytes(content)
        assert read(tmp_path, objects) == f"100644 {objects.id('blob', content)}"


def test_a_pipe_that_takes_the_place_of_a_file_does_not_hold_us(tmp_path: Path, objects: Objects) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"content")
    status = os.lstat(file)
    file.unlink()
    os.mkfifo(file)
    files = Files(str(tmp_path), str(tmp_path / "known"), objects, keep=False)
    with pytest.raises(NotHeldError, match="not a regular file any more"):
        files.entry("file", status)
