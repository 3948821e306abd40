"""`gateview report --replay`: a replay against what was recorded."""

import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from gatecore import __version__
from gatecore.analysis.replays import figures
from gatecore.ledger.folders import NoRunsError, find_runs
from gatecore.ledger.reader import read_run
from gatecore.ledger.replays import Replay, read_replay, replays_of
from gatecore.ledger.run import Run
from gatecore.text import line
from gateview.report.sheet import Cell, Number, Rate, Sheet, Span, number, summed
from gateview.report.write import Format, draw, print_sheet, unfailing

_SHOWN = 20
_WORST = 5
_CLASSES = ("right", "false", "missed", "clean")
_RATES = ("precision", "precision by tasks", "sensitivity", "sensitivity by tasks")
_CHANGE = {
    ("missed", "right"): "better: caught now",
    ("right", "missed"): "worse: missed now",
    ("clean", "false"): "worse: a false block now",
    ("false", "clean"): "better: no false block now",
}
_THEN = {"then": "recorded", "now": "replay"}
_LIMIT = (
    "What this cannot show: after the first decision that differs from the recorded one, the agent would have gone "
    "another way; later stops are those of the agent as it was told then. Up to it nothing differs, so first stops "
    "are given apart. What the agent would have made of another reason, neither table knows."
)


def print_replay(folders: Sequence[Path], name: str, format: Format, table: str | None) -> int:  # noqa: A002
    """Print the replay `name` of the runs in `folders` on stdout; return the exit code, 2 for wrong use."""
    try:
        runs, replays, left_out = _read(folders, name)
        if table and table not in SHEETS:
            raise NoRunsError(f"a replay has no table {table}; tables: {', '.join(SHEETS)}")
        if format in ("csv", "parquet") and not table:
            raise NoRunsError(f"{format} holds one table: name it with --table, one of {', '.join(SHEETS)}")
    except NoRunsError as err:
        print(f"gateview report: {line(str(err))}", file=sys.stderr)
        return 2
    found = figures(name, runs, replays) | {"left_out": left_out}
    corpus = f"Replay {name} of {', '.join(map(str, folders))}: {_corpus(found)}, gateview {__version__}."
    out = unfailing(sys.stdout)
    if table:
        print_sheet(_signed(SHEETS[table](found), corpus), format, out)
    elif format == "json":
        out.write(json.dumps({**found, "corpus": corpus, "version": __version__}, indent=2) + "\n")
    elif format == "md":
        from gateview.report.markdown import markdown

        out.write(markdown(sheets(found, corpus)))
    else:
        draw(sheets(found, corpus), out)
    return 0


def sheets(found: Mapping[str, Any], corpus: str) -> Iterator[Sheet]:
    """Every table that has something to say, long ones cut."""
    for name, make in SHEETS.items():
        made = make(found)
        if made.rows:
            more = len(made.rows) - _SHOWN
            notes = (f"{more} more: --table {name}", *made.notes) if more > 0 else made.notes
            yield _signed(replace(made, rows=made.rows[:_SHOWN], notes=notes, more=max(0, more)), corpus)


def _read(folders: Sequence[Path], name: str) -> tuple[dict[str, Run], dict[str, Replay], dict[str, str]]:
    """Runs that count, with their replay; and why others that have it are left out. Raises NoRunsError."""
    runs, replays, left_out, names = dict[str, Run](), dict[str, Replay](), dict[str, str](), set[str]()
    for key, path in find_runs(folders).items():
        replay = read_replay(path, name)
        if replay is None:
            names.update(replays_of(path))
            continue
        run = read_run(path)
        if run.counted:
            runs[key], replays[key] = run, replay
        else:
            left_out[key] = "invalid" if run.invalid else "tagged"
    if not replays:
        there = f"there are: {', '.join(sorted(names))}" if names else "`gatecore replay` makes one"
        why = f", but of {len(left_out)} runs that are left out" if left_out else ""
        raise NoRunsError(f"no replay {name} of a run that counts there{why}; {there}")
    return runs, replays, left_out


def _corpus(found: Mapping[str, Any]) -> str:
    stops = found["stops"]
    parts = [f"{found['runs']} runs, {stops['judged']} stops judged again"]
    parts += [f"{stops['not_replayed']} not replayed"] if stops["not_replayed"] else []
    parts += [f"{stops['pending']} not reached yet"] if stops["pending"] else []
    parts += [f"{len(found['left_out'])} runs left out"] if found["left_out"] else []
    parts += [f"{found['unreadable']} lines unreadable"] if found["unreadable"] else []
    parts += ["of different settings"] if found["mixed"] else []
    return ", ".join(parts)


