"""Every term of many texts as a 64-bit number, without making the terms; it counts and ranks nothing.

The numbers of `hashed` are those that `term_hash` gives for `words.terms`, text by text. A term is a stretch of folded
characters, and its number is a polynomial over their codes (Karp and Rabin 1987), so that the sum over a whole block
gives every stretch of it by one subtraction; two different terms share a number about once in 2^64 pairs.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from conspectus.text.characters import ALPHANUMERIC, BLOCK_CHARACTERS, CJK, WORD, Block, Places, scan
from conspectus.text.words import terms

Hashes = NDArray[np.uint64]

_BASE = 0x9E3779B97F4A7C15
_INVERSE = pow(_BASE, -1, 1 << 64)
_MASK = (1 << 64) - 1
_MIX_1, _MIX_2 = 0xBF58476D1CE4E5B9, 0x94D049BB133111EB


@dataclass(frozen=True, slots=True, kw_only=True)
class Hashed:
    """The terms of some texts.

    Attributes:
        rows: for each term the number of its text; of one text in no order.
        hashes: the number of each term.
    """

    rows: Places
    hashes: Hashes


def hashed(texts: Sequence[str], *, block_characters: int = BLOCK_CHARACTERS) -> Hashed:
    """The terms of all `texts`, repetitions included."""
    rows: list[Places] = [np.empty(0, np.int64)]
    hashes: list[Hashes] = [np.empty(0, np.uint64)]
    irregular = np.zeros(len(texts), np.bool_)
    for block in scan(texts, block_characters=block_characters):
        starts, ends = _stretches(block)
        rows.append(block.rows[np.searchsorted(block.offsets, starts, "right") - 1])
        hashes.append(_hashes(block, starts, ends))
        irregular[block.irregular] = True
    found = Hashed(rows=np.concatenate(rows), hashes=np.concatenate(hashes))
    if not irregular.any():
        return found
    regular = ~irregular[found.rows]
    odd = [(row, term_hash(term)) for row in np.flatnonzero(irregular).tolist() for term in terms(texts[row])]
    return Hashed(
        rows=np.concatenate((found.rows[regular], np.array([row for row, _ in odd], np.int64))),
        hashes=np.concatenate((found.hashes[regular], np.array([number for _, number in odd], np.uint64))),
    )


def term_hash(term: str) -> int:
    """The number of one term, as `words.terms` gives it."""
    total = 0
    for character in reversed(term):
        total = (total * _BASE + ord(character) + 1) & _MASK
    return _mixed(total)


def _mixed(number: int) -> int:
    """The number with its bits spread: the finalizer of SplitMix64 (Steele, Lea and Flood 2014)."""
    number = ((number ^ (number >> 30)) * _MIX_1) & _MASK
    number = ((number ^ (number >> 27)) * _MIX_2) & _MASK
    return number ^ (number >> 31)


def _stretches(block: Block) -> tuple[Places, Places]:
    """Where the terms of a block begin and end: parts, words of several parts, and pairs."""
    starts, events = block.starts[:-1], block.events[:-1]
    is_part = (events & ALPHANUMERIC) != 0
    part_starts = starts[is_part]
    stops = np.flatnonzero((block.kinds & ALPHANUMERIC) == 0)
    runs_end = stops[np.searchsorted(stops, part_starts)]
    part_ends = np.minimum(block.starts[1:][is_part], runs_end)
    words = np.cumsum(events >= WORD)[is_part]
    heads = np.flatnonzero(np.diff(words, prepend=-1))
    tails = np.append(heads[1:], len(words)) - 1
    several = tails > heads
    pairs = starts[(events & CJK) != 0]
    pair_ends = pairs + 1 + ((block.kinds[pairs + 1] & CJK) != 0)
    return (
        np.concatenate((part_starts, part_starts[heads[several]], pairs)),
        np.concatenate((part_ends, part_ends[tails[several]], pair_ends)),
    )


def _hashes(block: Block, starts: Places, ends: Places) -> Hashes:
    powers, inverses = _powers(_rounded(len(block.folded)))
    sums = np.zeros(len(block.folded) + 1, np.uint64)
    codes = block.folded.astype(np.uint64)
    codes += np.uint64(1)
    codes *= powers[: len(codes)]
    np.cumsum(codes, out=sums[1:])
    numbers = sums[ends] - sums[starts]
    numbers *= inverses[starts]
    for shift, factor in ((30, _MIX_1), (27, _MIX_2)):
        numbers ^= numbers >> np.uint64(shift)
        numbers *= np.uint64(factor)
    mixed: Hashes = numbers ^ (numbers >> np.uint64(31))
    return mixed


def _rounded(length: int) -> int:
    return 1 << max(length - 1, 1).bit_length()


@cache
def _powers(length: int) -> tuple[Hashes, Hashes]:
    """The powers of the base and of its inverse modulo 2^64, from the 0th on."""
    one, two = np.full(length, _BASE, np.uint64), np.full(length, _INVERSE, np.uint64)
    one[0] = two[0] = 1
    return np.cumprod(one), np.cumprod(two)
