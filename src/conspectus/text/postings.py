"""How often the terms of a query occur in each of many texts, and how many terms each text has; it scores nothing.

The counts equal those of `words.terms`, text by text, but no term is made: a text is scanned for the places where terms
can begin (see `characters`), those whose first two characters fit no query term are passed over, and the few that
remain are compared and checked for where the term may end.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from conspectus.text.characters import ALPHANUMERIC, CJK, WORD, Block, scan
from conspectus.text.words import kind_of, terms

_KEYS = 1 << 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Matches:
    """Occurrences of query terms in texts.

    Attributes:
        terms: the query terms, one per column.
        tf: occurrences, one row per text and one column per term.
        lengths: number of terms of each text, all of them counted.
    """

    terms: tuple[str, ...]
    tf: NDArray[np.int32]
    lengths: NDArray[np.int32]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sought:
    """A query term as code points and the column it is counted in."""

    column: int
    codes: NDArray[np.uint32]
    is_cjk: bool
    is_part: bool


def match(texts: Sequence[str], query: Sequence[str]) -> Matches:
    """Count the terms `query` (as `words.query_terms` gives them) in all `texts`; what no text can hold counts 0."""
    tf = np.zeros((len(texts), len(query)), np.int32)
    lengths = np.zeros(len(texts), np.int32)
    sought = [_sought(column, term) for column, term in enumerate(query) if _can_occur(term)]
    beginnings = _beginnings(sought)
    irregular: set[int] = set()
    for block in scan(texts):
        np.add.at(lengths, block.rows, _term_counts(block))
        _count(block, sought, beginnings, tf)
        irregular.update(block.irregular.tolist())
    for row in sorted(irregular):
        found = Counter(terms(texts[row]))
        lengths[row] = found.total()
        tf[row] = [found[term] for term in query]
    return Matches(terms=tuple(query), tf=tf, lengths=lengths)


def _can_occur(term: str) -> bool:
    """Say whether a regular text can hold `term`: a pair or one character of a script without spaces, or a word."""
    kinds = {kind_of(character) for character in term}
    if kinds == {"cjk"}:
        return len(term) <= 2
    return bool(kinds) and not kinds & {"cjk", "mark", ""} and "_" not in (term[0], term[-1])


def _sought(column: int, term: str) -> _Sought:
    codes = np.array([ord(character) for character in term], np.uint32)
    return _Sought(column=column, codes=codes, is_cjk=kind_of(term[0]) == "cjk", is_part="_" not in term)


def _beginnings(sought: Sequence[_Sought]) -> NDArray[np.bool_]:
    """Return which keys of two characters a sought term begins with; one character may be followed by any."""
    beginnings = np.zeros(_KEYS, np.bool_)
    for term in sought:
        second = term.codes[1:2] if len(term.codes) > 1 else np.arange(256, dtype=np.uint32)
        beginnings[_keys(term.codes[:1], second)] = True
    return beginnings


def _keys(first: NDArray[np.uint8] | NDArray[np.uint32], second: NDArray[np.uint8] | NDArray[np.uint32]) -> NDArray[np.uint16]:
    return first.astype(np.uint16) + (second.astype(np.uint16) << np.uint16(8))


def _term_counts(block: Block) -> NDArray[np.int32]:
    """Return the number of terms of each text of the block: its parts and pairs, and its words of several parts."""
    events = block.events
    opens = events == WORD
    begins = events > WORD
    inner = events < CJK
    several = np.zeros(len(events), np.int8)
    several[1:] = inner[1:] & begins[:-1]
    several[2:] |= inner[2:] & inner[1:-1] & opens[:-2]
    totals = np.zeros(len(events) + 1, np.int32)
    np.cumsum(several - opens, out=totals[1:])
    bounds = np.searchsorted(block.starts, block.offsets)
    return np.diff(totals[bounds]) + np.diff(bounds).astype(np.int32)


def _count(block: Block, sought: Sequence[_Sought], beginnings: NDArray[np.bool_], tf: NDArray[np.int32]) -> None:
    """Add the occurrences in `block` of all `sought` terms to `tf`."""
    starts = block.starts[:-1]
    keys = _keys(block.folded[starts], block.folded[starts + 1])
    near = np.flatnonzero(beginnings[keys])
    near_keys = keys[near]
    for term in sought:
        if len(term.codes) > 1:
            events = near[near_keys == _keys(term.codes[:1], term.codes[1:2])]
        else:
            events = near[block.folded[starts[near]] == term.codes[0]]
        positions = starts[_confirmed(block, term, events)]
        texts = np.searchsorted(block.offsets, positions, "right") - 1
        np.add.at(tf[:, term.column], block.rows[texts], 1)


def _confirmed(block: Block, term: _Sought, events: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return those `events` at which exactly `term` begins and ends."""
    for place, code in enumerate(term.codes.tolist()):
        events = events[block.folded[block.starts[events] + place] == code]
    if term.is_cjk:
        return events[_is_alone(block, events)] if len(term.codes) == 1 else events
    ends = block.starts[events] + len(term.codes)
    is_term = _is_word(block, events, ends)
    if term.is_part:
        is_term |= _is_one_part(block, events, ends)
    return events[is_term]


def _is_alone(block: Block, events: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Say where the character has no neighbour of its kind; before the first position there is none."""
    positions = block.starts[events]
    neighbours = block.kinds[positions + 1] | np.where(positions > 0, block.kinds[positions - 1], 0)
    return (neighbours & CJK) == 0


def _is_one_part(block: Block, events: NDArray[np.int64], ends: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Say where no other part begins before the end, and the part does not go on after it."""
    following = block.starts[events + 1]
    return (ends == following) | ((ends < following) & ((block.kinds[ends] & ALPHANUMERIC) == 0))


def _is_word(block: Block, events: NDArray[np.int64], ends: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Say where only underscores stand between the beginning of the word and the term, and the term and the word's end."""
    begins = block.events[events] > WORD
    begins |= (events > 0) & (block.events[events - 1] == WORD)
    after = block.events[np.searchsorted(block.starts, ends)]
    return begins & ((block.kinds[ends] & ALPHANUMERIC) == 0) & (after >= CJK)
