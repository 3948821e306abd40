"""How a run ended, and whether it counts."""

from gatecore.ledger.alarms import alarms
from gatecore.ledger.packed import Packed
from gatecore.ledger.records import Score
from gatecore.ledger.run import Run


class LeftOut(Packed, frozen=True):
    """Why a run is not in the original's columns; `kind` is tagged, invalid, unread or unscored."""

    kind: str
    why: str

    @property
    def counted(self) -> bool:
        """Whether its stops are in the tallies all the same."""
        return self.kind in ("unread", "unscored")


class Ending(Packed, frozen=True):
    """What of a run's end a person should look at. None is unknown."""

    ended_blocked: bool
    cut: str | None  # what of the client's ended it: "cap" on blocks, or "limit" of turns or money
    no_result_line: bool
    wrong_model: bool
    hunted: int | None
    tampered: bool | None
    alarms: tuple[str, ...]


def ending(run: Run) -> Ending | None:
    """How `run` ended; None when there is nothing to say (no score, no alarm, nothing tampered with)."""
    score, found, changed = run.score, alarms(run), _tampered(run)
    if score is None:
        return Ending(False, None, False, False, None, changed, found) if found or changed else None
    return Ending(
        bool(score.ended_blocked),
        _cut(score),
        score.has_result_line is False,
        bool(score.has_result_line) and score.model_ok is False,
        score.hunted,
        changed,
        found,
    )


def why_left_out(run: Run) -> LeftOut | None:
    """Why `run` is not in the original's columns; None when it is."""
    if run.tag is not None:
        return LeftOut("tagged", f"tagged: {run.tag.lstrip('-')}")
    if run.invalid is not None:
        return LeftOut("invalid", f"invalid, ended by an outage: {run.invalid}")
    if run.score is not None:
        return None
    for loss in run.losses:
        if loss.line is None and not loss.fields_only and loss.file in ("score.json", "."):
            return LeftOut("unread", f"no score.json that can be read: {loss.why}")
    why = "it ended unscored" if run.over else "still running, or died"
    return LeftOut("unscored", f"no score.json: {why}")


def _cut(score: Score) -> str | None:
    """The client ends a turn in success although the hook blocks once its own cap on blocks is reached."""
    if (score.subtype or "").startswith("error_max"):
        return "limit"
    return "cap" if score.ended_blocked and score.subtype == "success" and not score.is_error else None


def _tampered(run: Run) -> bool | None:
    """Whether a guarded file changed; None when the harness that wrote the run does not look."""
    if run.score and run.score.tampered:
        return True
    looks = bool(run.meta and run.meta.harness)
    for entry in run.entries:
        if entry.stop.tampered:
            return True
        looks = looks or entry.stop.v is not None
    return False if looks else None
