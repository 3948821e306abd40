"""Strategies for runs made of structs, and run directories made of lines."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from gatecore.ledger.records import Gate1, Gate2, Gate3, Hidden, Reviewer, RunMeta, Score, Stop, WriterRecord
from gatecore.ledger.run import Entry, Run

COUNT = st.none() | st.integers(0, 5)
MONEY = st.none() | st.floats(0, 9, allow_nan=False)
FLAG = st.none() | st.booleans()
BY_GATE = st.just({}) | st.fixed_dictionaries(
    {"g1": st.integers(0, 3), "g3": st.integers(0, 3)}, optional={"g2": st.integers(0, 3)}
)
VERDICT = st.sampled_from((None, "pass", "fail", "not_judged", "skipped"))

HIDDEN = st.builds(
    Hidden, passed=COUNT, failed=COUNT, state=st.sampled_from((None, "judged", "broken", "absent"))
)
REVIEWER = st.builds(Reviewer, error=st.none() | st.just("529"), cost_usd=MONEY, wall_s=MONEY)
GATE1 = st.builds(Gate1, ran=FLAG, passed=FLAG, suite=VERDICT)
GATE2 = st.builds(
    Gate2,
    ran=FLAG,
    passed=FLAG,
    verdict=VERDICT,
    reused=FLAG,
    cost_usd=MONEY,
    render_s=MONEY,
    reviewers=st.lists(REVIEWER, max_size=1).map(tuple),
)
GATE3 = st.builds(
    Gate3,
    ran=FLAG,
    passed=FLAG,
    verdict=VERDICT,
    reused=FLAG,
    cost_usd=MONEY,
    variant=st.sampled_from(("indep", "adv")),
    reviewers=st.lists(REVIEWER, max_size=2).map(tuple),
)
STOP = st.builds(
    Stop,
    decision=st.sampled_from((None, "allow", "block", "give_up", "error", "skipped", "defer")),
    blocked_by=st.sampled_from((None, "g1", "g2", "g3", "g4")),
    hidden=st.none() | HIDDEN,
    gate1=st.none() | GATE1,
    gate2=st.none() | GATE2,
    gate3=st.none() | GATE3,
    repeat=FLAG,
    wall_s=MONEY,
)
SCORE = st.builds(
    Score,
    hidden_pass=COUNT,
    hidden_fail=COUNT,
    failed_reqs=st.sampled_from(((), ("test_req1",), ("test_req2", "test_req5"))),
    suite_pass=COUNT,
    suite_fail=COUNT,
    hook_calls=COUNT,
    blocks_total=COUNT,
    blocks_by_gate=BY_GATE,
    right_blocks_by_gate=BY_GATE,
    false_blocks_by_gate=BY_GATE,
    give_up=FLAG,
    ended_blocked=FLAG,
    cost_worker_usd=MONEY,
    cost_total_usd=MONEY,
    cost_reviewers_usd=MONEY,
    cost_testwriter_usd=MONEY,
    cost_ui_reviewer_usd=MONEY,
    has_result_line=FLAG,
    model_ok=FLAG,
    wall_s=MONEY,
    turns=COUNT,
    testwriter_ok=FLAG,
    gate_tests_total=COUNT,
    reviewer_errors=COUNT,
    hunted=COUNT,
    invalid=st.sampled_from((None, None, None, "usage limit")),
)


@st.composite
def _run(draw: st.DrawFn, name: str) -> Run:
    stops = draw(st.lists(STOP, max_size=4))
    return Run(
        name,
        meta=draw(st.none() | st.builds(RunMeta, tag=st.sampled_from((None, None, "trial")))),
        score=draw(st.none() | SCORE),
        writer=draw(st.none() | st.builds(WriterRecord, cost_usd=MONEY)),
        entries=tuple(Entry(stop, i, 0, 0) for i, stop in enumerate(stops, 1)),
        snapshots=draw(st.frozensets(st.integers(1, 4))),
        over=draw(st.booleans()),
    )


@st.composite
def runs(draw: st.DrawFn) -> dict[str, Run]:
    """Runs by key, of some tasks, configs and repetitions."""
    cell = st.tuples(
        st.sampled_from(("T1", "T2", "T10")),
        st.sampled_from(("bare", "g1", "g13", "mine")),
        st.integers(1, 2),
    )
    names = [f"{task}-{cfg}-r{rep}" for task, cfg, rep in draw(st.lists(cell, unique=True, max_size=6))]
    return {name: draw(_run(name)) for name in names}


def write_run(
    folder: Path, *, ledger: Iterable[Mapping[str, Any] | bytes] = (), **documents: Mapping[str, Any] | bytes
) -> Path:
    """Make a run directory: `ledger` as gate.jsonl, `documents` by the name of their .json file."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = [line if isinstance(line, bytes) else json.dumps(line).encode() for line in ledger]
    if lines:
        (folder / "gate.jsonl").write_bytes(b"\n".join(lines) + b"\n")
    for name, document in documents.items():
        data = document if isinstance(document, bytes) else json.dumps(document).encode()
        (folder / f"{name}.json").write_bytes(data)
    return folder