def classes(found: Mapping[str, Any]) -> Sheet:
    """Stops by their class then and by the replay's oracle."""
    kinds = list(dict.fromkeys(kind for row in found["classes"] for kind in row["now"]))
    rows = tuple(
        (row["then"].replace("_", " "), row["stops"], *(row["now"].get(kind, 0) for kind in kinds))
        for row in found["classes"]
    )
    asked, stops = found["asked"], sum(row["stops"] for row in found["classes"])
    by = f"oracle {asked['oracle']}" if asked["oracle"] else "recorded labels, no oracle was asked"
    unit = (
        f"{len(found['changed'])} of {stops} stops changed class, {found['other_unmet']} others have other unmet "
        "requirements. Unit: recorded stop, decided as it was; a row is "
        f"its class at the time, a column its class now ({by}). flaky: the oracle, or the gate that blocked, both "
        "passed and failed on that tree."
    )
    head = ("class then", "stops", *(f"now {kind.replace('_', ' ')}" for kind in kinds))
    return Sheet("classes", "Labels then and now", head, rows, notes=(unit, *_repeated(found)))


def changed(found: Mapping[str, Any]) -> Sheet:
    """Stops whose class changed, by name."""
    rows = tuple(
        (
            x["run"],
            _n(x["n"]),
            x["gate"] or "",
            x["then"].replace("_", " "),
            x["now"].replace("_", " "),
            _reqs(x["unmet_then"]),
            _reqs(x["unmet_now"]),
        )
        for x in found["changed"]
    )
    head = ("run", "stop", "blocked by", "then", "now", "unmet then", "unmet now")
    blocks = sum(1 for x in found["changed"] if x["gate"])
    unit = f"Unit: recorded stop whose class changed; {blocks} of {len(rows)} are blocks, which come first."
    return Sheet("changed", "Stops that changed class", head, rows, 7, (unit,))


def gates(found: Mapping[str, Any]) -> Sheet:
    """Each gate by verdicts and labels of the time and of the replay."""
    rows = tuple((x["gate"], _THEN[x["verdicts"]], _THEN[x["labels"]], *_judged(x)) for x in found["gates"])
    unit = (
        "Unit: stop that the gate judged, whatever was decided; the rows of one gate are over the same stops. "
        "verdicts: what the gate said at the time, or in the replay; labels: the oracle's at the time, or the "
        "replay's. precision = right / (right + false), sensitivity = right / (right + missed)."
    )
    head = ("gate", "verdicts", "labels", "stops", *_CLASSES, *_RATES)
    return Sheet("gates", "Each gate, then and now", head, rows, 3, (unit,))


def differ(found: Mapping[str, Any]) -> Sheet:
    """Stops at which a gate says something else than at the time, by name."""
    rows = tuple(
        (
            x["gate"],
            x["run"],
            _n(x["n"]),
            x["then"],
            x["now"].replace("_", " "),
            _CHANGE.get((x["class_then"], x["class_now"]), ""),
            x["tests"] or "",
        )
        for x in found["differ"]
    )
    unit = "Unit: stop at which the gate's verdict differs from the recorded one; judged by the newest label."
    head = ("gate", "run", "stop", "said then", "says now", "which is", "acceptance tests of")
    return Sheet("differ", "Stops where a gate says otherwise", head, rows, 7, (unit,))


def variants(found: Mapping[str, Any]) -> Sheet:
    """Every rule over the replayed gates, on the same stops."""
    notes = (*_paired(found, "variants"), _LIMIT)
    return Sheet("variants", "Gates on the same stops", _HEAD, _rows(found, "variants"), notes=notes)


def first(found: Mapping[str, Any]) -> Sheet:
    """The same over first stops."""
    notes = ("First stops of runs: no decision of a gate came before them.", *_paired(found, "first"))
    return Sheet("first", "Gates on first stops", _HEAD, _rows(found, "first"), notes=notes)


