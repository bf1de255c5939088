"""Texts that are much alike, found among many in nearly linear time; whether two say the same is for `differences`.

Texts that show the same rare sample (see `sketches`) meet and are compared on all their shingles: resemblance and
containment (Broder 1997). What many texts show, such as a licence header, makes nobody meet. Statements of a few words
meet over pairs of units and are compared by their units, with a lower threshold: one changed value is much of them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from conspectus.text.characters import Places
from conspectus.text.sketches import Hashes, Sets, first_of_equal, places_of, sketch

THRESHOLD = 0.8
"""Least containment of two texts that count as alike."""
STATEMENT_THRESHOLD = 0.5
"""Least resemblance of two statements that count as alike."""

Shares: TypeAlias = NDArray[np.float64]

_ALL_MEET = 8
_NEIGHBOURS_MEET = 64
_SHARED_SAMPLES = 0.6
_SHARED_STATEMENT_SAMPLES = 0.3
_PAIRS_AT_A_TIME = 1 << 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Two like texts.

    Attributes:
        left: number of the first text.
        right: number of the second text, greater than `left`.
        resemblance: shared members in proportion to all members of both, 0..1.
        containment: shared members in proportion to those of the smaller text, 0..1.
    """

    left: int
    right: int
    resemblance: float
    containment: float


def similar_pairs(
    texts: Sequence[str], *, threshold: float = THRESHOLD, statement_threshold: float = STATEMENT_THRESHOLD
) -> tuple[Pair, ...]:
    """Return the pairs of like texts, in order; statements too, whose one different value may be a contradiction.

    Among more than 8 texts that show the same sample only neighbours meet, among more than 64 none over that sample,
    so time and number of pairs grow with the number of texts, not with its square. A text is found in one that is
    many times as long only by luck: the longer one shows too little of each part.
    """
    sketches = sketch(texts)
    found: dict[tuple[int, int], Pair] = {}
    for pair in chain(
        _alike(sketches.statements, _SHARED_STATEMENT_SAMPLES, least_resemblance=statement_threshold),
        _alike(sketches.shingles, _SHARED_SAMPLES, least_containment=threshold),
    ):
        found[pair.left, pair.right] = pair
    return tuple(found[key] for key in sorted(found))


def near_duplicate_groups(
    texts: Sequence[str], *, threshold: float = THRESHOLD, statement_threshold: float = STATEMENT_THRESHOLD
) -> list[tuple[int, ...]]:
    """Return groups of two or more texts that are connected by `similar_pairs`, each group and all of them in order."""
    leaders: dict[int, int] = {}

    def leader(text: int) -> int:
        while (above := leaders.setdefault(text, text)) != text:
            leaders[text] = leaders[above]
            text = above
        return text

    for pair in similar_pairs(texts, threshold=threshold, statement_threshold=statement_threshold):
        left, right = sorted((leader(pair.left), leader(pair.right)))
        leaders[right] = left
    groups: dict[int, list[int]] = {}
    for text in sorted(leaders):
        groups.setdefault(leader(text), []).append(text)
    return [tuple(group) for group in groups.values()]


def _alike(sets: Sets, needed: float, *, least_resemblance: float = 0.0, least_containment: float = 0.0) -> list[Pair]:
    left, right = _meetings(sets, needed)
    place = np.zeros(int(sets.rows.max(initial=0)) + 1, np.int64)
    place[sets.rows] = np.arange(len(sets.rows))
    pairs: list[Pair] = []
    for first in range(0, len(left), _PAIRS_AT_A_TIME):
        some = slice(first, first + _PAIRS_AT_A_TIME)
        resemblance, containment = _likeness(sets, place[left[some]], place[right[some]])
        like = (resemblance >= least_resemblance) & (containment >= least_containment)
        columns = (left[some][like], right[some][like], resemblance[like], containment[like])
        for one, other, alike, inside in zip(*(column.tolist() for column in columns), strict=True):
            pairs.append(Pair(left=one, right=other, resemblance=alike, containment=inside))
    return pairs


