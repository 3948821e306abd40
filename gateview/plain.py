"""The same tallies and runs as the live screen, once, as plain text or JSON."""

import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.cells import cell_len

from gateview.lines.configs import config_table
from gateview.lines.glyphs import ASCII, UNICODE, Glyphs
from gateview.lines.header import header
from gateview.lines.runs import RunColumns
from gateview.lines.spans import Span, Spans, say, text_of
from gateview.lines.tallies import gate_table, totals
from gateview.report.gates import gate_rows
from gateview.store.load import load
from gateview.store.order import SORTS
from gateview.store.progress import progress, under_way
from gateview.store.rows import Row
from gateview.store.view import View

_WIDTH = 200  # of lines that nothing needs to fit on a screen
_IN_ASCII = str.maketrans({"≥": ">=", "\N{EN DASH}": "-", "·": "|", "▾": "", "…": "~"})


def print_once(folders: Sequence[Path], watched: str, glyphs: Glyphs, *, as_json: bool) -> None:
    """Print on stdout what `folders` hold now. Raises NoRunsError when that is nothing."""
    view = load(folders)
    out = sys.stdout
    if glyphs is UNICODE and not _speaks_unicode(out.encoding):
        glyphs = ASCII
    if as_json:
        out.write(json.dumps(as_object(view), indent=2) + "\n")
        return
    encoding = out.encoding or "ascii"
    for spans in _lines(view, watched, glyphs):
        line = text_of(spans).rstrip()
        if glyphs is ASCII:
            line = line.translate(_IN_ASCII)
        out.write(line.encode(encoding, "replace").decode(encoding) + "\n")


def as_object(view: View) -> dict[str, Any]:
    """The view as JSON values: progress, tallies by gate and class, configs, runs. Unknown is null."""
    tally = view.tally
    return {
        "progress": asdict(progress(view)),
        "replays": {
            name: {"done": replay.done, "stops": replay.stops} for name, replay in view.replays.items()
        },
        "gates": [asdict(row) for row in gate_rows(view.tallies)],
        "stops": dict(tally.stops),
        "blocks": tally.blocks,
        "repeats": tally.repeats,
        "repeats_unknown": tally.repeats_unknown,
        "unreadable": view.unreadable,
        "configs": {
            cfg: {"runs": sums.runs, "met": sums.met, "judged": sums.judged, "clean_runs": sums.clean}
            for cfg, sums in view.configs.items()
        },
        "runs": [_run_object(row) for row in _in_order(view)],
    }


def _run_object(row: Row) -> dict[str, Any]:
    met, judged = row.requirements
    return {
        "run": row.key,
        "task": row.run.identity[0],
        "cfg": row.run.identity[1],
        "rep": row.run.identity[2],
        "status": row.status,
        "left_out": row.run.tag or row.run.invalid,
        "stops": list(row.kinds),
        "met": met,
        "judged": judged,
        "cost_usd": row.cost.dollars if row.cost.known else None,
        "cost_is_lower_bound": bool(row.cost.unknown),
        "seconds": row.seconds,
        "unreadable": len(row.run.losses),
    }


def _lines(view: View, watched: str, glyphs: Glyphs) -> Iterator[Spans]:
    yield header(view, progress(view), watched, _WIDTH)
    yield ()
    yield from gate_table(view.tallies, _WIDTH, view.tallies)
    yield from totals(view, _WIDTH)
    yield ()
    yield from config_table(view, glyphs, _WIDTH)
    yield ()
    rows = _in_order(view)
    names = max(cell_len(Span(row.key).text) for row in rows)
    columns = RunColumns.within(_WIDTH, names, max(len(row.stops) for row in rows))
    yield columns.head(SORTS[0])
    running = {row.key for row in under_way(view)}
    for row in rows:
        yield columns.row(row, glyphs, running=row.key in running)
    yield ()
    yield say(glyphs.legend())


def _in_order(view: View) -> list[Row]:
    return sorted(view.rows.values(), key=SORTS[0].key)


def _speaks_unicode(encoding: str | None) -> bool:
    return (encoding or "").lower().replace("-", "") == "utf8"
