"""What the head of the run screen says: the run, what is doubtful about it, and its stops in order."""

from collections.abc import Iterator

from gatecore.ledger.classes import ClassedStop
from gatecore.ledger.records import Gate2, Signoff
from gatecore.ledger.run import Run
from gatecore.ledger.signoffs import APPROVE
from gateview.lines.glyphs import WORDS, Glyphs
from gateview.lines.numbers import counted, share
from gateview.lines.spans import Span, Spans, joined, say
from gateview.report.figures import money
from gateview.store.rows import Row


def run_head(row: Row) -> Spans:
    """One line on the run."""
    run = row.run
    parts = [
        say(f"{share(*row.requirements)} requirements{'' if run.score else ' so far'}"),
        say(counted(len(row.stops), "stop")),
        say(f"${money(row.cost)}"),
        say("? s" if row.seconds is None else f"{row.seconds:,.0f} s"),
        say(Span(row.status, "" if row.status == "scored" else "strong")),
        say(f"{run.cfg}, task {run.task}, rep {run.identity[2] if run.identity[2] is not None else '?'}"),
    ]
    return say(Span(row.key, "strong"), "   ", *joined(parts, "   "))


def run_notes(run: Run) -> list[Spans]:
    """One line for each thing about the run that makes its numbers doubtful."""
    return [say(Span("! ", "warn"), note) for note in _notes(run)]


def _notes(run: Run) -> Iterator[str]:
    score = run.score
    if run.tag:
        yield f"left out of the tables: tagged {run.tag.lstrip('-')}"
    if run.invalid:
        yield f"left out of the tables: {run.invalid}"
    if score and score.alarm:
        yield score.alarm
    if score and score.has_result_line is False:
        yield "the worker's output has no result line: its cost and turns are not known"
    if score and score.model_ok is False and score.has_result_line is not False:
        yield f"another model answered: {', '.join(score.worker_models) or '?'}"
    if score and score.tampered:
        yield f"guarded files were changed: {', '.join(score.tampered)}"
    if score and score.hunted:
        yield f"commands that name the bench, the hook or the tests: {score.hunted}"
    if run.writer and run.writer.ok is False:
        yield "the writer failed: the suite alone judged"
    if score and score.hook_calls is not None and run.gated and score.hook_calls != len(run.entries):
        yield f"score.json counts {score.hook_calls} stops, the ledger holds {len(run.entries)}"
    if any(entry.chained is False for entry in run.entries):
        yield "the chain of the ledger is broken: a line was changed, dropped or put in"
    for loss in run.losses[:3]:
        place = f"{loss.file} line {loss.line}" if loss.line else loss.file
        yield f"{place}: {f'field {loss.why} cannot be read' if loss.fields_only else loss.why}"
    if len(run.losses) > 3:
        yield f"and {len(run.losses) - 3:,} more that cannot be read"


def result_line(end: Signoff | None, awaiting: bool, keys: tuple[str, str]) -> list[Spans]:
    """What the engineer said of the end of the run, or that it waits for that; `keys` approve and send back."""
    if end is None:
        words = f"   {keys[0]}: approve   {keys[1]}: send back with a reason"
        return [say(Span("awaiting engineer", "strong"), Span(words, "dim"))] if awaiting else []
    return [say(Span("the engineer: ", "head"), *_word(end))]


def _word(said: Signoff) -> Spans:
    verb = "approved" if said.verdict == APPROVE else "sent back"
    took = "? min" if said.seconds is None else f"{said.seconds / 60:.1f} min"
    reason = f": {said.reason}" if said.reason else ""
    return say(Span(verb, "strong"), reason, Span(f"   {said.by or '?'}, {took}", "dim"))


def stop_cell(stop: ClassedStop, glyphs: Glyphs) -> Spans:
    """One stop in the line of stops: number, sign, gate and ``repeat``."""
    record = stop.entry.stop if stop.entry else None
    gate = f" {record.blocked_by}" if record and record.blocked_by else ""
    repeat = " repeat" if record and record.repeat else ""
    number = str(stop.n) if stop.n is not None else "?"
    return say(Span(f" {number} "), glyphs.stop(stop.kind), Span(f"{gate}{repeat} "))


def stop_facts(chosen: ClassedStop, said: Signoff | None = None) -> Spans:
    """One line on the chosen stop, and what the engineer `said` of it."""
    if chosen.entry is None:
        return say(Span(WORDS[chosen.kind], "strong"), Span("   no record", "dim"))
    stop = chosen.entry.stop
    parts = [say(Span(WORDS[chosen.kind], "strong"))]
    if said:
        parts.append(_word(said))
    if stop.ts:
        parts.append(say(stop.ts[:19].replace("T", " ")))
    if stop.gate1 and stop.gate1.ran:
        gate = stop.gate1
        parts.append(say(f"suite {_passed(gate.suite_pass, gate.suite_fail)}"))
        if gate.gate_tests_present:
            parts.append(say(f"acceptance {_passed(gate.gate_tests_pass, gate.gate_tests_fail)}"))
    if stop.gate2 and (stop.gate2.ran or stop.gate2.verdict):
        parts.append(say(f"UI {_of_ui(stop.gate2)}"))
    if stop.gate3 and (stop.gate3.ran or stop.gate3.verdict):
        words = "reused" if stop.gate3.reused else f"{len(stop.gate3.blocking)} blocking"
        parts.append(say(f"review {words}"))
    if stop.hidden:
        parts.append(say(f"oracle {_passed(stop.hidden.passed, stop.hidden.failed)}"))
    if stop.wall_s is not None:
        parts.append(say(f"{stop.wall_s:.1f} s"))
    return joined(parts, "   ")


def _of_ui(gate: Gate2) -> str:
    if gate.verdict in ("skipped", "not_judged"):
        return gate.verdict.replace("_", " ")
    return "reused" if gate.reused else f"{len(gate.blocking)} blocking"


def _passed(passed: int | None, failed: int | None) -> str:
    return share(passed, passed + failed if passed is not None and failed is not None else None)
