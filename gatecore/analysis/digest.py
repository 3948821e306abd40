"""What a report needs to know of one run, small enough to be kept of ten thousand."""

from collections.abc import Iterator, Mapping, Sequence

from gatecore.analysis.columns import Value, requirements_unmet, values
from gatecore.analysis.ending import Ending, LeftOut, ending, why_left_out
from gatecore.ledger.classes import Judged, judge, review_of, reviews_of, sent_back_by
from gatecore.ledger.packed import Packed
from gatecore.ledger.records import Finding, Signoff, Stop, Triage
from gatecore.ledger.run import Entry, Run
from gatecore.ledger.signoffs import AWAITING, engineer_class, red_at_end, result
from gatecore.ledger.tallies import tally_run

_LONGEST = 500
"""Longer texts of findings are cut."""
Unmet = frozenset[str] | None
"""The requirements that are not met; None when the oracle did not judge, or did not name them."""
Verdicts = Mapping[int, Triage]
"""What people said of a run's stops, by the line of the ledger: the last word on each."""


Words = Mapping[int | None, Signoff]
"""The engineer's: the last one on each stop by the line of the ledger, on the end of the run under None."""


class Move(Packed, frozen=True):
    """A requirement that was met at one stop and not at the one before, or the other way round.

    `n` is the stop at which it was seen, None for the end of the run; `after` the gate that had blocked.
    """

    req: str
    n: int | None
    met: bool
    after: str | None


class Sight(Packed, frozen=True):
    """A requirement at the stops of a run where acceptance tests judged and it was not met."""

    req: str
    red: int  # such stops
    caught: int  # of them, with an acceptance test failing
    alone: int  # of them, without another requirement unmet
    alone_caught: int


class Suspect(Packed, frozen=True):
    """An acceptance test that failed, and the requirements that were unmet whenever it did."""

    test: str
    reqs: tuple[str, ...]


class LetThrough(Packed, frozen=True):
    """A finding that did not block at a stop where the oracle was red."""

    n: int | None
    by: str
    severity: str  # minor, or rejected (blocking, and the challenger rejected it)
    place: str  # file:line
    text: str
    reqs: tuple[str, ...]


class Ground(Packed, frozen=True):
    """One reason for which a stop was blocked: a failing test, or a finding."""

    n: int | None
    gate: str
    part: str  # suite, acceptance, review A, review B, review UI
    what: str
    kind: str  # right, false, no_oracle
    repeat: bool | None
    verdict: str | None  # a person's


class Judgement(Packed, frozen=True):
    """A person's verdict on a stop, beside the oracle's."""

    n: int | None
    gate: str | None
    kind: str  # class of the stop
    verdict: str
    cause: str | None


class Signed(Packed, frozen=True):
    """An engineer's word on a stop, or on the end of the run, against the oracle."""

    n: int | None
    at_end: bool
    verdict: str  # approve or send_back
    kind: str  # GateClass
    reason: str
    seconds: float | None


class Unread(Packed, frozen=True):
    """Something that could not be read, as `Loss` has it."""

    file: str
    line: int | None
    why: str
    fields_only: bool


class Digest(Packed, frozen=True):
    """One run. What is outside the tables (`counted` is False) has neither tally nor row."""

    task: str
    cfg: str
    rep: int | None
    counted: bool
    left_out: LeftOut | None  # why the run is outside the columns; None when it is in them
    tally: tuple[int, ...] = ()
    row: tuple[Value, ...] = ()  # by columns.KEYS
    unmet: tuple[str, ...] = ()  # requirements at the end
    ending: Ending | None = None
    moves: tuple[Move, ...] = ()
    sights: tuple[Sight, ...] = ()
    suspects: tuple[Suspect, ...] = ()
    let_through: tuple[LetThrough, ...] = ()
    grounds: tuple[Ground, ...] = ()
    judgements: tuple[Judgement, ...] = ()
    unread: tuple[Unread, ...] = ()
    signed: tuple[Signed, ...] = ()
    awaiting: bool = False  # scored, and the result is held until an engineer gives it


def digest(run: Run, verdicts: Verdicts | None = None, words: Words | None = None) -> Digest:
    """Return the digest of `run`; `verdicts` are what people said of its stops, `words` the engineer's."""
    task, cfg, rep = run.identity
    unread = tuple([Unread(x.file, x.line, x.why, x.fields_only) for x in run.losses])
    left_out = why_left_out(run)
    if left_out is not None and not left_out.counted:
        return Digest(task or "?", cfg or "?", rep, False, left_out, unread=unread)
    judged = [(entry.stop, judge(entry.stop)) for entry in run.entries]
    unmet = [_unmet(stop, said) for stop, said in judged]
    sights, suspects = _sights(judged, unmet)
    return Digest(
        task or "?",
        cfg or "?",
        rep,
        True,
        left_out,
        tally_run(run, [said for _, said in judged]).counts,
        values(run.score) if run.score else (),
        run.score.failed_reqs if run.score else (),
        ending(run),
        tuple(_moves(run, judged, unmet)) if unmet else (),
        sights,
        suspects,
        tuple(_let_through(judged)),
        tuple(_grounds(run.entries, judged, verdicts or {})),
        tuple(_judgements(run.entries, judged, verdicts)) if verdicts else (),
        unread,
        tuple(_signed(run, judged, words)) if words else (),
        result(run, words or {}) == AWAITING,
    )


_Stops = Sequence[tuple[Stop, Judged]]


