"""How often each stem of a question stands in each text and in its heading; it weighs nothing."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from conspectus.text.postings import match_any
from conspectus.text.stems import forms


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One field of n texts against the q stems of a question.

    Attributes:
        counts: occurrences, float64, shape (n, q).
        lengths: terms of each text, float64, shape (n,).
    """

    counts: NDArray[np.float64]
    lengths: NDArray[np.float64]


def match_stems(texts: Sequence[str], stems: Sequence[str]) -> Field:
    """Count every form of each of the `stems` in all `texts`."""
    found = match_any(texts, [forms(name) for name in stems])
    return Field(counts=found.tf.astype(np.float64), lengths=found.lengths.astype(np.float64))
