"""A replay against what was recorded: labels then and now, and gates on the same stops.

Classes are those of `gatecore.ledger.classes`, sums those of `gatecore.ledger.tallies`. A verdict that several
repetitions do not agree on is `flaky`: outside every rate, and counted.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from gatecore.analysis.variants import FLAKY, Judged, counts, variants
from gatecore.ledger.classes import GATES, STOP_CLASSES, against_oracle, classed_stops
from gatecore.ledger.order import natural
from gatecore.ledger.replays import Key, Replay
from gatecore.ledger.run import Run

_SAID = ("pass", "fail")


class Corpus(NamedTuple):
    """The stops of the runs that count: judged again, not to be judged again (with why), and not reached yet."""

    judged: tuple[Judged, ...]
    not_replayed: tuple[tuple[str, int | None, str], ...]
    pending: tuple[tuple[str, int | None], ...]


def corpus(runs: Mapping[str, Run], replays: Mapping[str, Replay]) -> Corpus:
    """Put recorded stops and what the replay says of them together; of runs that the replay has begun."""
    judged: list[Judged] = []
    lost: list[tuple[str, int | None, str]] = []
    pending: list[tuple[str, int | None]] = []
    for key in sorted(replays, key=natural):
        run, replay = runs[key], replays[key]
        for place, stop in enumerate(classed_stops(run)):
            where: Key = (stop.entry.line if stop.entry else None, stop.n)
            new = replay.stops.get(where)
            if new is None:
                pending.append((key, stop.n))
            elif not new.replayed:
                lost.append((key, stop.n, new.why or "?"))
            else:
                old = stop.entry.stop if stop.entry else None
                judged.append(Judged(key, run.task, stop.n, place == 0, stop.kind, old, new))
    return Corpus(tuple(judged), tuple(lost), tuple(pending))


def figures(name: str, runs: Mapping[str, Run], replays: Mapping[str, Replay]) -> dict[str, Any]:
    """All figures of the replay `name` over the runs that count, by key; what is not known is None."""
    found = corpus(runs, replays)
    metas = [replay.meta for replay in replays.values()]
    gates = [gate for gate in GATES if any(gate in meta.names for meta in metas)]
    meta = metas[0]
    first = [stop for stop in found.judged if stop.first]
    writers = {key: run.writer.cost_usd if run.writer else None for key, run in runs.items() if run.writer}
    return {
        "name": name,
        "asked": {
            "oracle": meta.oracle,
            "cfg": meta.cfg,
            "gates": meta.gates,
            "tests": meta.tests,
            "repeat": meta.repeat,
        },
        "mixed": len({tuple(sorted(meta.settings.items())) for meta in metas}) > 1,
        "runs": len(replays),
        "stops": {
            "judged": len(found.judged),
            "not_replayed": len(found.not_replayed),
            "pending": len(found.pending),
        },
        "unreadable": sum(replay.unreadable for replay in replays.values()),
        "sources": dict(Counter(stop.new.source or "?" for stop in found.judged)),
        "tests": dict(Counter(stop.new.tests for stop in found.judged if stop.new.tests)),
        "classes": _classes(found.judged),
        "changed": list(_changed(found.judged)),
        "other_unmet": sum(map(_other_unmet, found.judged)),
        "differ": list(_differ(found.judged, gates)),
        "gates": list(_then_and_now(found.judged, gates)),
        "variants": variants(found.judged, gates, writers),
        "first": variants(first, gates, writers),
        "flaky": list(_flaky(found.judged)),
        "flaky_tests": _flaky_tests(found.judged),
        "not_replayed": [{"run": key, "n": n, "why": why} for key, n, why in found.not_replayed],
        "pending": [{"run": key, "n": n} for key, n in found.pending],
    }


def _classes(stops: Iterable[Judged]) -> list[dict[str, Any]]:
    """Empty where nothing could change: no oracle was asked, and nothing is flaky."""
    stops = list(stops)
    if all(stop.new.hidden is None and not stop.new.flaky for stop in stops):
        return []
    times = Counter((stop.kind, stop.kind_now) for stop in stops)
    kinds = [kind for kind in STOP_CLASSES if any(old == kind for old, _ in times)]
    return [
        {"then": kind, "stops": sum(n for (old, _), n in times.items() if old == kind)}
        | {"now": {new: n for new in (*STOP_CLASSES, FLAKY) if (n := times[kind, new])}}
        for kind in kinds
    ]


def _changed(stops: Iterable[Judged]) -> Iterator[dict[str, Any]]:
    """Stops of another class than at the time, blocks first."""
    changed = [stop for stop in stops if stop.kind != stop.kind_now]
    for stop in sorted(changed, key=lambda stop: not _blocked(stop)):
        yield {
            "run": stop.run,
            "n": stop.n,
            "gate": stop.old.blocked_by if stop.old and _blocked(stop) else None,
            "then": stop.kind,
            "now": stop.kind_now,
            "unmet_then": list(stop.old.hidden.failed_reqs) if stop.old and stop.old.hidden else None,
            "unmet_now": list(stop.new.hidden.failed_reqs) if stop.new.hidden else None,
        }


def _other_unmet(stop: Judged) -> bool:
    """Whether other requirements are unmet now, at a stop of the same class."""
    then, now = stop.old.hidden if stop.old else None, stop.new.hidden
    same = stop.kind == stop.kind_now
    return bool(same and then and now and set(then.failed_reqs) != set(now.failed_reqs))


def _blocked(stop: Judged) -> bool:
    return stop.decided == "block"


def _differ(stops: Iterable[Judged], replayed: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Stops at which a gate says something else than at the time."""
    for gate in replayed:
        for stop in stops:
            then, now = stop.then(gate), stop.now(gate)
            if then in _SAID and now != then:
                yield {
                    "gate": gate,
                    "run": stop.run,
                    "n": stop.n,
                    "then": then,
                    "now": now or "?",
                    "class_then": against_oracle(then, stop.red),
                    "class_now": against_oracle(now, stop.red) if now in _SAID else None,
                    "tests": stop.new.tests if gate == "g1" else None,
                }


