"""Digest run directories."""

from pathlib import Path
from typing import NamedTuple

from gatecore.analysis.digest import Digest, digest
from gatecore.ledger.once import read_once
from gatecore.ledger.reader import Signature
from gatecore.ledger.records import Score, Signoff, Triage
from gatecore.ledger.signoffs import words_of
from gatecore.ledger.verdicts import verdicts


class Found(NamedTuple):
    """A run directory's digest, its score as it stands, and what the files were (empty: not to be kept)."""

    digest: Digest
    score: Score | None
    signatures: dict[str, Signature]


class Away(NamedTuple):
    """What people said of a run and could not be written into its directory."""

    triage: tuple[Triage, ...] = ()
    signoffs: tuple[Signoff, ...] = ()


NOTHING_AWAY = Away()


def read_digest(folder: str, away: Away = NOTHING_AWAY) -> Found | None:
    """Digest the run directory `folder`; None when it is none. `away` is what is kept elsewhere of it."""
    read = read_once(folder)
    if read is None:
        return None
    run = read.run
    said = verdicts(run, Path(folder), away.triage) if run.triage or away.triage else None
    words = words_of(run, Path(folder), away.signoffs) if run.signoffs or away.signoffs else None
    return Found(digest(run, said, words), run.score, read.signatures)
