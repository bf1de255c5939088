"""Whether a text says a thing, word for word or nearly, in any script; it knows no synonyms and no truth."""

from collections import Counter, deque
from collections.abc import Collection, Sequence

import numpy as np

from conspectus.errors import InputError
from conspectus.text.postings import match
from conspectus.text.sanitize import sanitize
from conspectus.text.words import fold_case, fold_width, kind_of, query_terms, terms

_REACH, _SLACK = 3, 8
_PAIRS_HELD = 0.75
_QUOTED = 5


class Fact:
    """Something that is looked for in texts.

    A text holds it when it has its words in this order, whatever width, case and white space; or its terms close
    together: within three times as many terms and eight more. Then all its words have to be there, compound ones by
    their parts, and three in four pairs of characters of Chinese, Japanese and Korean: a character put between breaks
    a pair.
    """

    def __init__(self, text: str) -> None:
        """Fold `text` once.

        Raises:
            InputError: there is nothing in it to look for.
        """
        self._folded = _folded(text)
        wanted = frozenset(query_terms(text)).difference(_compounds(text))
        self._pairs = frozenset(term for term in wanted if kind_of(term[0]) == "cjk")
        self._words = wanted - self._pairs
        if not self._folded:
            raise InputError("WHAT", "is empty; name an item, a file, a source or a fact")

    def held_by(self, text: str) -> bool:
        """Whether `text` says it."""
        return self._folded in _folded(text) or self._is_near(text)

    def holders(self, texts: Sequence[str]) -> list[int]:
        """The texts that say it, by number: those that have it word for word, else those that nearly do."""
        exact = [number for number, text in enumerate(texts) if self._folded in _folded(text)]
        wanted = sorted(self._words) or sorted(self._pairs)
        if exact or not wanted:
            return exact
        held = (match(texts, wanted).tf > 0).mean(axis=1)
        likely = np.flatnonzero(held >= (1.0 if self._words else _PAIRS_HELD))
        return [number for number in likely.tolist() if self._is_near(texts[number])]

    def _is_near(self, text: str) -> bool:
        wanted = self._words | self._pairs
        reach = _REACH * len(wanted) + _SLACK
        window: deque[str] = deque()
        held: Counter[str] = Counter()
        for term in terms(text) if wanted else ():
            window.append(term)
            if term in wanted:
                held[term] += 1
            if len(window) > reach and (gone := window.popleft()) in held:
                held[gone] -= 1
                if not held[gone]:
                    del held[gone]
            if term in wanted and self._is_held(held):
                return True
        return False

    def _is_held(self, held: Collection[str]) -> bool:
        if any(word not in held for word in self._words):
            return False
        return len(held) - len(self._words) >= _PAIRS_HELD * len(self._pairs)


def quotes(answer: str, text: str) -> bool:
    """Whether `answer` repeats five terms of `text` in a row, or all of a shorter one."""
    said, source = terms(answer), terms(text)
    length = min(_QUOTED, len(source))
    if not length:
        return False
    runs = {tuple(source[start : start + length]) for start in range(len(source) - length + 1)}
    return any(tuple(said[start : start + length]) in runs for start in range(len(said) - length + 1))


def _compounds(text: str) -> frozenset[str]:
    """The terms of `text` that are whole words beside their own parts, which come before them."""
    found: set[str] = set()
    sequence = terms(text)
    for place, term in enumerate(sequence):
        whole = term.replace("_", "")
        start = place
        while start and len(whole) > sum(map(len, sequence[start:place])):
            start -= 1
        if place - start > 1 and "".join(sequence[start:place]) == whole:
            found.add(term)
    return frozenset(found)


def _folded(text: str) -> str:
    clean = sanitize(text).text
    return " ".join(fold_case(fold_width(clean)).split())
