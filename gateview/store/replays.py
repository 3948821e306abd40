"""Replays that are under way, from `replays.jsonl` in the runs folder."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from gatecore.ledger.records import MatrixEvent


@dataclass(frozen=True, slots=True)
class Replaying:
    """How far a replay is: stops that are done of all `stops`, and those that are being judged, with since when."""

    done: int = 0
    stops: int | None = None
    now: Mapping[tuple[str, int | None], str | None] = field(
        default_factory=dict
    )  # run and number of the stop


def advance(replays: Mapping[str, Replaying], events: Iterable[MatrixEvent]) -> Mapping[str, Replaying]:
    """Return the replays by name after `events`, without those that ended; pure."""
    after = dict(replays)
    for event in events:
        name = event.name or "?"
        known, stop = after.get(name, Replaying()), (event.run or "?", event.n)
        if event.event == "replay_started":
            after[name] = Replaying(event.done or 0, event.stops)
        elif event.event == "replay_ended":
            after.pop(name, None)
        elif event.event == "stop_begun":
            after[name] = replace(known, now={**known.now, stop: event.ts})
        elif event.event == "stop_replayed":
            now = {other: since for other, since in known.now.items() if other != stop}
            after[name] = replace(known, done=known.done + 1, now=now)
    return after
