"""What people said of stops: the last word counts, and a line without a stop_id goes by its hash."""

import hashlib
import json
from pathlib import Path

from synthetic_runs import write_run

from gatecore.ledger.reader import read_run
from gatecore.ledger.records import Triage
from gatecore.ledger.verdicts import stop_keys, verdicts

OLD = b'{"n": 1, "decision": "block"}'
SHA = hashlib.sha256(OLD).hexdigest()


def run_with(folder: Path, *lines: dict[str, object]) -> Path:
    write_run(folder, ledger=[OLD, {"n": 2, "stop_id": "b"}, {"n": 3, "stop_id": "c"}])
    (folder / "triage.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return folder


def test_the_last_line_on_a_stop_wins_and_null_takes_it_back(tmp_path: Path) -> None:
    folder = run_with(
        tmp_path / "T1-g1-r1",
        {"stop_id": SHA, "verdict": "right"},
        {"stop_id": "b", "verdict": "right"},
        {"stop_id": "b", "verdict": "false", "cause": "flaky"},
        {"stop_id": "c", "verdict": "right"},
        {"stop_id": "c", "verdict": None},
        {"stop_id": "of another run", "verdict": "false"},
        {"verdict": "false"},
    )
    run = read_run(folder)
    assert [key for _, key in stop_keys(run.entries, folder / "gate.jsonl")] == [SHA, "b", "c"]
    found = verdicts(run, folder)
    assert {line: said.verdict for line, said in found.items()} == {1: "right", 2: "false"}
    assert found[2].cause == "flaky"


def test_lines_kept_elsewhere_come_later(tmp_path: Path) -> None:
    folder = run_with(tmp_path / "T1-g1-r1", {"stop_id": "b", "verdict": "right"})
    more = [Triage(stop_id="b", verdict="false"), Triage(stop_id="c", verdict="unsure")]
    found = verdicts(read_run(folder), folder, more)
    assert {line: said.verdict for line, said in found.items()} == {2: "false", 3: "unsure"}


def test_without_a_verdict_no_ledger_is_read_again(tmp_path: Path) -> None:
    folder = run_with(tmp_path / "T1-g1-r1")
    run = read_run(folder)
    (folder / "gate.jsonl").unlink()
    assert verdicts(run, folder) == {}
    said = Triage(stop_id=SHA, verdict="right")
    assert verdicts(run, folder, [said]) == {}  # the line it is about is gone
