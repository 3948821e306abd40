"""Damaged and hostile ledgers: never a crash, what was left out is counted and named, `--strict` exits 1."""

import io
import json
import os
import shutil
import tarfile
from pathlib import Path

import pytest

from gatecore import frames
from gateview.report.command import Wanted, print_report
from gateview.report.plain import print_plain
from gateview.report.sheets import SHEETS, sheet
from gateview.store.gather import gather

pytestmark = pytest.mark.shared

SOUND = {"u02-blank-lines", "u06-crlf", "u20-bare"}
"""What a strict report has nothing against, once it is scored under a name of its own."""


@pytest.fixture(scope="module")
def ugly(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("ugly")
    with tarfile.open(shared / "ledgers/ugly/ugly.tar.gz") as archive:
        archive.extractall(folder, filter="tar")
    return folder


def kinds(ugly: Path) -> list[Path]:
    return sorted([*(ugly / "runs").iterdir(), *(ugly / "special").iterdir()])


@pytest.mark.parametrize("format_", ["table", "md", "json"])
def test_all_of_them_together(ugly: Path, format_: str, capsys: pytest.CaptureFixture[str]) -> None:
    folders = [ugly / "runs", ugly / "special"]
    assert print_report(folders, format_, Wanted(strict=True)) == 1  # type: ignore[arg-type]
    out, err = capsys.readouterr()
    assert not [char for char in out + err if char != "\n" and not char.isprintable()]
    assert out.encode().decode() == out
    assert "strict: unreadable: " in err
    assert "Traceback" not in err


def test_each_alone_is_counted_and_what_is_lost_is_named(ugly: Path, tmp_path: Path) -> None:
    paths = kinds(ugly)
    assert len(paths) == 17
    for path in paths:
        alone = tmp_path / path.name / "T1-g13adv-r1"  # a name that does not tag it
        shutil.copytree(path, alone, copy_function=shutil.copy2, ignore=lambda *_: {"gate.jsonl"})
        ledger = path / "gate.jsonl"
        if ledger.is_file():
            shutil.copy2(ledger, alone / "gate.jsonl")
        elif ledger.exists():
            os.mkfifo(alone / "gate.jsonl")
        found = gather([alone.parent]).results()
        assert found["n_runs"] + len(found["left_out"]) == 1
        assert len(found["losses"]) == sum(found["unreadable"].values())
        print_plain((sheet(name, found, "") for name in SHEETS), io.StringIO())
        json.dumps(found)
        frames.load(alone.parent)
        code = print_report([alone.parent], "table", Wanted(strict=True))
        assert code in (0, 1)
        if path.name in SOUND:
            assert code == 0, path.name


@pytest.mark.parametrize(
    ("run", "stops"),
    [
        ("u02-blank-lines", {"right": 2, "missed": 1}),
        ("u06-crlf", {"right": 2, "missed": 1}),
        ("u07-no-oracle", {"no_oracle": 3}),
        ("u19-only-stream", {}),
        ("u20-bare", {}),
        ("u25-bom-and-nul", {"right": 2, "missed": 1}),
    ],
)
def test_nothing_unknown_is_an_allow(ugly: Path, run: str, stops: dict[str, int]) -> None:
    found = gather([ugly / "runs" / run]).results()
    assert {kind: n for kind, n in found["outcomes"]["stops"].items() if n} == stops


def test_unknown_words_and_torn_lines_are_counted_apart(ugly: Path) -> None:
    words = gather([ugly / "runs/u08-unknown-words"]).results()["outcomes"]
    assert words["stops"]["other"] >= 1
    torn = gather([ugly / "runs/u01-cut-last-line"]).results()
    assert torn["unreadable"]["lines"] == 1
    empty = gather([ugly / "runs/u24-empty-log"]).results()["outcomes"]
    assert empty["alarms"]["u24-empty-log"]