def flaky(found: Mapping[str, Any]) -> Sheet:
    """Checks and gates that said both things of one tree, and tests that ended in more than one way."""
    rows = tuple(
        (
            x["run"],
            _n(x["n"]),
            x["check"],
            ", ".join(f"{verdict.replace('_', ' ')} {n}" for verdict, n in sorted(x["outcomes"].items())),
            "both" if x["both"] else "tests only",
            x["kind"].replace("_", " "),
            ", ".join(x["tests"]),
        )
        for x in found["flaky"]
    )
    unit = (
        "Unit: check or gate at a stop, judged several times on one tree. both: it passed and it failed; what "
        "rests on it is flaky and outside every rate. Elsewhere the first time counts; nothing is tried again "
        "until it passes."
    )
    head = ("run", "stop", "check", "outcomes", "verdict", "class then", "tests that differ")
    worst = tuple(
        f"{x['task']} {x['check']}: {x['test']} differed at {x['stops']} of {x['of']} stops; elsewhere it may too."
        for x in found["flaky_tests"][:_WORST]
    )
    return Sheet("flaky", "Flaky checks", head, rows, 7, (*worst, unit))


def not_replayed(found: Mapping[str, Any]) -> Sheet:
    """Stops that could not be judged again."""
    rows = tuple((x["run"], _n(x["n"]), x["why"]) for x in found["not_replayed"])
    return Sheet("not_replayed", "Stops not replayed", ("run", "stop", "why"), rows, 3)


SHEETS: dict[str, Callable[[Mapping[str, Any]], Sheet]] = {
    "classes": classes,
    "changed": changed,
    "gates": gates,
    "differ": differ,
    "variants": variants,
    "first": first,
    "flaky": flaky,
    "not_replayed": not_replayed,
}
"""Every table of a replay by its name, in the order in which they are shown."""
_HEAD = (
    "rule", "stops", *_CLASSES, *_RATES, "right more", "right fewer", "false more", "false fewer", "$",
    "$ per right block", "min waited",
)  # fmt: skip


def _rows(found: Mapping[str, Any], name: str) -> tuple[tuple[Cell, ...], ...]:
    return tuple(
        (
            x["variant"],
            *_judged(x),
            *(_difference(x[key]) for key in ("more_right", "fewer_right", "more_false", "fewer_false")),
            summed(x["cost_known_usd"], x["cost_unknown"], 2),
            summed(x["cost_known_usd"], x["cost_unknown"], 2, per=x["right"]),
            summed(x["waited_known_s"] / 60, x["waited_unknown"], 1),
        )
        for x in found[name]["rows"]
    )


def _judged(x: Mapping[str, Any]) -> Iterator[Cell]:
    yield x["stops"]
    yield from (x[kind] for kind in _CLASSES)
    for rate in (x["precision"], x["sensitivity"]):
        yield Rate(rate["k"], rate["n"])
        yield Span(rate["task_low"], rate["task_high"]) if rate["tasks"] > 1 else Span(None, None)


def _paired(found: Mapping[str, Any], name: str) -> Iterator[str]:
    paired = found[name]
    left = ", ".join(f"{why} {n}" for why, n in sorted(paired["left_out"].items()))
    yield (
        f"Unit: recorded stop; every row is over the same {paired['stops']} stops"
        f"{f' (outside: {left})' if left else ''}. as recorded: what was decided then, a block that was given up "
        "as a block. A gate that is skipped by rule has no say. right more, fewer and false more, fewer: stops "
        "decided otherwise than then. $ and min: of the gates that the rule has to ask, the writer once a run; "
        "what a rule need not ask costs nothing."
    )
    yield from _repeated(found)
    if advice := paired.get("advice"):
        yield (
            f"Advice: {advice['blocks_with_findings']} of {advice['blocks']} blocks carry findings of another "
            f"gate; at {advice['red_let_go_with_findings']} red stops that are let go its findings reach nobody."
        )
    if tests := found["tests"]:
        whose = ", ".join(f"{name} {n}" for name, n in sorted(tests.items(), key=lambda x: (-x[1], x[0])))
        yield f"Acceptance tests at these stops, by where they were written: {whose}."


def _repeated(found: Mapping[str, Any]) -> Iterator[str]:
    times = found["asked"]["repeat"] or 1
    if times > 1:
        both = sum(1 for x in found["flaky"] if x["both"])
        found_out = f"{both} times a check or gate" if both else "no check or gate"
        yield (
            f"Each tree was judged {times} times: {found_out} both passed and failed on one tree. "
            "Verdicts, $ and min are of the first time."
        )


def _signed(made: Sheet, corpus: str) -> Sheet:
    return replace(made, notes=(*made.notes, corpus))


def _difference(value: int | None) -> Cell:
    return number(value, 0, none="")


def _n(n: int | None) -> Cell:
    return Number(n, "?" if n is None else str(n))


def _reqs(names: Sequence[str] | None) -> str:
    return "?" if names is None else ", ".join(names) or "none"