def _then_and_now(stops: Sequence[Judged], replayed: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Each gate by its verdicts and by labels, of the time and now, each time over the same stops."""
    for gate in GATES:
        again = gate in replayed
        said = [s for s in stops if s.then(gate) in _SAID and s.red is not None]
        said = [s for s in said if s.now(gate) in _SAID] if again else said
        relabelled = any(stop.new.hidden is not None for stop in said)
        if relabelled:
            said = [stop for stop in said if stop.red_then is not None]
        rows = [("then", "then")] if relabelled else []
        rows += [("then", "now")] if relabelled or again else []
        rows += [("now", "now")] if again else []
        for verdicts, labels in rows if said else ():
            classes = [
                (
                    stop.task,
                    against_oracle(
                        stop.then(gate) if verdicts == "then" else stop.now(gate),
                        stop.red_then if labels == "then" else stop.red,
                    ),
                )
                for stop in said
            ]
            yield {"gate": gate, "verdicts": verdicts, "labels": labels, **counts(classes)}


def _flaky(stops: Iterable[Judged]) -> Iterator[dict[str, Any]]:
    """Checks and gates that both passed and failed on one tree, and tests that ended in more than one way."""
    for stop in stops:
        names = dict.fromkeys((*stop.new.flaky, *stop.new.flaky_tests))
        for name in names:
            yield {
                "run": stop.run,
                "n": stop.n,
                "check": name,
                "outcomes": stop.new.outcomes.get(name, {}),
                "both": name in stop.new.flaky,
                "kind": stop.kind,
                "tests": list(stop.new.flaky_tests.get(name, ())),
            }


def _flaky_tests(stops: Iterable[Judged]) -> list[dict[str, Any]]:
    """Tests that ended in more than one way on one tree: at how many of their task's stops, the most first."""
    stops = list(stops)
    of = Counter(stop.task for stop in stops)
    found = Counter(
        (stop.task, check, test)
        for stop in stops
        for check, tests in stop.new.flaky_tests.items()
        for test in tests
    )
    return [
        {"task": task, "check": check, "test": test, "stops": n, "of": of[task]}
        for (task, check, test), n in sorted(found.items(), key=lambda item: (-item[1], item[0]))
    ]
