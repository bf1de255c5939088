"""How often the terms of a query occur in each of many texts, and how many terms each text has; it scores nothing.

The counts equal those of `words.terms`, text by text, but no term is made: a text is scanned for the places where terms
can begin (see `characters`), those whose first two characters fit no query term are passed over, and the few that
remain are compared and checked for where the term may end.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from conspectus.text.characters import ALPHANUMERIC, BLOCK_CHARACTERS, CJK, WORD, Block, Codes, Places, scan
from conspectus.text.words import kind_of, terms

Mask: TypeAlias = NDArray[np.bool_]
"""Which of the events at hand."""

_KEYS = 1 << 16
_ALIKE = 4


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


@dataclass(frozen=True, slots=True, kw_only=True)
class _Family:
    """Sought terms of one column that begin alike, and how."""

    beginning: NDArray[np.uint32]
    members: tuple[_Sought, ...]


def match(texts: Sequence[str], query: Sequence[str], *, block_characters: int = BLOCK_CHARACTERS) -> Matches:
    """Count the terms `query` (as `words.query_terms` gives them) in all `texts`; what no text can hold counts 0."""
    return match_any(texts, [(term,) for term in query], block_characters=block_characters)


def match_any(
    texts: Sequence[str], query: Sequence[Sequence[str]], *, block_characters: int = BLOCK_CHARACTERS
) -> Matches:
    """Count, for each list of terms, how often any of them stands in each of the `texts`; the first names the column.

    The work needs about 17 bytes of memory for each of `block_characters`, whatever the number of texts.
    """
    tf = np.zeros((len(texts), len(query)), np.int32)
    lengths = np.zeros(len(texts), np.int32)
    sought = [
        family
        for column, terms_of in enumerate(query)
        for family in _families([_sought(column, term) for term in terms_of if _can_occur(term)])
    ]
    beginnings = _beginnings(sought)
    irregular: set[int] = set()
    for block in scan(texts, block_characters=block_characters):
        lengths[block.rows] += _term_counts(block)
        _count(block, sought, beginnings, tf)
        irregular.update(block.irregular.tolist())
    for row in sorted(irregular):
        found = Counter(terms(texts[row]))
        lengths[row] = found.total()
        tf[row] = [sum(found[term] for term in terms_of) for terms_of in query]
    return Matches(terms=tuple(terms_of[0] for terms_of in query), tf=tf, lengths=lengths)


def _can_occur(term: str) -> bool:
    """Say whether a regular text can hold `term`: a pair or one character of a script without spaces, or a word."""
    kinds = {kind_of(character) for character in term}
    if kinds == {"cjk"}:
        return len(term) <= 2
    return bool(kinds) and not kinds & {"cjk", "mark", ""} and "_" not in (term[0], term[-1])


def _sought(column: int, term: str) -> _Sought:
    codes = np.array([ord(character) for character in term], np.uint32)
    return _Sought(column=column, codes=codes, is_cjk=kind_of(term[0]) == "cjk", is_part="_" not in term)


def _families(sought: Sequence[_Sought]) -> list[_Family]:
    """Put terms of one kind with the same first characters together, so that those are compared once."""
    groups: dict[tuple[bool, tuple[int, ...]], list[_Sought]] = {}
    for term in sought:
        groups.setdefault((term.is_cjk, tuple(term.codes[:_ALIKE].tolist())), []).append(term)
    return [
        _Family(beginning=np.array(beginning, np.uint32), members=tuple(members))
        for (_, beginning), members in groups.items()
    ]


def _beginnings(sought: Sequence[_Family]) -> Mask:
    """Return which keys of two characters a sought term begins with; one character may be followed by any."""
    beginnings = np.zeros(_KEYS, np.bool_)
    for family in sought:
        second = family.beginning[1:2] if len(family.beginning) > 1 else np.arange(256, dtype=np.uint32)
        beginnings[_keys(family.beginning[:1], second)] = True
    return beginnings


def _keys(first: Codes, second: Codes) -> NDArray[np.uint16]:
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


def _count(block: Block, sought: Sequence[_Family], beginnings: Mask, tf: NDArray[np.int32]) -> None:
    """Add the occurrences in `block` of all `sought` terms to `tf`."""
    starts = block.starts[:-1]
    keys = _keys(block.folded[starts], block.folded[starts + 1])
    near = np.flatnonzero(beginnings[keys])
    near_keys = keys[near]
    places: list[Places] = []
    columns: list[Places] = []
    known = 2 if block.folded.dtype == np.uint8 else 0  # of two bytes, the key compared all
    for family in sought:
        begun = family.beginning
        if len(begun) > 1:
            events = near[near_keys == _keys(begun[:1], begun[1:2])]
        else:
            events = near[(near_keys & 0xFF) == (begun[0] & 0xFF)]
        events = _spelled(block, begun, events, known if len(begun) > 1 else 0)
        for term in family.members if len(events) else ():
            spelled = _spelled(block, term.codes, events, len(begun))
            places.append(starts[spelled[_is_whole(block, term, spelled)]])
            columns.append(np.full(len(places[-1]), term.column))
    if places:
        texts = np.searchsorted(block.offsets, np.concatenate(places), "right") - 1
        np.add.at(tf, (block.rows[texts], np.concatenate(columns)), 1)


def _spelled(block: Block, codes: NDArray[np.uint32], events: Places, known: int) -> Places:
    """Return those `events` at which `codes` stand; the first `known` of them do."""
    positions = block.starts[events] + known
    for code in codes[known:].tolist():
        same = block.folded[positions] == code
        events = events[same]
        positions = positions[same] + 1
    return events


def _is_whole(block: Block, term: _Sought, events: Places) -> Mask:
    """Say at which `events` the characters of `term` are all of a term."""
    if term.is_cjk:
        return _is_alone(block, events) if len(term.codes) == 1 else np.ones(len(events), np.bool_)
    ends = block.starts[events] + len(term.codes)
    whole = _is_one_part(block, events, ends) if term.is_part else np.zeros(len(events), np.bool_)
    others = np.flatnonzero(~whole)
    whole[others] = _is_word(block, events[others], ends[others])
    return whole


def _is_alone(block: Block, events: Places) -> Mask:
    """Say where the character has no neighbour of its kind."""
    positions = block.starts[events]
    neighbours = block.kinds[positions - 1] | block.kinds[positions + 1]
    alone: Mask = (neighbours & CJK) == 0
    return alone


def _is_one_part(block: Block, events: Places, ends: Places) -> Mask:
    """Say where no other part begins before the end, and the part does not go on after it."""
    following = block.starts[events + 1]
    return np.equal(ends, following) | (np.less(ends, following) & ~_goes_on(block, ends))


def _is_word(block: Block, events: Places, ends: Places) -> Mask:
    """Say where the word has nothing but underscores before and after the term."""
    begins = np.greater(block.events[events], WORD)
    begins |= np.equal(block.events[events - 1], WORD) & np.greater(events, 0)
    next_event = block.events[np.searchsorted(block.starts, ends)]
    return begins & ~_goes_on(block, ends) & np.greater_equal(next_event, CJK)


def _goes_on(block: Block, ends: Places) -> Mask:
    """Say where a letter or digit stands."""
    goes_on: Mask = (block.kinds[ends] & ALPHANUMERIC) != 0
    return goes_on
