"""A text in lines, with where each begins and what it weighs; a line ends with a line feed and with nothing else."""

import re
from dataclasses import dataclass
from itertools import accumulate
from typing import Self

from conspectus.text.graphemes import split_at

_SENTENCE_END = re.compile(r"[.!?;\u3002\uff01\uff1f\uff1b\u2026][\"')\]\u201d\u2019\u300d\u300f\uff09]*+\s*+")
_PAUSE = re.compile(r"[\s,\u3001\uff0c]++")


@dataclass(frozen=True, slots=True, kw_only=True)
class Lines:
    """The lines of a text.

    Attributes:
        text: all of it.
        texts: each line without its line feed.
        starts: code point where each line begins, and the length of the text.
        weights: bytes of UTF-8 before each line, and in all.
    """

    text: str
    texts: tuple[str, ...]
    starts: tuple[int, ...]
    weights: tuple[int, ...]

    @classmethod
    def of(cls, text: str) -> Self:
        """The lines of `text`; what follows the last line feed is a line if it is not empty."""
        texts = text.split("\n")
        ends_open = texts[-1] != ""
        if not ends_open:
            texts.pop()
        starts = list(accumulate([len(line) + 1 for line in texts], initial=0))
        weights = starts
        if not text.isascii():
            weights = list(accumulate([len(line.encode()) + 1 for line in texts], initial=0))
        if ends_open:
            starts = [*starts[:-1], len(text)]
        return cls(text=text, texts=tuple(texts), starts=tuple(starts), weights=tuple(weights))

    def size(self, first: int, end: int) -> int:
        """Bytes of UTF-8 from line `first` up to line `end`, counted from 0."""
        return self.weights[end] - self.weights[first]

    def between(self, first: int, end: int) -> str:
        """The text of line `first` up to line `end`."""
        return self.text[self.starts[first] : self.starts[end]]


def cut_line(line: str, limit: int) -> tuple[str, ...]:
    """`line` in pieces of about `limit` bytes of UTF-8, cut behind a sentence or a word, never inside a grapheme."""
    step = max(1, limit * len(line) // max(1, len(line.encode())))
    cuts: list[int] = []
    place = 0
    while len(line) - place > step * 5 // 4:
        window = line[place : place + step]
        place += _last_end(_SENTENCE_END, window) or _last_end(_PAUSE, window) or step
        cuts.append(place)
    return split_at(line, cuts)


def _last_end(pattern: re.Pattern[str], window: str) -> int:
    """Where the last match in the later half of `window` ends, or 0."""
    return max((found.end() for found in pattern.finditer(window, len(window) // 2)), default=0)
