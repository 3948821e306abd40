"""An export tells nothing of the machine or its people, and its figures are the same."""

import hashlib
import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from synthetic_runs import write_run

from gatecore.analysis import results
from gatecore.ledger.reader import read_run, read_runs
from gatecore.ledger.verdicts import verdicts
from gateview.export.anonymise import Names, folders_of
from gateview.export.command import export
from gateview.export.secrets import REPLACEMENT, without_secrets
from gateview.store.elsewhere import file_of

BENCH = "/home/alice/projects/secret-product/bench"
KEY = "sk-" + "ant-api03-" + "Zx9" * 12  # in parts, so that no scanner takes it for a real one
HOST = "macbook-alice.local"


def chained(*stops: dict[str, Any]) -> list[bytes]:
    lines: list[bytes] = []
    for stop in stops:
        prev = hashlib.sha256(lines[-1]).hexdigest() if lines else ""
        lines.append(json.dumps(stop | {"prev": prev}).encode())
    return lines


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    runs = tmp_path / "runs"
    stop = {
        "decision": "block",
        "blocked_by": "g1",
        "hidden": {"pass": 2, "fail": 3},
        "gate1": {"ran": True, "pass": False, "gate_tests_failed": ["test_x"]},
        "reason": f"{BENCH}/work/T1-g1-r1/notedb/ops.py:3: KeyError; token={KEY}; mail bob.smith@corp.example",
    }
    run = write_run(
        runs / "T1-g1-r1",
        ledger=[*chained(stop | {"n": 1}, stop | {"n": 2}), b'{"n": 3, "reason": "' + BENCH.encode()],
        meta={"task": "T1", "cfg": "g1", "rep": 1, "work": f"{BENCH}/work/T1-g1-r1", "name": "T1-g1-r1"},
        score={
            "hidden_pass": 4,
            "hidden_fail": 1,
            "failed_reqs": ["test_req1"],
            "has_result_line": True,
            "exit_code": "0",
        },
        result={"usage": {"input_tokens": 12345678}, "api_key": "hunter2hunter2", "password": None},
    )
    settings = {"hooks": [f"/srv/tools/venv/bin/python -I -m gatecore.hook {BENCH}/runs/T1-g1-r1"]}
    (run / "settings.json").write_text(json.dumps(settings))
    lines = [
        {"cwd": f"{BENCH}/work/T1-g1-r1", "text": f"alice@{HOST}:~$ ssh 10.1.2.3", "n": 1.0},
        {"transcript_path": f"/home/alice/.claude/projects/{BENCH.replace('/', '-')}-work-T1-g1-r1/x.jsonl"},
    ]
    (run / "stream.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    (run / "post.diff").write_bytes(f"--- a/x\n+++ b/x\n+# {BENCH} by alice\n".encode() + b"\xff\xfe\n")
    (run / "gate_tests").mkdir()
    (run / "gate_tests" / "test_T1.py").write_text(f"TREE = '{BENCH}/work'\n")
    old = b'{"n": 1, "decision": "block", "reason": "' + BENCH.encode() + b'"}'
    write_run(runs / "T2-g1-r1", ledger=[old])
    said = {"stop_id": hashlib.sha256(old).hexdigest(), "verdict": "false", "by": "alice"}
    (runs / "T2-g1-r1" / "triage.jsonl").write_text(json.dumps(said) + "\n")
    plan = {"event": "planned", "cells": [{"run": "T1-g1-r1", "cfg": "g1", "task": "T1"}]}
    (runs / "matrix.jsonl").write_text(json.dumps(plan) + "\n")
    return runs


def everything(folder: Path) -> str:
    texts = (path.read_bytes().decode("utf-8", "replace") for path in folder.rglob("*") if path.is_file())
    return "\n".join(texts)


def figures(folder: Path) -> Any:
    return json.loads(json.dumps(results({run.name: run for run in read_runs(folder)})))


def test_nothing_of_the_machine_is_left_and_figures_stay(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "shared"
    assert export([folder], out, anonymise=True) == 0
    text = everything(out)
    for told in (
        "alice",
        "secret-product",
        "/srv/tools",
        KEY,
        "hunter2",
        "bob.smith",
        "macbook",
        "10.1.2.3",
        str(tmp_path),
    ):
        assert told not in text, told
    for kept in (
        "/bench/work/T1-g1-r1",
        "notedb/ops.py:3: KeyError",
        "-bench-work-T1-g1-r1",
        "/path1/venv/bin/python",
        "12345678",
    ):
        assert kept in text, kept
    assert figures(out) == figures(folder)
    assert (out / "matrix.jsonl").is_file()
    assert b"\xff\xfe" in (out / "T1-g1-r1" / "post.diff").read_bytes()


def test_hashes_that_hang_on_a_line_are_made_anew(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "shared"
    export([folder], out, anonymise=True)
    assert [entry.chained for entry in read_run(out / "T1-g1-r1").entries] == [True, True]
    judged = read_run(out / "T2-g1-r1")
    assert {line: said.verdict for line, said in verdicts(judged, out / "T2-g1-r1").items()} == {1: "false"}


def test_a_broken_chain_stays_broken(folder: Path, tmp_path: Path) -> None:
    ledger = folder / "T1-g1-r1" / "gate.jsonl"
    lines = ledger.read_bytes().split(b"\n")
    ledger.write_bytes(b"\n".join([lines[0].replace(b"block", b"allow"), *lines[1:]]))
    export([folder], tmp_path / "shared", anonymise=True)
    run = read_run(tmp_path / "shared" / "T1-g1-r1")
    assert [entry.chained for entry in run.entries] == [True, False]


def test_without_anonymise_files_are_copied_as_they_are(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "copy"
    assert export([folder], out, anonymise=False) == 0
    assert everything(out) == everything(folder)


def test_what_cannot_be_looked_through_is_not_copied_but_named(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = folder / "T1-g1-r1"
    (run / "core.bin").write_bytes(b"\0" * 100)
    (run / "link").symlink_to("/etc/passwd")
    os.mkfifo(run / "pipe")
    assert export([folder], tmp_path / "shared", anonymise=True) == 0
    assert capsys.readouterr().err.splitlines() == [
        "gateview export: T1-g1-r1/core.bin: not copied: binary: what it tells cannot be seen",
        "gateview export: T1-g1-r1/link: not copied: not a plain file",
        "gateview export: T1-g1-r1/pipe: not copied: not a plain file",
    ]
    assert not {"core.bin", "link", "pipe"} & {path.name for path in (tmp_path / "shared").rglob("*")}


def test_wrong_use(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert export([tmp_path / "absent"], tmp_path / "out", anonymise=True) == 2
    assert export([folder], folder, anonymise=True) == 2
    assert "is not empty; name a new folder" in capsys.readouterr().err
    assert export([folder], folder / "matrix.jsonl", anonymise=True) == 2


def test_runs_of_several_folders_stay_apart(folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder, tmp_path / "other" / "runs")
    assert export([folder, tmp_path / "other" / "runs"], tmp_path / "out", anonymise=True) == 0
    found = {
        str(path.parent.relative_to(tmp_path / "out")) for path in (tmp_path / "out").rglob("gate.jsonl")
    }
    parent = f"{tmp_path.name}/runs"
    assert found == {f"{parent}/T1-g1-r1", f"{parent}/T2-g1-r1", "other/runs/T1-g1-r1", "other/runs/T2-g1-r1"}


@pytest.mark.parametrize(
    "text",
    [
        KEY,
        "gh" + "p_" + "a1B2" * 9,
        "AK" + "IA" + "ABCDEFGH12345678",
        "Authorization: Bearer " + "abcDEF123456" * 2,
        "https://user:" + "pass-word@example.org/x",
        "API_KEY = 'q9w8e7r6t5'",
        "-----BEGIN RSA " + "PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----",
        "ey" + "JhbGciOiJIUzI1NiJ9.ey" + "JzdWIiOiIxMjM0NTY3ODkwIn0.c2lnbmF0dXJl",
        "h7Kp2QxZ9mWvT4sYbN8cLfR3jDgA6uEoX1iVqBzM5",
    ],
)
def test_what_looks_like_a_secret(text: str) -> None:
    found = without_secrets(f"before {text} after")
    assert REPLACEMENT in found
    assert found.startswith("before ")
    assert found.endswith(" after")


@pytest.mark.parametrize(
    "text",
    [
        "0f97bd8e3e85a2465d04713bc568b57aca19c1a2",
        "6099b4c386ac4c8db4a56358af38a9d1",
        "2d567c5e-bde2-58ce-8e98-61ccf74c2599",
        "test_shares_that_make_no_sense_are_refused[shares0]",
        "tests/test_kitty.py::TestBudget::test_every_cent_is_accounted_for_2024",
        "token = request.headers.get(name)",
        "input_tokens: 14120",
        "passwd file",
    ],
)
def test_what_does_not(text: str) -> None:
    assert without_secrets(text) == text


def test_names_are_replaced_as_words_and_alike_everywhere() -> None:
    names = Names((("/srv/x", "/bench"),), ("bo", "carol", "test", "dave"), ("vault7",), frozenset({"dave"}))
    assert (
        names.text("/home/carol/x carol carols -home-carol- vault7.")
        == "/home/user2/x user2 carols -home-user2- host."
    )
    assert names.text("/srv/x/y /srv/xy a/srv/x -srv-x-work") == "/bench/y /srv/xy a/srv/x -bench-work"
    assert names.text("bo test /home/test dave") == "bo test /home/user3 dave"
    assert names.value({"carol": [1, None, "carol"], "token": "abc"}) == {
        "user2": [1, None, "user2"],
        "token": REPLACEMENT,
    }
    paths = {
        "/data/b/runs/x",
        "/usr/lib/y",
        "/main/z.py",
        "/main/w.py",
        "/main/plan/venv/bin/x",
        "/home/bo/.x/y",
    }
    assert folders_of({"/data/b"}, paths) == (
        ("/data/b", "/bench"),
        ("/main", "/path1"),
        ("/main/plan", "/path2"),
    )


PLANTED = {
    "a path in a tool call": "/data/clients/acme-corp/secret-plan",
    "a path in a traceback": "/opt/acme-tools/lib/python/site.py",
    "a path below a root folder": "/root/skunkworks/proto/x.py",
    "a temporary folder": "/tmp/acme-session-42/a/b.txt",
    "a home folder in a prompt": "/home/carol/papers/draft.tex",
    "a home folder of Windows": "C:\\Users\\dave77\\thesis",
    "a prompt of a shell": "frank@buildbox-7:~/src$ make",
    "an author": "Author: Grace Hopperova <grace@navy.example>",
    "a name of a host": "nightly ran on lab-tower.internal",
    "an address": "connect to 10.20.30.40:5432",
    "a key in JSON in a text": '{\\"token\\": \\"qwertz99asdf\\"}',
    "a password of letters": 'password="correcthorsebattery"',
    "an environment": "AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMIbPxRfiCYz",
    "a password in the environment": "DB_PASSWORD=hunterhunter",
    "a password in an address": "postgres://svc:tr0ub4dor@db/x",
    "a bearer": "Authorization: Bearer abcdefghijkl0123456789",
}
TOLD = (
    "acme", "secret-plan", "skunkworks", "carol", "dave77", "frank", "buildbox-7", "grace", "hopperova",
    "lab-tower", "10.20.30.40", "qwertz99", "correcthorse", "wjalr", "hunterhunter", "tr0ub4dor",
    "abcdefghijkl0123", "heidi", "mainframe9",
)  # fmt: skip


@pytest.mark.parametrize(
    "place", ["stream.jsonl", "events.jsonl", "gate.jsonl", "meta.json", "score.json", "prompt.txt", "post.diff",
              "snap-1.diff", "hidden-1.txt", "stderr.txt", "testwriter.json", "gate_tests/conftest.py"]
)  # fmt: skip
def test_what_is_planted_in_any_file_is_not_told(tmp_path: Path, place: str) -> None:
    stop = {"n": 1, "decision": "block", "blocked_by": "g1", "hidden": {"pass": 2, "fail": 3}}
    stop |= {"gate1": {"ran": True, "pass": False, "gate_tests_failed": ["test_x"]}}
    meta = {"task": "T1", "cfg": "g1", "rep": 1}
    score: dict[str, Any] = {
        "hidden_pass": 4,
        "hidden_fail": 1,
        "failed_reqs": ["test_req1"],
        "is_error": False,
    }
    run = write_run(tmp_path / "runs" / "T1-g1-r1", ledger=[stop], meta=meta, score=score)
    (run / "gate_tests").mkdir()
    before = json.loads((run / place).read_bytes()) if (run / place).is_file() and place[-1] == "n" else {}
    planted = {**before, **PLANTED, "hostname": "mainframe9", "by": "heidi", "said": "heidi on mainframe9"}
    planted["tool"] = [{"file_path": f"{path}/x.py"} for path in PLANTED.values() if path[0] == "/"]
    if place.endswith((".json", ".jsonl")):
        text = json.dumps({**stop, **planted} if place == "gate.jsonl" else planted) + "\n"
    else:
        named = ("hostname", "by", "said", "tool")
        text = "".join(f"{value}\n" for key, value in planted.items() if key not in named)
        text += 'File "/opt/acme-tools/lib/python/site.py", line 3\n'
    (run / place).write_text(text)
    (run / "seen-by-carol.txt").write_text("/home/carol/x")
    assert export([tmp_path / "runs"], tmp_path / "out", anonymise=True) == 0
    names = "\n".join(str(path.relative_to(tmp_path / "out")) for path in (tmp_path / "out").rglob("*"))
    left = f"{everything(tmp_path / 'out')}\n{names}".lower()
    assert [word for word in TOLD if word in left] == []
    assert figures(tmp_path / "out") == figures(tmp_path / "runs")


def test_verdicts_that_are_kept_elsewhere_go_along(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gateview.export.command.folder", lambda _: tmp_path / "state")
    monkeypatch.setattr(os, "access", lambda path, _: "T1" not in str(path))
    ledger = (folder / "T1-g1-r1" / "gate.jsonl").read_bytes().splitlines()
    said = {"stop_id": hashlib.sha256(ledger[0]).hexdigest(), "verdict": "right", "by": "alice"}
    (tmp_path / "state").mkdir()
    file_of(folder / "T1-g1-r1", tmp_path / "state").write_text(json.dumps(said) + "\n")
    out = tmp_path / "shared"
    assert export([folder], out, anonymise=True) == 0
    judged = read_run(out / "T1-g1-r1")
    assert {n: said.verdict for n, said in verdicts(judged, out / "T1-g1-r1").items()} == {1: "right"}
