"""A replay while it goes on: in the header, and in what is done now."""

from pathlib import Path

import pytest

from gatecore.ledger.records import MatrixEvent
from gatecore.ledger.writer import append
from gateview.lines.header import header
from gateview.lines.lanes import lane_table
from gateview.lines.spans import text_of
from gateview.store.news import News
from gateview.store.progress import progress
from gateview.store.tail import Tailer
from gateview.store.view import View, advance

EVENTS = [
    {"event": "replay_started", "name": "g3", "stops": 43, "done": 11},
    {"event": "stop_begun", "name": "g3", "run": "T1-g1-r1", "n": 2},
    {"event": "stop_replayed", "name": "g3", "run": "T1-g1-r1", "n": 2, "state": "judged"},
    {"event": "stop_begun", "name": "g3", "run": "T1-g1-r1", "n": 3, "ts": "2026-01-01T00:00:00+00:00"},
]


def test_it_is_shown_as_it_goes_on_and_not_when_it_is_over(tmp_path: Path) -> None:
    (tmp_path / "T1-g1-r1").mkdir()
    (tmp_path / "T1-g1-r1" / "meta.json").write_text("{}")
    tailer, view = Tailer([tmp_path]), View()
    view = advance(view, tailer.poll())
    for event in EVENTS:
        append(str(tmp_path / "replays.jsonl"), event)
    view = advance(view, tailer.poll({str(tmp_path / "replays.jsonl")}))
    assert "replay g3 12/43" in text_of(header(view, progress(view), "runs/", 120))
    (_, lane) = lane_table([], 1767225605.0, 60, view.replays)
    assert text_of(lane).split() == ["T1-g1-r1", "replay", "g3,", "stop", "3", "5", "s"]
    append(str(tmp_path / "replays.jsonl"), {"event": "replay_ended", "name": "g3"})
    view = advance(view, tailer.poll())
    assert "replay" not in text_of(header(view, progress(view), "runs/", 120))


@pytest.mark.parametrize("cut", range(len(EVENTS) + 1))
def test_it_does_not_matter_how_the_lines_come(cut: int) -> None:
    events = tuple(MatrixEvent(**event) for event in EVENTS)  # type: ignore[arg-type]
    once = advance(View(), News(replays=events))
    twice = advance(advance(View(), News(replays=events[:cut])), News(replays=events[cut:]))
    assert once == twice
