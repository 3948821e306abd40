"""Digest run directories."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from gatecore.analysis.digest import Digest, digest
from gatecore.ledger.once import read_once
from gatecore.ledger.reader import Signature
from gatecore.ledger.records import Score, Triage
from gatecore.ledger.verdicts import verdicts


class Found(NamedTuple):
    """A run directory's digest, its score as it stands, and what the files were (empty: not to be kept)."""

    digest: Digest
    score: Score | None
    signatures: dict[str, Signature]


def read_digest(folder: str, more: Sequence[Triage] = ()) -> Found | None:
    """Digest the run directory `folder`; None when it is none. `more` are verdicts that are kept elsewhere."""
    read = read_once(folder)
    if read is None:
        return None
    run = read.run
    said = verdicts(run, Path(folder), more) if run.triage or more else None
    return Found(digest(run, said), run.score, read.signatures)
