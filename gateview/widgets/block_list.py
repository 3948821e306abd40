"""The queue of blocks."""

from collections.abc import Mapping, Sequence
from typing import ClassVar

from gateview.lines.glyphs import Glyphs
from gateview.lines.spans import Spans
from gateview.lines.triage import block_lines
from gateview.messages import RunOpened
from gateview.store.triage import Block
from gateview.widgets.row_list import RowList


class BlockList(RowList[str]):
    """Blocks by their id, two lines each."""

    ROW_HEIGHT: ClassVar[int] = 2

    def __init__(self, glyphs: Glyphs, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._glyphs = glyphs
        self._blocks: Mapping[str, Block] = {}

    def show(self, blocks: Mapping[str, Block], listed: Sequence[str]) -> None:
        """Show the blocks of `listed`; from the first time on the one under the cursor stays there."""
        self._blocks = blocks
        self.set_keys(listed)
        self._at_top = self._at_top and not listed

    def row(self, key: str) -> Sequence[Spans]:
        """One block."""
        block = self._blocks.get(key)
        return block_lines(block, self._glyphs, self.row_width) if block else ()

    def open(self, key: str) -> None:
        """Open the block's run at its stop."""
        block = self._blocks[key]
        self.post_message(RunOpened(block.key, block.place))
