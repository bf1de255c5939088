"""Estimates for vocabularies nobody has published: OpenAI's count of the same text, weighed by what a text is made of.

The weights were fitted to ctok 1.1.0, S. Land's reconstruction of Claude's counts, over code, JSON, emoji, digits,
capitals and prose in 35 languages; docs/counting.md has the table. They err upwards, and the margin covers German.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import accumulate, pairwise

import numpy as np
import regex
from numpy.typing import NDArray

from conspectus.core.ports import Tokenizer
from conspectus.errors import ModelUnavailable

_SEAM = re.compile(r"(?<=\n\n)(?=[<\[])")
_CAPITALS = re.compile(r"[A-Z]{2,}")
_INDENT = re.compile(r"[ \t]{9,}")


@cache
def _scripts() -> dict[str, regex.Pattern[str]]:
    """Characters by the weight they have; compiled when first needed, for it takes long."""
    patterns = {
        "kanji": r"[\p{Han}\p{Hiragana}\p{Katakana}]",
        "accent": r"[\p{Latin}--[\x00-\x7f]]",
        "cyrillic": r"\p{Cyrillic}",
        "letter": r"[[\p{L}\p{M}]--[\p{Latin}\p{Cyrillic}\p{Han}\p{Hiragana}\p{Katakana}]]",
        "picture": r"[\p{Extended_Pictographic}\U0001F1E6-\U0001F1FF\U0001F3FB-\U0001F3FF]",
    }
    return {name: regex.compile(pattern, regex.VERSION1) for name, pattern in patterns.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """Tokens of an unpublished vocabulary for each measured thing.

    Attributes:
        revision: of these figures.
        token: for each token of o200k_base.
        kanji: more for each Han character and kana.
        accent: more for each Latin letter outside ASCII.
        cyrillic: more for each Cyrillic letter.
        letter: more for each letter of any other script, Hangul among them.
        picture: more for each emoji.
        capital: more for each letter of a run of capitals.
        indent: more for each run of nine blanks and more.
        margin: largest share by which a text may have more tokens than estimated.
    """

    revision: str
    token: float
    kanji: float
    accent: float
    cyrillic: float
    letter: float
    picture: float
    capital: float
    indent: float
    margin: float


CLAUDE_3 = Weights(
    revision="claude-3-estimate-1",
    token=1.3,
    kanji=0.15,
    accent=0.7,
    cyrillic=0.1,
    letter=0.45,
    picture=0.7,
    capital=0.1,
    indent=1.0,
    margin=0.3,
)
"""Claude 3 to Opus 4.6 and Sonnet 4.6."""

CLAUDE_5 = Weights(
    revision="claude-5-estimate-1",
    token=1.6,
    kanji=0.05,
    accent=0.5,
    cyrillic=0.0,
    letter=0.3,
    picture=0.3,
    capital=0.55,
    indent=1.0,
    margin=0.5,
)
"""From Opus 4.7 and Sonnet 5 on, whose vocabulary makes about 30 % more tokens of the same text."""


class EstimatingTokenizer:
    """Counts, but cannot encode. A text is estimated between the seams where blocks meet, so that estimates add up."""

    def __init__(self, measure: Tokenizer, weights: Weights) -> None:
        """Take the tokenizer that measures, and the weights."""
        self._measure = measure
        self._weights = weights

    @property
    def revision(self) -> str:
        """Revision of the weights and of what is weighed."""
        return f"{self._weights.revision}+{self._measure.revision}"

    def count(self, text: str) -> int:
        """Estimated tokens of `text`."""
        return int(self.count_many((text,))[0])

    def count_many(self, texts: Sequence[str]) -> NDArray[np.int64]:
        """Estimated tokens of each text, shape (len(texts),)."""
        pieces = [_SEAM.split(text) for text in texts]
        flat = [piece for parts in pieces for piece in parts]
        measured = self._measure.count_many(flat)
        estimates = [self._estimate(piece, count) for piece, count in zip(flat, measured.tolist(), strict=True)]
        sums = [0, *accumulate(estimates)]
        ends = [0, *accumulate(map(len, pieces))]
        return np.array([sums[end] - sums[start] for start, end in pairwise(ends)], dtype=np.int64)

    def encode(self, text: str) -> list[int]:  # noqa: ARG002 - the protocol asks for it
        """Refused: there are no ids to give.

        Raises:
            ModelUnavailable: always.
        """
        raise ModelUnavailable(
            f"the vocabulary behind {self._weights.revision}",
            "is not published, so there are no ids; ask it for counts",
        )

    def _estimate(self, piece: str, count: int) -> int:
        weights = self._weights
        estimate = weights.token * count + weights.capital * sum(map(len, _CAPITALS.findall(piece)))
        estimate += weights.indent * len(_INDENT.findall(piece))
        if not piece.isascii():
            estimate += sum(
                getattr(weights, name) * len(pattern.findall(piece)) for name, pattern in _scripts().items()
            )
        return math.ceil(estimate)
