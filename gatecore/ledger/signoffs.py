"""Gate 4, the engineer: what was said of the end of a run and of its stops, and what that makes of its result.

The last line on a stop wins, and a null verdict takes it back. A line without a stop is of the end of the run.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from gatecore.ledger.classes import GateClass, against_oracle, oracle_red
from gatecore.ledger.records import Hidden, Score, Signoff
from gatecore.ledger.run import Run
from gatecore.ledger.verdicts import stop_keys

APPROVE, SEND_BACK = "approve", "send_back"
AWAITING, APPROVED, SENT_BACK = "awaiting engineer", "approved", "sent back"
_RESULTS = {APPROVE: APPROVED, SEND_BACK: SENT_BACK}
_VERDICTS = {APPROVE: "pass", SEND_BACK: "fail"}


def last_words(lines: Iterable[Signoff]) -> dict[str | None, Signoff]:
    """The word in force by the key of its stop, None for the end of the run."""
    last = {line.stop_id: line for line in lines}
    return {key: line for key, line in last.items() if line.verdict in _RESULTS}


def words_of(run: Run, folder: Path, more: Iterable[Signoff] = ()) -> dict[int | None, Signoff]:
    """The words in force by line of the ledger, None for the end; `more` are lines kept elsewhere, later ones."""
    words = last_words((*run.signoffs, *more))
    stops = stop_keys(run.entries, folder / "gate.jsonl") if words.keys() - {None} else ()
    lines: dict[str | None, int | None] = {None: None, **{key: entry.line for entry, key in stops}}
    return {lines[key]: word for key, word in words.items() if key in lines}


def result(run: Run, words: Mapping[Any, Signoff]) -> str | None:
    """`APPROVED` or `SENT_BACK`; `AWAITING` while the run is scored and its result held; None where nobody asks.

    Of `words` only the one on the end counts, which is under None.
    """
    word = words.get(None)
    if word:
        return _RESULTS[word.verdict or ""]
    held = run.meta is not None and run.meta.signoff
    return AWAITING if held and run.score is not None and run.invalid is None else None


def engineer_class(word: Signoff, red: bool | None) -> GateClass | None:
    """The engineer's word against the oracle, as a gate's verdict: who sends back what is red is right."""
    return against_oracle(_VERDICTS.get(word.verdict or ""), red)


def red_at_end(score: Score | None) -> bool | None:
    """Whether some requirement is not met at the end of a run; None when no oracle judged it."""
    return oracle_red(Hidden(passed=score.hidden_pass, failed=score.hidden_fail)) if score else None
