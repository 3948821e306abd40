"""What a repository's gate has done: from its ledger, and from what is left of its installation."""

from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from gatecore.ledger.classes import classed_stops, gate_verdict, sent_back_by
from gatecore.ledger.reader import read_run, run_dirs
from gatecore.ledger.records import Stop
from gatecore.ledger.verdicts import verdicts

_ON_BASE = "on the base tree already"


@dataclass
class Counts:
    """What happened at the stops of all sessions; `days` of them are `recent`."""

    sessions: int = 0
    stops: int = 0
    kinds: Counter[str] = field(default_factory=Counter)  # as in `_kind`, and killed
    recent: Counter[str] = field(default_factory=Counter)  # the same, and tampered
    blocked: int = 0
    would_block: int = 0
    repeats: int = 0
    said: Counter[str] = field(
        default_factory=Counter
    )  # verdicts of a person on blocks: right, false, unsure
    unsaid: int = 0
    last: datetime | None = None
    whys: Counter[str] = field(
        default_factory=Counter
    )  # recent: why stops were skipped, not judged, or erred


def count(runs: Path, days: float) -> Counts:
    """Read the ledger; `recent` is what happened in the last `days`."""
    counts = Counts()
    since = datetime.now(UTC) - timedelta(days=days)
    for path in run_dirs(runs) if runs.is_dir() else []:
        run = read_run(path)
        counts.sessions += not path.name.endswith("-r0")
        said = verdicts(run, path)
        for stop in classed_stops(run):
            if stop.entry is None:
                counts.stops += 1
                counts.kinds[stop.kind] += 1
                counts.recent[stop.kind] += 1  # when is not known
                continue
            _add(counts, stop.entry.stop, since, by_script=path.name.endswith("-r0"))
            if sent_back_by(stop.entry.stop):
                verdict = said.get(stop.entry.line)
                if verdict and verdict.verdict:
                    counts.said[verdict.verdict] += 1
                else:
                    counts.unsaid += 1
    return counts


def _add(counts: Counts, stop: Stop, since: datetime, *, by_script: bool) -> None:
    when, kind = _when(stop.ts), "by the script" if by_script else _kind(stop)
    counts.stops += 1
    counts.kinds[kind] += 1
    if when and (counts.last is None or when > counts.last):
        counts.last = when
    if sent_back_by(stop):
        counts.blocked += stop.decision == "block"
        counts.would_block += stop.decision != "block"
        counts.repeats += bool(stop.repeat)
    if when and when >= since:
        counts.recent[kind] += 1
        counts.recent["tampered"] += bool(stop.tampered)
        why = stop.skipped or stop.error or (stop.gate1.why if stop.gate1 else None)
        if why:
            counts.whys[f"{kind}: {why}"] += 1


def _kind(stop: Stop) -> str:
    if stop.decision in ("skipped", "error", "give_up"):
        return stop.decision
    if gate_verdict(stop, "g1") in ("pass", "fail"):
        return "judged"
    return "red base" if stop.gate1 and _ON_BASE in (stop.gate1.why or "") else "not judged"


def _when(ts: str | None) -> datetime | None:
    try:
        when = datetime.fromisoformat(ts or "")
    except ValueError:
        return None
    return when if when.tzinfo else when.astimezone()
