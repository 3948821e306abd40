"""`gateview report`."""

import json
import sys
from pathlib import Path
from typing import Literal, TextIO

from gatecore.analysis import results, results_md
from gatecore.text import line
from gateview.report.render import markdown, print_tables
from gateview.report.sheets import sheets
from gateview.store.load import NoRunsError, load

Format = Literal["table", "md", "json"]
_OF_THE_ORIGINAL = ("config", "task")
"""Sheets whose figures the original's own Markdown tables show."""


def report(runs: list[Path], format: Format) -> int:  # noqa: A002
    """Print the report over the folders `runs` on stdout; return the exit code, 2 when there is none."""
    try:
        state = load(runs)
    except NoRunsError as err:
        print(f"gateview report: {line(str(err))}", file=sys.stderr)
        return 2
    found = results(state.runs)
    out = _unfailing(sys.stdout)
    match format:
        case "json":
            out.write(json.dumps(found, indent=2) + "\n")
        case "md":
            added = [sheet for sheet in sheets(found, state) if sheet.name not in _OF_THE_ORIGINAL]
            out.write(f"{results_md(found)}\n{markdown(added)}")
        case "table":
            print_tables(sheets(found, state), out)
    return 0


def _unfailing(out: TextIO) -> TextIO:
    """Where the encoding of `out` lacks a character, it prints ``?`` instead of failing."""
    reconfigure = getattr(out, "reconfigure", None)
    if reconfigure:
        reconfigure(errors="replace")
    return out
