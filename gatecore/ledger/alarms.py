"""What in a run's files does not fit together: a gate that may have been passed without a trace."""

from gatecore.ledger.run import Run


def alarms(run: Run) -> tuple[str, ...]:
    """Return one sentence for each thing that does not fit, none for a sound run."""
    return tuple([text for text in (_silent(run), _miscounted(run), _unchained(run)) if text])


def records(run: Run) -> int | None:
    """Records in the ledger, unreadable ones included; None when the file itself cannot be read."""
    if not run.losses:
        return len(run.entries)
    losses = [x for x in run.losses if x.file == "gate.jsonl" and not x.fields_only]
    if any(x.line is None for x in losses):
        return None
    return len(run.entries) + len(losses)


def _silent(run: Run) -> str | None:
    score = run.score
    if score is None:
        return None
    if score.alarm:
        return score.alarm
    succeeded = score.has_result_line and not score.is_error
    if run.gated and succeeded and records(run) == 0:
        return "the client ended in success, but no stop of this gated run is recorded"
    return None


def _miscounted(run: Run) -> str | None:
    there = records(run)
    said = run.score.hook_calls if run.score else None
    if there is None or said is None or there == said:
        return None
    return f"gate.jsonl holds {there} records, score.json counts {said}"


def _unchained(run: Run) -> str | None:
    broken = [entry.chained for entry in run.entries].count(False)
    return f"{broken} records in gate.jsonl do not follow the line before them" if broken else None
