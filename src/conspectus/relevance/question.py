"""A question as its terms, its parts and what kind of answer it wants; it looks at no candidate."""

import re
from collections import Counter
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from conspectus.text.stems import stem
from conspectus.text.words import query_terms, terms

_LEAST_PART = 4
_PARTS = re.compile(
    r"(?<=[.!?;])\s+|(?<=[。！？；])|\n+|\b(?:and then|then|after that|also|next|finally|additionally)\b", re.IGNORECASE
)
_WHEN = re.compile(
    r"\bwhen\b|\b(?:what|which) (?:year|month|week|date|day|time)\b|\bhow long\b"
    r"|什么时候|何时|哪一?[年天日月]|几月|几号|多久|时间",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is looked for.

    Attributes:
        text: the question, in lower case.
        stems: stems of its terms, without function words unless there is nothing else.
        weights: of each stem, float64: the root of how often the question has it.
        parts: for each sentence or clause of a question of several, which of the stems it has.
        asks_when: whether a time would answer it.
    """

    text: str
    stems: tuple[str, ...]
    weights: NDArray[np.float64]
    parts: tuple[NDArray[np.bool_], ...]
    asks_when: bool


def read_question(text: str) -> Question:
    """Take a question apart."""
    wanted = dict.fromkeys(map(stem, query_terms(text)))
    counts = Counter(map(stem, terms(text)))
    stems = tuple(wanted)
    split = [part for part in _PARTS.split(text) if len(part.strip()) >= _LEAST_PART]
    parts = [frozenset(stem(term) for term in terms(part)) for part in split]
    return Question(
        text=text.lower(),
        stems=stems,
        weights=np.sqrt(np.array([counts[name] for name in stems], dtype=np.float64)),
        parts=tuple(np.array([name in part for name in stems], dtype=np.bool_) for part in parts if len(parts) > 1),
        asks_when=_WHEN.search(text) is not None,
    )
