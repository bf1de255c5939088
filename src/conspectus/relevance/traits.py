"""What a text is, whatever the question: who speaks, whether it asks, whether it names a time."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from conspectus.relevance.structure import Rows

_NAME = r"[^\W\d_a-z][\w.'’·-]{0,30}"
_SPEAKER = re.compile(rf"(?:\[[^\]\n]{{0,40}}\]\s*)?(?P<name>{_NAME}(?: {_NAME}){{0,2}})[:：](?=\s|[^\x00-\x7f])")
_WORD = re.compile(r"[a-z]+|\b[12]\d{3}\b")
_TIMES = """
yesterday today tonight tomorrow last next ago week weekend month year morning evening since january february march
april june july august september october november december monday tuesday wednesday thursday friday saturday sunday
"""
_TIME_WORDS = frozenset(_TIMES.split())
_WIDE_TIME = re.compile(r"\d+[年月日号]|[昨今明前后去][天年]|[上下]周|星期|世纪")


@dataclass(frozen=True, slots=True, kw_only=True)
class Traits:
    """Traits of some rows of a table of texts.

    Attributes:
        speakers: who says it, in lower case; empty where nobody is named.
        asks: whether it asks something.
        dated: whether it names a time.
    """

    rows: Rows
    speakers: tuple[str, ...]
    asks: NDArray[np.bool_]
    dated: NDArray[np.bool_]


def read_traits(texts: Sequence[str], rows: Rows, *, times: bool) -> Traits:
    """The traits of the texts in `rows`; whether they name a time only where `times` says that it matters."""
    places: list[int] = rows.tolist()
    read = [texts[place] for place in places]
    named = [_SPEAKER.match(text) for text in read]
    bodies = [text[found.end() :] if found else text for text, found in zip(read, named, strict=True)]
    return Traits(
        rows=rows,
        speakers=tuple(found["name"].lower() if found else "" for found in named),
        asks=np.fromiter(("?" in body or "？" in body for body in bodies), np.bool_, len(bodies)),
        dated=np.fromiter((times and _names_time(body) for body in bodies), np.bool_, len(bodies)),
    )


def _names_time(text: str) -> bool:
    words = _WORD.findall(text.lower())
    if not _TIME_WORDS.isdisjoint(words) or any(map(str.isdecimal, words)):
        return True
    return not text.isascii() and _WIDE_TIME.search(text) is not None