def _meetings(sets: Sets, needed: float) -> tuple[Places, Places]:
    """Return the pairs of texts that share at least the part `needed` of the rare samples that they could share."""
    hashes = (sets.samples >> np.uint64(32)).astype(np.uint32)
    texts = sets.samples.astype(np.uint32)
    counts = np.diff(first_of_equal(hashes), append=len(hashes))
    sizes = np.repeat(np.minimum(counts, _NEIGHBOURS_MEET + 1).astype(np.uint8), counts)
    few, some = sizes <= _ALL_MEET, sizes <= _NEIGHBOURS_MEET
    met_few = np.concatenate([_meet(hashes, texts, few, apart) for apart in range(1, _ALL_MEET)])
    enough_few = _sharing(met_few, np.bincount(texts[few]), sets, needed)
    enough_some = _sharing(_meet(hashes, texts, some, 1), np.bincount(texts[some]), sets, needed)
    pairs = np.sort(np.concatenate([enough_few, enough_some]))
    pairs = pairs[first_of_equal(pairs)]
    return pairs >> 32, pairs & 0xFFFFFFFF


def _meet(hashes: Hashes, texts: Hashes, rare: NDArray[np.bool_], apart: int) -> Places:
    """Return `left << 32 | right` for texts that show the same rare sample and stand `apart` among those that do."""
    here = np.flatnonzero((hashes[:-apart] == hashes[apart:]) & rare[apart:])
    return (texts[here].astype(np.int64) << 32) | texts[here + apart]


def _sharing(met: Places, rare: Places, sets: Sets, needed: float) -> Places:
    """Return the pairs that have met often enough; `rare` is how many rare samples each text shows.

    Of what a text shows, a text twice as long shows about half, even if it holds all of it.
    """
    met = np.sort(met)
    first = first_of_equal(met)
    shared = np.diff(first, append=len(met))
    pairs = met[first]
    left, right = pairs >> 32, pairs & 0xFFFFFFFF
    lengths = np.ones(int(sets.rows.max(initial=0)) + 1, np.int64)
    lengths[sets.rows] = np.diff(sets.offsets)
    ratio = np.minimum(lengths[left], lengths[right]) / np.maximum(lengths[left], lengths[right])
    enough: Places = pairs[shared >= np.maximum(needed * ratio * np.minimum(rare[left], rare[right]), 1)]
    return enough


def _likeness(sets: Sets, left: Places, right: Places) -> tuple[Shares, Shares]:
    """Return resemblance and containment of pairs of sets, given by their places."""
    keys = np.concatenate([_members(sets, left, 0), _members(sets, right, 1)])
    keys.sort()
    keys = keys[first_of_equal(keys)]
    pairs = (keys >> np.uint64(33)).astype(np.int64)
    is_right = (keys & np.uint64(1)) != 0
    is_shared = (keys[1:] ^ keys[:-1]) == 1
    is_shared &= is_right[1:]
    in_left = np.bincount(pairs[~is_right], minlength=len(left))
    in_right = np.bincount(pairs[is_right], minlength=len(left))
    shared = np.bincount(pairs[1:][is_shared], minlength=len(left))
    return shared / (in_left + in_right - shared), shared / np.minimum(in_left, in_right)


def _members(sets: Sets, which: Places, side: int) -> NDArray[np.uint64]:
    """Return `number of the pair << 33 | hash << 1 | side` for each member of the sets `which`."""
    counts = sets.offsets[which + 1] - sets.offsets[which]
    keys = np.repeat((np.arange(len(which), dtype=np.uint64) << np.uint64(33)) | np.uint64(side), counts)
    keys |= sets.hashes[places_of(sets.offsets, which)].astype(np.uint64) << np.uint64(1)
    return keys