def _unmet(stop: Stop, said: Judged) -> Unmet:
    if said.red is None or stop.hidden is None or len(stop.hidden.failed_reqs) != stop.hidden.failed:
        return None
    return frozenset(stop.hidden.failed_reqs)


def _moves(run: Run, stops: _Stops, unmet: Sequence[Unmet]) -> Iterator[Move]:
    before: Unmet = None
    after: str | None = None
    for (stop, _), now in zip(stops, unmet, strict=True):
        if now is not None:
            if before is not None and now != before:
                yield from _changes(before, now, stop.n, after)
            before = now
        after = stop.blocked_by if stop.decision == "block" else None
    end = requirements_unmet(run.score) if run.score else None
    if before is not None and end is not None and end != before:
        yield from _changes(before, end, None, after)


def _changes(before: frozenset[str], now: frozenset[str], n: int | None, after: str | None) -> Iterator[Move]:
    for req in sorted(before ^ now):
        yield Move(req, n, req in before, after)


def _sights(stops: _Stops, unmet: Sequence[Unmet]) -> tuple[tuple[Sight, ...], tuple[Suspect, ...]]:
    """What the acceptance tests saw of each requirement that was not met."""
    counts: dict[str, list[int]] = {}
    suspects: dict[str, frozenset[str]] = {}
    for (stop, said), now in zip(stops, unmet, strict=True):
        if not now or said.acceptance not in ("pass", "fail"):
            continue
        caught, alone = said.acceptance == "fail", len(now) == 1
        for req in now:
            count = counts.setdefault(req, [0, 0, 0, 0])
            count[0] += 1
            count[1] += caught
            count[2] += alone
            count[3] += caught and alone
        if caught:
            for test in _failing_tests(stop, "acceptance"):
                suspects[test] = suspects.get(test, now) & now
    return (
        tuple(Sight(req, *counts[req]) for req in sorted(counts)),
        tuple(Suspect(test, tuple(sorted(reqs))) for test, reqs in sorted(suspects.items()) if reqs),
    )


def _failing_tests(stop: Stop, part: str) -> tuple[str, ...]:
    """The failing tests of one check of gate 1, each once: functions, without their parameters.

    Acceptance tests go by their function alone, as the original names them.
    """
    check = stop.checks.get(part)
    names = check.failed if check else ()
    if part != "acceptance":
        return tuple(dict.fromkeys([name.partition("[")[0] for name in names]))
    if not names and stop.gate1:
        names = stop.gate1.gate_tests_failed
    return tuple(dict.fromkeys([name.partition("[")[0].rpartition("::")[2] for name in names]))


def _let_through(stops: _Stops) -> Iterator[LetThrough]:
    for stop, said in stops:
        if not (said.red and stop.hidden):
            continue
        for reviewer in [reviewer for review in reviews_of(stop) for reviewer in review.reviewers]:
            for finding in reviewer.findings:
                severity = _passed_over(finding)
                if severity:
                    yield LetThrough(
                        stop.n,
                        reviewer.id or "?",
                        severity,
                        _place(finding),
                        finding.text[:_LONGEST],
                        stop.hidden.failed_reqs,
                    )


def _passed_over(finding: Finding) -> str | None:
    if finding.severity == "minor":
        return "minor"
    return "rejected" if finding.severity == "blocking" and finding.challenge == "rejected" else None


def _place(finding: Finding) -> str:
    return f"{finding.file or '?'}:{'?' if finding.line is None else finding.line}"


def _grounds(entries: Sequence[Entry], stops: _Stops, verdicts: Verdicts) -> Iterator[Ground]:
    for entry, (stop, said) in zip(entries, stops, strict=True):
        if stop.decision == "block":
            person = verdicts.get(entry.line)
            verdict = person.verdict if person else None
            for part, what in _reasons(stop, said):
                yield Ground(stop.n, stop.blocked_by or "?", part, what, said.kind, stop.repeat, verdict)


def _reasons(stop: Stop, said: Judged) -> Iterator[tuple[str, str]]:
    """What the gate that blocked the stop blocked it for: part of the gate, and test or finding."""
    if stop.blocked_by == "g1":
        for part in ("suite", "acceptance"):
            if getattr(said, part) == "fail":
                check = stop.checks.get(part)
                why = (check.why if check else None) or "tests that the ledger does not name"
                for test in _failing_tests(stop, part) or (why,):
                    yield part, test
    elif review := review_of(stop, stop.blocked_by or ""):
        for finding in review.blocking:
            yield f"review {finding.by or '?'}", f"{_place(finding)} {finding.text[:_LONGEST]}"


def _judgements(entries: Sequence[Entry], stops: _Stops, verdicts: Verdicts) -> Iterator[Judgement]:
    for entry, (stop, said) in zip(entries, stops, strict=True):
        person = verdicts.get(entry.line)
        if person and person.verdict:
            yield Judgement(stop.n, sent_back_by(stop), said.kind, person.verdict, person.cause)


def _signed(run: Run, stops: _Stops, words: Words) -> Iterator[Signed]:
    at: dict[int | None, tuple[int | None, bool | None]] = {None: (None, red_at_end(run.score))}
    at |= {entry.line: (stop.n, said.red) for entry, (stop, said) in zip(run.entries, stops, strict=True)}
    for line, word in words.items():
        n, red = at[line]
        kind = engineer_class(word, red) or "?"
        yield Signed(n, line is None, word.verdict or "?", kind, word.reason[:_LONGEST], word.seconds)
