"""All figures of some runs as one JSON-ready mapping: the original harness's keys, and ours beside them."""

from collections.abc import Iterable, Mapping
from typing import Any

from gatecore.analysis.answers import answers
from gatecore.analysis.blocks import Blocks, LetThroughs, Triaged
from gatecore.analysis.cells import Cells, stops_by_class
from gatecore.analysis.comparisons import Pairs
from gatecore.analysis.digest import Digest, digest
from gatecore.analysis.gates import by_gate
from gatecore.analysis.missing import Identity, missing
from gatecore.analysis.outcomes import Outcomes
from gatecore.analysis.requirements import Acceptance, Requirements
from gatecore.analysis.signoff import Signoffs
from gatecore.ledger.records import Score, plain
from gatecore.ledger.run import Run

Results = dict[str, Any]
_OURS = frozenset(("cost_ui_reviewer_usd", "invalid", "hunted", "tampered", "alarm", "state"))
"""Fields that the original harness does not write: left out of a run that does not have them."""


class Corpus:
    """Sums over runs, taken in one by one in any order: from them come all figures of a report."""

    def __init__(self) -> None:
        self._cells = Cells()
        self._pairs = Pairs()
        self._outcomes = Outcomes()
        self._requirements = Requirements()
        self._acceptance = Acceptance()
        self._blocks = Blocks()
        self._let_through = LetThroughs()
        self._triaged = Triaged()
        self._signoffs = Signoffs()
        self._keys: set[str] = set()
        self._identities: set[Identity] = set()

    def add(self, key: str, digest: Digest) -> None:
        """Take in one run by its key."""
        self._keys.add(key)
        self._outcomes.add(key, digest)
        if not digest.counted:
            return
        self._identities.add((digest.task, digest.cfg, digest.rep))
        self._cells.add(digest)
        self._requirements.add(key, digest)
        self._acceptance.add(digest)
        self._blocks.add(key, digest)
        self._let_through.add(key, digest)
        self._triaged.add(key, digest)
        self._signoffs.add(key, digest)
        if digest.row:
            self._pairs.add(key, digest)

    def results(
        self, scores: Iterable[Score] = (), planned: Iterable[str] = (), most: int | None = None
    ) -> Results:
        """Return the figures over the runs taken in.

        Keys of the original: `n_runs`, `by_cfg`, `by_task` (task -> config), `by_task_all`, `answers`, `runs`
        (`scores` as they are), over every run that is scored and counts. Added: `by_cfg.<cfg>` and
        `by_task_all.<task>` have `stops` (class -> count, over every run that counts, scored or not) and
        `unknown` (key -> runs left out of that figure); `by_gate`, `outcomes`, `left_out` (run -> why),
        `unreadable`, `unmet` (requirements left at the end), `comparisons`, `requirements`, `acceptance`,
        `let_through`, `blocks`, `triage`, `signoff`, `losses`, `planned` (how many runs, and which are not there)
        and `missing` (runs that would complete the grid of the others).
        With `most`, lists that may be long are cut there, and `cut` says how long they are.
        """
        cells = self._cells
        cfgs, tasks, whole = cells.cfgs, cells.tasks, cells.tally()
        tallies = {cfg: cells.tally(cfg=cfg) for cfg in cfgs}
        by_cfg = {cfg: {**cells.summary(cfg=cfg), "stops": stops_by_class(tallies[cfg])} for cfg in cfgs}
        comparisons = self._pairs.comparisons()
        planned = list(planned)
        return {
            "n_runs": sum(figures["runs"] for figures in by_cfg.values()),
            "by_cfg": by_cfg,
            "by_task": {task: {cfg: _cell(cells, task, cfg) for cfg in cfgs} for task in tasks},
            "by_task_all": {
                task: {**cells.summary(task=task), "stops": stops_by_class(cells.tally(task=task))}
                for task in tasks
            },
            "by_gate": by_gate(cells, comparisons),
            "answers": answers(by_cfg, [cfg for cfg in cfgs if "g1" in tallies[cfg].gates]),
            "outcomes": self._outcomes.figures(whole),
            "unmet": self._requirements.left(most),
            "comparisons": comparisons,
            "requirements": self._requirements.figures(),
            "acceptance": self._acceptance.figures(),
            "let_through": {
                "by_requirement": self._let_through.by_requirement(),
                "findings": self._let_through.findings(most),
            },
            "blocks": self._blocks.figures(most),
            "triage": self._triaged.figures(),
            "signoff": self._signoffs.figures(),
            "planned": {"runs": len(planned), "absent": [run for run in planned if run not in self._keys]},
            "missing": missing(self._identities, {key.rpartition("/")[2] for key in self._keys}),
            "left_out": self._outcomes.left_out(),
            "left_out_kinds": self._outcomes.left_out_kinds(),
            "unreadable": self._outcomes.unreadable(),
            "losses": self._outcomes.losses(),
            "cut": {} if most is None else self._whole(),
            "runs": [plain(score, without=_OURS) for score in scores],
        }

    def _whole(self) -> dict[str, int]:
        return {
            "let_through": len(self._let_through),
            "blocks": len(self._blocks),
            "unmet_run": self._requirements.runs_left,
        }


def results(runs: Mapping[str, Run]) -> Results:
    """Return the figures over `runs`, by key, as `Corpus.results` has them; their order does not matter."""
    corpus = Corpus()
    for key, run in runs.items():
        corpus.add(key, digest(run))
    counted = (runs[key] for key in sorted(runs) if runs[key].counted)
    return corpus.results(run.score for run in counted if run.score)


def _cell(cells: Cells, task: str, cfg: str) -> dict[str, Any] | None:
    figures = cells.summary(task=task, cfg=cfg)
    del figures["unknown"]
    return figures if figures["runs"] else None
