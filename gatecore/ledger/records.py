"""The lines and files of a run directory as immutable structs.

Every field may be missing: ``None`` means unknown, never zero or false. Names are those of the files
(`gate.jsonl` of the original harness, plus what this package adds); unknown keys are ignored here and
stay in the file. Money is US dollars as the client estimates it, durations are seconds.
"""

from collections.abc import Container
from typing import Annotated, Any

import msgspec
from msgspec import Meta

Count = Annotated[int, Meta(ge=0, le=2**53)]
Dollars = Annotated[float, Meta(ge=0, le=1e9)]
Seconds = Annotated[float, Meta(ge=0, le=1e9)]


class Record(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Base of everything that is read from a run directory."""


class Finding(Record, frozen=True, kw_only=True, omit_defaults=True):
    """One defect a reviewer reported."""

    severity: str | None = None  # "blocking" or "minor"
    file: str | None = None
    line: int | None = None
    text: str = ""
    by: str | None = None  # in `blocking`: the reviewer, A or B
    challenge: str | None = None  # adv: upheld, rejected, unanswered or error
    upheld_by: str | None = None


class Verdict(Record, frozen=True, kw_only=True, omit_defaults=True):
    """The challenger's answer to one of reviewer A's findings; `id` counts from 1."""

    id: int | None = None
    verdict: str | None = None  # "upheld" or "rejected"
    reason: str = ""


class Reviewer(Record, frozen=True, kw_only=True, omit_defaults=True):
    """One reviewer's call at one stop. `approve` is effective, `approve_raw` the reviewer's own word."""

    id: str | None = None
    approve: bool | None = None
    approve_raw: bool | None = None
    findings: tuple[Finding, ...] = ()
    verdicts: tuple[Verdict, ...] = ()
    cost_usd: Dollars | None = None
    turns: Count | None = None
    wall_s: Seconds | None = None
    error: str | None = None
    models: tuple[str, ...] = ()


class Gate1(Record, frozen=True, kw_only=True, omit_defaults=True):
    """Gate 1, behaviour: the repo's suite and the acceptance tests. Counts are tests."""

    ran: bool | None = None
    passed: bool | None = msgspec.field(name="pass", default=None)
    suite: str | None = None  # gate verdict
    acceptance: str | None = None  # gate verdict
    why: str | None = None  # why it was not judged
    mode: str | None = None
    suite_pass: Count | None = None
    suite_fail: Count | None = None
    tests_touched: bool | None = None
    gate_tests_present: bool | None = None
    gate_tests_pass: Count | None = None
    gate_tests_fail: Count | None = None
    gate_tests_failed: tuple[str, ...] = ()


class ReviewGate(Record, frozen=True, kw_only=True, omit_defaults=True):
    """A gate whose verdict is that of reviewers."""

    ran: bool | None = None
    passed: bool | None = msgspec.field(name="pass", default=None)
    verdict: str | None = None  # gate verdict
    why: str | None = None  # why it was not judged, or skipped
    mode: str | None = None
    reviewers: tuple[Reviewer, ...] = ()
    blocking: tuple[Finding, ...] = ()
    blocking_findings: Count | None = None
    cost_usd: Dollars | None = None
    diff_chars: Count | None = None
    reused: bool | None = None  # the verdict of an earlier stop on the same tree


class Picture(Record, frozen=True, kw_only=True, omit_defaults=True):
    """A page as it was rendered. `file` is a PNG in the run directory, named by its hash."""

    page: str = ""
    file: str | None = None
    width: Count | None = None  # pixels
    height: Count | None = None
    bytes: Count | None = None


class Gate2(ReviewGate, frozen=True, kw_only=True, omit_defaults=True):
    """Gate 2, UI review: one reviewer of the rendered pages."""

    before: tuple[Picture, ...] = ()  # of the base
    before_why: str | None = None  # why there is none of the base
    after: tuple[Picture, ...] = ()  # of the tree at the stop
    render_s: Seconds | None = None


class Gate3(ReviewGate, frozen=True, kw_only=True, omit_defaults=True):
    """Gate 3, review: two reviewers (`indep`) or reviewer and challenger (`adv`)."""

    variant: str | None = None


class Hidden(Record, frozen=True, kw_only=True, omit_defaults=True):
    """What the oracle said at a stop, in requirements."""

    passed: Count | None = msgspec.field(name="pass", default=None)
    failed: Count | None = msgspec.field(name="fail", default=None)
    failed_reqs: tuple[str, ...] = ()
    state: str | None = None  # "judged", "broken" or "absent"


class CheckRecord(Record, frozen=True, kw_only=True, omit_defaults=True):
    """One check at one stop. `failed` holds at most 50 test ids; the rest is in `checks-<n>.json`."""

    verdict: str | None = None
    why: str | None = None
    seconds: Seconds | None = None
    exit: int | None = None
    timed_out: bool | None = None
    counts: dict[str, int] = {}
    failed: tuple[str, ...] = ()


class Unheld(Record, frozen=True, kw_only=True, omit_defaults=True):
    """A path that the snapshot could not hold."""

    path: str = ""
    why: str = ""


class Stop(Record, frozen=True, kw_only=True, omit_defaults=True):
    """One line of `gate.jsonl`: one attempt of the agent to end its turn."""

    v: Count | None = None
    n: Count | None = None
    ts: str | None = None
    stop_id: str | None = None
    session_id: str | None = None
    prompt_id: str | None = None
    stop_hook_active: bool | None = None
    hook_input_keys: tuple[str, ...] = ()
    base: str | None = None
    tree: str | None = None
    tree_after: str | None = None  # where checks ran in the work tree itself and left another
    repeat: bool | None = None
    gate1: Gate1 | None = None
    gate2: Gate2 | None = None
    gate3: Gate3 | None = None
    hidden: Hidden | None = None
    checks: dict[str, CheckRecord] = {}
    blocked_by: str | None = None
    decision: str | None = None
    reason: str = ""
    reason_chars: Count | None = None
    error: str | None = None
    skipped: str | None = None  # why nothing was judged, by rule
    wall_s: Seconds | None = None
    tampered: tuple[str, ...] = ()
    unheld: tuple[Unheld, ...] = ()
    newly_ignored: tuple[str, ...] = ()
    prev: str | None = None


class Event(Record, frozen=True, kw_only=True, omit_defaults=True):
    """One line of `events.jsonl`: something that happened in a run, as it happened."""

    ts: str | None = None
    event: str | None = None
    n: Count | None = None
    stop_id: str | None = None
    check: str | None = None
    verdict: str | None = None
    seconds: Seconds | None = None
    decision: str | None = None
    exit: int | None = None
    ok: bool | None = None
    invalid: str | None = None


class Cell(Record, frozen=True, kw_only=True, omit_defaults=True):
    """One planned run of a matrix."""

    run: str = ""
    cfg: str = ""
    task: str = ""
    rep: Count | None = None


class MatrixEvent(Record, frozen=True, kw_only=True, omit_defaults=True):
    """One line of `matrix.jsonl` or `replays.jsonl` in the runs folder.

    Of a replay: replay_started, stop_begun, stop_replayed, replay_ended.
    """

    ts: str | None = None
    event: str | None = None  # planned, cell_started, cell_ended, matrix_paused, matrix_ended
    cells: tuple[Cell, ...] = ()
    run: str | None = None
    state: str | None = None  # cell_ended: scored, invalid or failed
    why: str | None = None
    lanes: Count | None = None
    name: str | None = None  # of a replay
    n: Count | None = None  # its stop
    stops: Count | None = None  # all that it is about
    done: Count | None = None  # of them, when it was started


class RunMeta(Record, frozen=True, kw_only=True, omit_defaults=True):
    """`meta.json`."""

    task: str | None = None
    cfg: str | None = None
    name: str | None = None
    rep: Count | None = None
    work: str | None = None
    harness: str | None = None
    tag: str | None = None
    variant: str | None = None
    signoff: bool | None = None  # the result is held until an engineer gives it


class WriterRecord(Record, frozen=True, kw_only=True, omit_defaults=True):
    """`testwriter.json`."""

    ok: bool | None = None
    cost_usd: Dollars | None = None
    wall_s: Seconds | None = None
    models: tuple[str, ...] = ()
    error: str | None = None


class Score(Record, frozen=True, kw_only=True, omit_defaults=True):
    """`score.json`: the end state of a run. Present means that the run is over and scored."""

    task: str | None = None
    cfg: str | None = None
    rep: Count | None = None
    run: str | None = None
    hidden_pass: Count | None = None
    hidden_fail: Count | None = None
    failed_reqs: tuple[str, ...] = ()
    suite_pass: Count | None = None
    suite_fail: Count | None = None
    hook_calls: Count | None = None
    blocks_total: Count | None = None
    blocks_by_gate: dict[str, Count] = {}
    right_blocks: Count | None = None
    false_blocks: Count | None = None
    right_blocks_by_gate: dict[str, Count] = {}
    false_blocks_by_gate: dict[str, Count] = {}
    give_up: bool | None = None
    ended_blocked: bool | None = None
    cost_worker_usd: Dollars | None = None
    cost_reviewers_usd: Dollars | None = None  # of gate 3
    cost_ui_reviewer_usd: Dollars | None = None  # of gate 2; absent in runs without it
    cost_testwriter_usd: Dollars | None = None
    cost_total_usd: Dollars | None = None
    testwriter_ok: bool | None = None
    gate_tests_total: Count | None = None
    gate_tests_fail_final: Count | None = None
    turns: Count | None = None
    wall_s: Seconds | None = None
    reviewer_findings_total: Count | None = None
    reviewer_errors: Count | None = None
    gate_crashes: Count | None = None
    model_ok: bool | None = None
    worker_models: tuple[str, ...] = ()
    reviewer_models: tuple[str, ...] = ()
    is_error: bool | None = None
    subtype: str | None = None
    exit_code: str | None = None
    has_result_line: bool | None = None
    claude_code_version: str | None = None
    hook_events_in_stream: tuple[str, ...] = ()
    hidden_first_stop: Hidden | None = None
    invalid: str | None = None  # why an outage ended the run; such a run is outside every rate
    hunted: Count | None = None  # commands in the stream that name the bench, the hook or the tests
    tampered: tuple[str, ...] = ()
    alarm: str | None = None


class Triage(Record, frozen=True, kw_only=True, omit_defaults=True):
    """One line of `triage.jsonl`: a person's verdict on a block. `verdict` null takes the last one back."""

    v: Count | None = None
    ts: str | None = None
    by: str | None = None
    stop_id: str | None = None
    n: Count | None = None
    verdict: str | None = None  # right, false or unsure
    cause: str | None = None
    note: str = ""


class Signoff(Record, frozen=True, kw_only=True, omit_defaults=True):
    """One line of `signoff.jsonl`: the engineer's word on a stop, or without one on the end of the run.

    `verdict` null takes the last word back.
    """

    v: Count | None = None
    ts: str | None = None
    by: str | None = None
    stop_id: str | None = None
    n: Count | None = None
    verdict: str | None = None  # approve or send_back
    reason: str = ""
    seconds: Seconds | None = None  # for which the engineer had it open


def plain(record: Record, *, without: Container[str] = ()) -> dict[str, Any]:
    """Return the record as JSON would hold it, what is unknown as null.

    Names in `without` are left out where they hold nothing.
    """
    names = zip(record.__struct_fields__, record.__struct_encode_fields__, strict=True)
    return {
        encoded: _plain(value, without)
        for name, encoded in names
        if (value := getattr(record, name)) or name not in without
    }


def _plain(value: Any, without: Container[str]) -> Any:
    if isinstance(value, Record):
        return plain(value, without=without)
    if isinstance(value, tuple):
        return [_plain(item, without) for item in value]
    return value
