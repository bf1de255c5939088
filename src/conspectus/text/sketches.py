"""Texts as sets of hashes, with a sample of each set by which like texts meet; it compares nothing.

A text is the set of its shingles, four units in a row; a unit is a part of a word, or one Chinese, Japanese or Korean
character, and case, width, space and punctuation do not count (Broder, On the resemblance and containment of
documents, 1997). Which shingles are sampled depends on their hashes alone, so that like texts show like samples
(compare Schleimer, Wilkerson and Aiken, Winnowing, 2003). A statement of a few words has too few shingles for that: it
is also the set of its units, and shows pairs of them with at most one between. Hashes depend on the text alone.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from conspectus.text.characters import ALPHANUMERIC, CJK, IRREGULAR, WORD, Block, Places, scan

STATEMENT_UNITS = 40
"""A text of at most so many units is a statement."""

Hashes: TypeAlias = NDArray[np.uint32]
Samples: TypeAlias = NDArray[np.uint64]

_WIDTH = 4
_SAMPLED = 16
_BLOCK_CHARACTERS = 1 << 19
_COUNTED = ALPHANUMERIC | CJK | IRREGULAR
_RADIX = 0x9E3779B1
_SHINGLE_RADIX = 0x27D4EB2F
_FULL = 1 << 32


@dataclass(frozen=True, slots=True, kw_only=True)
class Sets:
    """Sets of hashes, one per text, and their samples.

    Attributes:
        rows: number of each text, in the order in which its hashes are listed.
        offsets: where the hashes of each text begin, and where the last one's end.
        hashes: the members; a set may list one twice.
        samples: `hash << 32 | number of the text`, ascending, each once.
    """

    rows: Places
    offsets: Places
    hashes: Hashes
    samples: Samples


@dataclass(frozen=True, slots=True, kw_only=True)
class Sketches:
    """Texts as sets of shingles, and those of them that are statements as sets of units."""

    shingles: Sets
    statements: Sets


@dataclass(frozen=True, slots=True)
class _Units:
    """The units of some texts: `hashes` from `offsets[i]` to `offsets[i + 1]` are those of text number `rows[i]`."""

    rows: Places
    offsets: Places
    hashes: Hashes


def sketch(texts: Sequence[str]) -> Sketches:
    """Return the sketches of `texts`, in time linear in their length."""
    shingles: list[Sets] = []
    statements: list[Sets] = []
    for units in _units_of(texts):
        shingles.append(_shingle_sets(units))
        statements.append(_statement_sets(units))
    return Sketches(shingles=_joined(shingles), statements=_joined(statements))


def _units_of(texts: Sequence[str]) -> Iterator[_Units]:
    """Yield the hashed units of all texts, block by block; what a unit is worth does not depend on its place."""
    powers = _powers(_RADIX, 1)
    inverses = _powers(pow(_RADIX, -1, _FULL), 1)
    for block in scan(texts, block_characters=_BLOCK_CHARACTERS):
        size = len(block.kinds)
        if size > len(powers):
            powers, inverses = _powers(_RADIX, size), _powers(pow(_RADIX, -1, _FULL), size)
        starts = _unit_starts(block)
        values = (block.folded * ((block.kinds & _COUNTED) != 0)).astype(np.uint32)
        values *= powers[:size]
        sums = np.cumsum(values, dtype=np.uint32)
        before = sums[starts - 1]
        hashes = np.empty_like(before)
        np.subtract(before[1:], before[:-1], out=hashes[:-1])
        hashes[-1:] = sums[-1] - before[-1:]
        hashes *= inverses[starts]
        yield _Units(block.rows, np.searchsorted(starts, block.offsets), _mixed(hashes))


def _powers(radix: int, count: int) -> Hashes:
    return np.multiply.accumulate(np.full(count, radix, np.uint32), dtype=np.uint32)


def _unit_starts(block: Block) -> Places:
    starts: Places = block.starts[:-1][block.events[:-1] != WORD]
    if block.folded.dtype == np.uint8:
        return starts
    begins = (block.kinds & CJK) != 0  # a run's last character begins no pair, but it is a unit
    begins[starts] = True
    return np.flatnonzero(begins)


def _mixed(hashes: Hashes) -> Hashes:
    """Spread differences over all bits (in place)."""
    hashes ^= hashes >> 15
    hashes *= 0x85EBCA6B
    hashes ^= hashes >> 13
    return hashes


def _shingle_sets(units: _Units) -> Sets:
    """Return all shingles; a text shorter than one has one of what there is."""
    padded = np.append(units.hashes, np.zeros(_WIDTH - 1, np.uint32))
    count = len(units.hashes)
    hashes = padded[:count].copy()
    for place in range(1, _WIDTH):
        hashes *= _SHINGLE_RADIX
        hashes += padded[place : place + count]
    hashes = _mixed(hashes)
    begins, ends = units.offsets[:-1], units.offsets[1:]
    whole = np.ones(count, np.bool_)
    for back in range(1, _WIDTH):
        whole[(ends - back)[ends - back >= begins]] = False
    short = np.flatnonzero((ends - begins < _WIDTH) & (ends > begins))
    whole[begins[short]] = True
    hashes[begins[short]] = _short_shingles(units, short)
    return _sets(units.rows, np.maximum(ends - begins - _WIDTH + 1, np.minimum(ends - begins, 1)), hashes[whole])


def _short_shingles(units: _Units, which: Places) -> Hashes:
    """Return one hash for all units of each of the texts, of which none has `_WIDTH`."""
    hashes = np.zeros(len(which), np.uint32)
    for place in range(_WIDTH - 1):
        places = units.offsets[which] + place
        inside = places < units.offsets[which + 1]
        hashes *= _SHINGLE_RADIX
        hashes[inside] += units.hashes[places[inside]]
    return _mixed(hashes)


def _sets(rows: Places, counts: Places, hashes: Hashes) -> Sets:
    """Return sets and samples of 8 to 16 members each, or all of them if there are fewer."""
    doublings = np.ceil(np.log2(np.maximum(counts, 1) / _SAMPLED)).clip(0, 31)
    limits = ((_FULL - 1) * 0.5**doublings).astype(np.uint32)
    sampled = np.flatnonzero(hashes <= np.repeat(limits, counts))
    offsets = _offsets(counts)
    owners = rows[np.searchsorted(offsets, sampled, "right") - 1]
    return Sets(rows=rows, offsets=offsets, hashes=hashes, samples=_samples(hashes[sampled], owners))


def _statement_sets(units: _Units) -> Sets:
    counts = np.diff(units.offsets)
    which = np.flatnonzero(counts <= STATEMENT_UNITS)
    rows, counts = units.rows[which], counts[which]
    hashes = units.hashes[places_of(units.offsets, which)]
    owners = np.repeat(rows, counts)
    samples: list[Samples] = []
    for apart in (1, 2):
        same = np.flatnonzero(owners[:-apart] == owners[apart:])
        samples.append(_samples(_mixed(hashes[same] * np.uint32(_SHINGLE_RADIX) + hashes[same + apart]), owners[same]))
    return Sets(rows=rows, offsets=_offsets(counts), hashes=hashes, samples=np.concatenate(samples))


def places_of(offsets: Places, which: Places) -> Places:
    """Return the places of all members of the sets `which`, one set after the other."""
    begins = offsets[which]
    counts = offsets[which + 1] - begins
    ends = np.cumsum(counts)
    places: Places = np.arange(int(counts.sum())) + np.repeat(begins - (ends - counts), counts)
    return places


def _samples(hashes: Hashes, owners: Places) -> Samples:
    return (hashes.astype(np.uint64) << np.uint64(32)) | owners.astype(np.uint64)


def _offsets(counts: Places) -> Places:
    offsets = np.zeros(len(counts) + 1, np.int64)
    np.cumsum(counts, out=offsets[1:])
    return offsets


def _joined(parts: list[Sets]) -> Sets:
    """Return all sets in one, and empty `parts` on the way, so that hardly any of it is held twice.

    The parts of a text that was spread over blocks follow each other and become one.
    """
    rows = np.concatenate([np.empty(0, np.int64), *(part.rows for part in parts)])
    counts = np.concatenate([np.empty(0, np.int64), *(np.diff(part.offsets) for part in parts)])
    first = np.flatnonzero(np.diff(rows, prepend=-1))
    offsets = np.append(_offsets(counts)[first], counts.sum())
    samples = np.concatenate([np.empty(0, np.uint64), *(part.samples for part in parts)])
    samples.sort()
    samples = samples[first_of_equal(samples)]
    hashes = np.empty(int(offsets[-1]), np.uint32)
    end = len(hashes)
    while parts:
        part = parts.pop().hashes
        hashes[end - len(part) : end] = part
        end -= len(part)
    return Sets(rows=rows[first], offsets=offsets, hashes=hashes, samples=samples)


def first_of_equal(ascending: NDArray[np.uint32] | Samples | Places) -> Places:
    """Return where each different value stands first; `numpy.unique` takes several times as long."""
    return np.flatnonzero(np.concatenate([np.ones(min(len(ascending), 1), np.bool_), ascending[1:] != ascending[:-1]]))
