"""What blocks add to a text, each counted once per process; what outlives the process is kept on a higher floor."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from conspectus.core.ports import Tokenizer

MEMORY = 1 << 25
"""Characters of blocks whose counts are remembered before the memory is begun anew."""


class BlockCounter:
    """Tokens of whole texts, and what each block adds to one.

    Some tokenizers write a mark of their own before the first word of a text, or read the blanks at its end otherwise
    than those before a word. They are asked for a block between two texts, whose tokens are taken off again.
    """

    def __init__(self, tokenizer: Tokenizer, around: tuple[str, str] = ("", "")) -> None:
        """Count with `tokenizer`, a block between the two texts `around` it."""
        self.tokenizer = tokenizer
        self._before, self._after = around
        self._taken_off = -1
        self._counts: dict[str, int] = {"": 0}
        self._held = 0

    def count(self, text: str) -> int:
        """Tokens of a whole text, counted afresh."""
        return self.tokenizer.count(text)

    def count_blocks(self, blocks: Sequence[str]) -> NDArray[np.int64]:
        """Tokens each block adds, shape (len(blocks),); an empty block adds none.

        Raises:
            InputError: a block holds a lone surrogate and is no text.
        """
        counts = self._counts
        known = [counts.get(block) for block in blocks]
        if None in known:
            absent = [*dict.fromkeys(block for block, count in zip(blocks, known, strict=True) if count is None)]
            fresh = dict(zip(absent, self._counted(absent), strict=True))
            self._remember(fresh)
            known = [fresh[block] if count is None else count for block, count in zip(blocks, known, strict=True)]
        return np.array(known, dtype=np.int64)

    def _remember(self, fresh: dict[str, int]) -> None:
        self._held += sum(map(len, fresh))
        if self._held > MEMORY:
            self._counts, self._held = {"": 0}, 0
        else:
            self._counts.update(fresh)

    def _counted(self, blocks: Sequence[str]) -> list[int]:
        before, after, count_many = self._before, self._after, self.tokenizer.count_many
        if not before and not after:
            whole: list[int] = count_many(blocks).tolist()
            return whole
        if self._taken_off < 0:
            self._taken_off = self.tokenizer.count(before + after)
        added: list[int] = (count_many([f"{before}{block}{after}" for block in blocks]) - self._taken_off).tolist()
        return added
