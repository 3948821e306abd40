"""Reading many runs: what is kept from one report to the next, and work that is spread over processes."""

import hashlib
import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from synthetic_runs import write_run

import gateview.store.gather as gathering
from gatecore.ledger.packed import Packed, pack, unpack
from gateview.store.elsewhere import file_of
from gateview.store.gather import gather
from gateview.store.kept import Keep, Kept, Label
from gateview.store.workers import spread

PAST = time.time() - 60
RUNS = 6


def block(n: int, red: bool) -> dict[str, Any]:
    hidden = {"pass": 5 - red, "fail": int(red), "failed_reqs": ["test_req1"] if red else []}
    return {
        "n": n,
        "decision": "block",
        "blocked_by": "g1",
        "hidden": hidden,
        "gate1": {"ran": True, "pass": False},
    }


def append(ledger: Path, stop: dict[str, Any]) -> None:
    with ledger.open("a") as file:
        file.write(json.dumps(stop) + "\n")


def age(folder: Path) -> None:
    """Everything was written a while ago."""
    for path in (*folder.rglob("*"), folder):
        os.utime(path, (PAST, PAST))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for i in range(RUNS):
        write_run(
            tmp_path / "runs" / f"T1-g1-r{i}",
            ledger=[block(1, red=True)],
            meta={"task": "T1", "cfg": "g1", "rep": i},
        )
    age(tmp_path / "runs")
    return tmp_path / "runs"


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("platformdirs.user_cache_path", lambda _: tmp_path / "cache")
    monkeypatch.setattr(gathering, "_WORTH_KEEPING", 1)
    return tmp_path / "cache"


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of the runs that are read."""
    read: list[str] = []
    really = gathering.read_digest

    def watched(path: str) -> Any:
        read.append(Path(path).name)
        return really(path)

    monkeypatch.setattr(gathering, "read_digest", watched)
    return read


def stops(folder: Path, **options: Any) -> dict[str, int]:
    found = gather([folder], cache=True, **options).results()
    counts: dict[str, int] = found["outcomes"]["stops"]
    return counts


def test_what_did_not_change_is_not_read_again(folder: Path, cache: Path, reads: list[str]) -> None:
    first = gather([folder], cache=True).results()
    assert len(reads) == RUNS
    assert (cache.stat().st_mode & 0o77) == 0  # findings are nobody else's business
    reads.clear()
    assert json.dumps(gather([folder], cache=True).results()) == json.dumps(first)
    assert reads == []
    assert json.dumps(gather([folder]).results()) == json.dumps(first)
    assert len(reads) == RUNS  # --no-cache


@pytest.mark.parametrize(
    "change",
    [
        lambda run: append(run / "gate.jsonl", block(2, red=False)),
        lambda run: (run / "gate.jsonl").write_text(json.dumps(block(1, red=False)) + "\n"),
        lambda run: (run / "score.json").write_text("{}"),
        lambda run: (run / "meta.json").unlink(),
        lambda run: (run / "snap-2.diff").touch(),
        lambda run: os.utime(run / "meta.json"),
    ],
    ids=["appended", "rewritten", "new file", "file gone", "snapshot", "touched"],
)
@pytest.mark.usefixtures("cache")
def test_a_run_that_changed_is_read_again(folder: Path, reads: list[str], change: Any) -> None:
    gather([folder], cache=True)
    reads.clear()
    change(folder / "T1-g1-r2")
    found = gather([folder], cache=True).results()
    assert reads == ["T1-g1-r2"]
    assert json.dumps(found) == json.dumps(gather([folder]).results())


@pytest.mark.usefixtures("cache")
def test_a_write_within_the_same_tick_is_not_missed(folder: Path, reads: list[str]) -> None:
    ledger = folder / "T1-g1-r2" / "gate.jsonl"
    red, green = (json.dumps(block(1, red=red)).replace("4", "5").encode() for red in (True, False))
    ledger.write_bytes(red.ljust(200) + b"\n")
    now = ledger.stat()
    gather([folder], cache=True)
    with ledger.open("r+b") as file:  # in place, as long as before, at the same time by its clock
        file.write(green.ljust(200))
    os.utime(ledger, ns=(now.st_atime_ns, now.st_mtime_ns))
    reads.clear()
    assert stops(folder) == {**stops(folder), "right": RUNS - 1, "false": 1}
    assert set(reads) == {"T1-g1-r2"}


@pytest.mark.usefixtures("cache")
def test_runs_that_are_gone_are_forgotten(folder: Path) -> None:
    assert stops(folder)["right"] == RUNS
    for path in (folder / "T1-g1-r3").iterdir():
        path.unlink()
    (folder / "T1-g1-r3").rmdir()
    assert stops(folder)["right"] == RUNS - 1


@pytest.mark.parametrize("damage", ["empty", "cut", "other", "zeros", "a folder"])
def test_a_damaged_cache_costs_time_and_nothing_else(folder: Path, cache: Path, damage: str) -> None:
    expected = stops(folder)
    (kept,) = cache.iterdir()
    data = kept.read_bytes()
    if damage == "a folder":
        kept.unlink()
        kept.mkdir()
    else:
        middle = len(data) // 2
        zeros = data[:middle] + bytes(100) + data[middle + 100 :]
        kept.write_bytes({"empty": b"", "cut": data[:middle], "other": b"x" + data, "zeros": zeros}[damage])
    assert stops(folder) == expected
    assert stops(folder) == expected


def test_a_cache_that_cannot_be_written_is_done_without(folder: Path, cache: Path) -> None:
    cache.write_text("not a folder")
    assert stops(folder)["right"] == stops(folder)["right"] == RUNS


@pytest.mark.usefixtures("cache")
def test_a_run_of_which_something_is_odd_is_read_each_time(folder: Path, reads: list[str]) -> None:
    (folder / "T1-g1-r2" / "gate.jsonl").write_bytes(b"{torn\n")
    age(folder)
    gather([folder], cache=True)
    reads.clear()
    assert gather([folder], cache=True).results()["unreadable"]["lines"] == 1
    assert reads == ["T1-g1-r2"]


def test_a_label_lasts_once_its_files_are_old_enough() -> None:
    tick = 2_000_000_000
    for age_ns, lasting in ((tick + 1, True), (tick, False), (0, False), (-5, False)):
        label = Label(10 * tick, {".": (1, 2, 10 * tick - age_ns)})
        assert label.lasting is lasting
    assert not Label(10 * tick, {}).lasting  # nothing is known of it


def test_a_file_of_digests_is_appended_to_until_it_is_far_too_long(tmp_path: Path) -> None:
    def kept(number: int, digest: bytes = b"digest") -> Kept:
        return Kept(b"r\xff%d" % number, memoryview(b"label"), memoryview(digest))

    def loaded() -> tuple[Keep, dict[str, bytes]]:
        keep = Keep(tmp_path, "/runs")
        return keep, {name: bytes(run.digest) for name, run in keep.load(2).items()}

    keep, found = loaded()
    assert (keep.anew, found) == (True, {})
    for number in (1, 2):
        keep.add(kept(number))
    keep.commit()
    keep, found = loaded()
    assert (keep.anew, found) == (False, {"r\udcff1": b"digest", "r\udcff2": b"digest"})
    keep.add(kept(2, b"later"))
    keep.commit()
    assert loaded()[1] == {"r\udcff1": b"digest", "r\udcff2": b"later"}
    assert Keep(tmp_path, "/other").load(2) == {}
    for _ in range(300):
        keep.add(kept(2, b"latest"))
    keep.commit()
    keep, found = loaded()
    assert (keep.anew, found["r\udcff2"]) == (True, b"latest")
    keep.add(kept(1))
    keep.commit()
    assert loaded()[1] == {"r\udcff1": b"digest"}
    (file,) = tmp_path.iterdir()
    assert (file.stat().st_mode & 0o77) == 0
    file.write_bytes(file.read_bytes()[:-1])
    assert loaded()[0].anew


class Made(Packed, frozen=True):
    number: int
    process: int


def doubled(number: int) -> Made:
    return Made(2 * number, os.getpid())


def spread_over(workers: int, there: Path, in_child: Callable[[int], Made]) -> dict[int, Made]:
    """Work on 100 numbers; each process waits until all have begun, which it tells by a sign in `there`."""
    parent = os.getpid()

    def work(number: int) -> Made:
        (there / str(os.getpid())).touch()
        deadline = time.monotonic() + 30
        while len(list(there.iterdir())) < workers:
            assert time.monotonic() < deadline
            time.sleep(0.001)
        return doubled(number) if os.getpid() == parent else in_child(number)

    found = dict(spread(work, range(100), pack, lambda data: unpack(data, Made), workers))
    assert {number: made.number for number, made in found.items()} == {n: 2 * n for n in range(100)}
    return found


def test_work_is_done_by_several_processes_and_comes_back_whole(tmp_path: Path) -> None:
    found = spread_over(3, tmp_path, doubled)
    assert {made.process for made in found.values()} == {int(path.name) for path in tmp_path.iterdir()}
    assert len(list(tmp_path.iterdir())) == 3
    alone = spread(doubled, range(100), pack, lambda data: unpack(data, Made))
    assert {made.process for _, made in alone} == {os.getpid()}  # so little is not worth a fork


def test_an_error_here_ends_the_others(tmp_path: Path) -> None:
    parent = os.getpid()

    def failing(number: int) -> Made:
        if os.getpid() != parent:
            (tmp_path / str(os.getpid())).touch()
            time.sleep(60)
        while not list(tmp_path.iterdir()):
            time.sleep(0.001)
        raise ValueError(number)

    with pytest.raises(ValueError, match=r"\d"):
        list(spread(failing, range(100), pack, lambda data: unpack(data, Made), 2))
    (child,) = (int(path.name) for path in tmp_path.iterdir())
    with pytest.raises(ProcessLookupError):
        os.kill(child, 0)


def test_what_a_process_fails_to_do_is_done_here(tmp_path: Path) -> None:
    found = spread_over(2, tmp_path, lambda _: os._exit(9))
    assert {made.process for made in found.values()} == {os.getpid()}


def test_a_process_that_is_cut_off_in_the_middle_of_a_result(tmp_path: Path) -> None:
    ended = 0

    def cut_off(number: int) -> Made:
        nonlocal ended
        ended += 1
        if ended > 1:
            raise OSError("no space left on device")
        return doubled(number)

    assert len(spread_over(2, tmp_path, cut_off)) == 100


def test_figures_do_not_depend_on_how_many_processes_read(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = json.dumps(gather([folder]).results())
    monkeypatch.setattr("gateview.store.workers._workers", lambda _: 3)
    assert json.dumps(gather([folder]).results()) == alone


def test_verdicts_on_runs_that_cannot_be_written_are_found(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gateview.store.elsewhere.user_state_path", lambda _: tmp_path / "state")
    run = folder / "T1-g1-r2"
    line = (run / "gate.jsonl").read_bytes().rstrip(b"\n")
    said = {"stop_id": hashlib.sha256(line).hexdigest(), "verdict": "false", "cause": "flaky"}
    kept = file_of(run, tmp_path / "state" / "triage")
    kept.parent.mkdir(parents=True)
    kept.write_text(json.dumps(said) + "\n")
    assert gather([folder]).results()["triage"]["judged"] == 0  # it can be written: then this is not about it
    really = os.access
    barred = str(run)
    monkeypatch.setattr(os, "access", lambda path, mode: path != barred and really(path, mode))
    for scores in (False, True):
        triage = gather([folder], scores=scores).results()["triage"]
        assert (triage["judged"], triage["causes"]) == (1, {"flaky": 1})
