"""What a person says of blocks: written at once, and taken back step by step."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from gatecore.ledger.records import Triage
from gateview.store.tail import Tailer
from gateview.store.triage import Block
from gateview.store.triage_log import TriageLog


class Written(NamedTuple):
    """What became of one write: the blocks whose verdict is on disk, and what went wrong or otherwise."""

    blocks: tuple[Block, ...] = ()
    failures: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()


class Judge:
    """Says things of blocks under the author's name."""

    def __init__(self, log: TriageLog, tailer: Tailer) -> None:
        self._log = log
        self._tailer = tailer
        self._steps: list[tuple[Block, ...]] = []  # what each key wrote on, with what was said before

    @property
    def can_undo(self) -> bool:
        """Whether anything was said."""
        return bool(self._steps)

    def say(self, blocks: Sequence[Block], said: Triage) -> Written:
        """Write what is said of `blocks`, of which it is not said already."""
        written = self._append([(b, said) for b in blocks if not b.said or _words(b.said) != _words(said)])
        if written.blocks:
            self._steps.append(written.blocks)
        return written

    def undo(self) -> Written:
        """Say again what was said before the last key; nothing in a file is changed, a line is added."""
        return self._append([(before, before.said or Triage(verdict=None)) for before in self._steps.pop()])

    def _append(self, sayings: Sequence[tuple[Block, Triage]]) -> Written:
        blocks, failures, remarks = [], [], []
        for block, said in sayings:
            run = self._tailer.path(block.key)
            if run is None:
                failures.append(f"{block.key} is no longer there")
                continue
            try:
                file = self._log.append(run, block, said)
            except OSError as err:
                failures.append(f"{block.key}: not written: {err.strerror or err}")
                continue
            blocks.append(block)
            self._tailer.hurry(block.key)
            if file.parent != run:
                remarks.append(_kept_in(block, file))
        return Written(tuple(blocks), tuple(failures), tuple(remarks))


def _kept_in(block: Block, file: Path) -> str:
    return f"{block.key} cannot be written to; kept in {file}"


def _words(said: Triage) -> tuple[str | None, str | None, str]:
    return said.verdict, said.cause, said.note
