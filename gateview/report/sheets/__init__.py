"""The tables of a report, all made from one set of results."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from gatecore import __version__
from gatecore.analysis import Results
from gateview.report.sheet import Sheet
from gateview.report.sheets.blocks import acceptance, blocks, let_through, minor
from gateview.report.sheets.comparisons import comparisons
from gateview.report.sheets.configs import answers, cells, configs, tasks
from gateview.report.sheets.gates import costs, gates, gates_by_config
from gateview.report.sheets.outcomes import classes, left_out, outcomes, unreadable
from gateview.report.sheets.requirements import moves, requirements, unmet, unmet_runs
from gateview.report.sheets.signoff import signoff, words
from gateview.report.sheets.triage import agreement, by_person, differ

SHEETS: dict[str, Callable[[Results], Sheet]] = {
    "config": configs,
    "task": tasks,
    "cell": cells,
    "unmet": unmet,
    "unmet_run": unmet_runs,
    "signoff": signoff,
    "signed": words,
    "gate": gates,
    "gate_cost": costs,
    "gate_config": gates_by_config,
    "class": classes,
    "outcomes": outcomes,
    "comparisons": comparisons,
    "requirements": requirements,
    "moves": moves,
    "minor": minor,
    "let_through": let_through,
    "acceptance": acceptance,
    "blocks": blocks,
    "by_person": by_person,
    "agreement": agreement,
    "differ": differ,
    "answers": answers,
    "left_out": left_out,
    "unreadable": unreadable,
}
"""Every table by its name, in the order in which they are shown."""
SHOWN = 20
"""Rows of a table that is not asked for by name."""


def corpus_of(folders: Sequence[str], results: Results) -> str:
    """What the figures are of, for a line under each table."""
    runs, left = results["n_runs"], len(results["left_out"])
    planned = f", {results['planned']['runs']} planned" if results["planned"]["runs"] else ""
    return f"{', '.join(folders)}: {runs} runs scored, {left} left out{planned}"


def sheet(name: str, results: Results, corpus: str) -> Sheet:
    """The table `name`, whole. Raises KeyError."""
    return signed(SHEETS[name](results), corpus)


def sheets(results: Results, corpus: str) -> Iterator[Sheet]:
    """Every table that has something to say, long ones cut."""
    for make in SHEETS.values():
        made = make(results)
        if made.rows and not made.detail:
            yield signed(_cut(made, results), corpus)


def _cut(made: Sheet, results: Results) -> Sheet:
    whole = results["cut"].get(made.name, len(made.rows))
    more = whole - min(SHOWN, len(made.rows))
    if not more or made.name not in _LONG:
        return made
    note = f"{more} more: --table {made.name}"
    return replace(made, rows=made.rows[:SHOWN], more=more, notes=(note, *made.notes))


def signed(made: Sheet, corpus: str) -> Sheet:
    """A table with what it is of, and the version that made it, under it."""
    return replace(made, notes=(*made.notes, f"{corpus}, gateview {__version__}."))


_LONG = ("unmet_run", "moves", "let_through", "blocks", "differ", "signed", "left_out", "unreadable")
