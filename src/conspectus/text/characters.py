"""Many texts as numpy columns of characters with the places where words and their parts begin; it builds no strings.

The columns say what `words.terms` would split, without making the terms: `kinds` has one byte of flags per
character, chosen so that the flags a character has and the one before it lacks are the events that begin there:

    lower 0b10001   upper 0b10011   digit 0b10100   underscore 0b10000   Chinese, Japanese, Korean 0b01000   other 0

`0b10000` means "part of a word", and newly set it begins a word; any other newly set flag begins a part. A lower
letter after an upper one sets no new flag, an upper one after a lower one does: `getUser`. Texts whose folding
depends on neighbouring characters (combining marks, conjoining jamo, ligatures) are named `irregular`: their columns
mean nothing and `words.terms` must be asked.
"""

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from conspectus.text.words import fold_case, fold_width, kind_of

UPPER = 0b00010
CJK = 0b01000
WORD = 0b10000
IRREGULAR = 0b100000
ALPHANUMERIC = 0b00111
KINDS = {
    "lower": 0b10001, "upper": 0b10011, "digit": 0b10100, "underscore": WORD, "cjk": CJK, "mark": IRREGULAR, "": 0,
}  # fmt: skip

PADDING = 8
_BLOCK_CHARACTERS = 1 << 20
_CODE_POINTS = 0x110000
_UNKNOWN = 0xFF
_CONJOINING = frozenset(chain(range(0x1160, 0x1200), range(0xD7B0, 0xD800)))
_ASCII_KINDS = bytes(KINDS[kind_of(chr(code))] if code < 128 else 0 for code in range(256))


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """Some texts (or parts of long ones), one after the other, each followed by a separator.

    Attributes:
        rows: for each text in the block, its number in the whole.
        offsets: where each text begins in the columns, and where the last one ends.
        folded: the characters, folded and in lower case, as bytes or as code points; padded by `PADDING` separators.
        kinds: the flags of each character, padded like `folded`.
        starts: positions where a word, a part, a pair or a lone character begins, then the length of the columns.
        events: which flags began there; a last `WORD` closes them.
        irregular: numbers of the texts whose columns mean nothing.
    """

    rows: NDArray[np.int64]
    offsets: NDArray[np.int64]
    folded: NDArray[np.uint8] | NDArray[np.uint32]
    kinds: NDArray[np.uint8]
    starts: NDArray[np.int64]
    events: NDArray[np.uint8]
    irregular: NDArray[np.int64]


def scan(texts: Sequence[str], *, block_characters: int = _BLOCK_CHARACTERS) -> Iterator[Block]:
    """Yield all `texts` in blocks of about `block_characters`, those in ASCII first.

    A longer text is spread over several blocks, cut after line ends or spaces; without any it makes one large block.
    """
    is_ascii = np.fromiter(map(str.isascii, texts), np.bool_, len(texts))
    table: _CharacterTable | None = None
    for rows, parts in _batches(texts, np.flatnonzero(is_ascii), block_characters):
        yield _ascii_block(rows, parts)
    for rows, parts in _batches(texts, np.flatnonzero(~is_ascii), block_characters // 4):
        table = table or _CharacterTable()
        yield _wide_block(rows, parts, table)


def _batches(
    texts: Sequence[str], rows: NDArray[np.int64], limit: int
) -> Iterator[tuple[NDArray[np.int64], list[str]]]:
    """Yield row numbers and texts of about `limit` characters together."""
    parts = [texts[row] for row in rows.tolist()]
    lengths = np.fromiter(map(len, parts), np.int64, len(parts))
    if len(parts) and int(lengths.max()) > limit:
        cut = [_cut(part, limit) for part in parts]
        rows = np.repeat(rows, [len(pieces) for pieces in cut])
        parts = [piece for pieces in cut for piece in pieces]
        lengths = np.fromiter(map(len, parts), np.int64, len(parts))
    ends = np.cumsum(lengths + 1)
    first = 0
    while first < len(parts):
        done = int(ends[first - 1]) if first else 0
        last = max(first + 1, int(np.searchsorted(ends, done + limit, "right")))
        yield rows[first:last], parts[first:last]
        first = last


def _cut(text: str, limit: int) -> list[str]:
    """Cut a long text after line ends or spaces, where no word, pair or cluster goes on."""
    pieces: list[str] = []
    start = 0
    while len(text) - start > limit:
        end = max(text.rfind("\n", start, start + limit), text.rfind(" ", start, start + limit)) + 1
        if end <= start:
            break
        pieces.append(text[start:end])
        start = end
    pieces.append(text[start:])
    return pieces


def _ascii_block(rows: NDArray[np.int64], parts: list[str]) -> Block:
    raw = _joined(parts).encode("ascii")
    kinds = np.frombuffer(raw.translate(_ASCII_KINDS), np.uint8)
    folded = np.frombuffer(raw, np.uint8) | ((kinds & UPPER) << 4)
    return _block(rows, parts, folded, kinds, _word_events(kinds), np.empty(0, np.int64))


def _wide_block(rows: NDArray[np.int64], parts: list[str], table: "_CharacterTable") -> Block:
    codes = np.frombuffer(_joined(parts).encode("utf-32-le", "surrogatepass"), np.uint32)
    kinds, folded = table.look_up(codes)
    events = _word_events(kinds & ~np.uint8(IRREGULAR))
    events[1:-1] = (events[1:-1] & ~np.uint8(CJK)) | _pair_events(kinds)
    return _block(rows, parts, folded, kinds, events, np.flatnonzero(kinds & IRREGULAR))


def _joined(parts: list[str]) -> str:
    return "\n".join(parts) + "\n" * PADDING


def _word_events(kinds: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return the newly set flags of each character, and a new part at the last upper letter before a lower one."""
    events = np.empty_like(kinds)
    events[0] = kinds[0]
    np.bitwise_and(kinds[1:], ~kinds[:-1], out=events[1:])
    following = kinds[2:]
    acronym_end = kinds[1:-1] & kinds[:-2]
    acronym_end &= (following << 1) & ~following
    acronym_end &= UPPER
    events[1:-1] |= acronym_end
    return events


def _pair_events(kinds: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return `CJK` where a pair begins, or a character stands alone between others (all but the first and last place)."""
    before, here, after = kinds[:-2], kinds[1:-1], kinds[2:]
    return here & (after | ~before) & CJK


def _block(
    rows: NDArray[np.int64],
    parts: list[str],
    folded: NDArray[np.uint8] | NDArray[np.uint32],
    kinds: NDArray[np.uint8],
    events: NDArray[np.uint8],
    irregular: NDArray[np.int64],
) -> Block:
    offsets = np.zeros(len(parts) + 1, np.int64)
    np.cumsum(np.fromiter(map(len, parts), np.int64, len(parts)) + 1, out=offsets[1:])
    starts = np.flatnonzero(events != 0)
    return Block(
        rows=rows,
        offsets=offsets,
        folded=folded,
        kinds=kinds,
        starts=np.append(starts, len(kinds)),
        events=np.append(events[starts], np.uint8(WORD)),
        irregular=np.unique(rows[np.searchsorted(offsets, irregular, "right") - 1]),
    )


class _CharacterTable:
    """What folding makes of each code point and what kind that is, worked out when a code point is first met."""

    def __init__(self) -> None:
        self._kinds = np.full(_CODE_POINTS, _UNKNOWN, np.uint8)
        self._folded = np.zeros(_CODE_POINTS, np.uint32)

    def look_up(self, codes: NDArray[np.uint32]) -> tuple[NDArray[np.uint8], NDArray[np.uint32]]:
        """Return kinds and folded code points of `codes`."""
        kinds = self._kinds[codes]
        unknown = codes[kinds == _UNKNOWN]
        if len(unknown):
            for code in np.unique(unknown).tolist():
                self._kinds[code], self._folded[code] = _fold(code)
            kinds = self._kinds[codes]
        return kinds, self._folded[codes]


@lru_cache(maxsize=1 << 16)
def _fold(code: int) -> tuple[int, int]:
    """Return the kind of a code point and the one code point it folds to, or `IRREGULAR` if its neighbours matter."""
    wide = fold_width(chr(code))
    kinds = [kind_of(character) for character in wide]
    if wide and not any(kinds) and not any(map(unicodedata.combining, wide)):
        return 0, ord(" ")
    lower = fold_case(wide)
    if len(wide) != 1 or len(lower) != 1 or unicodedata.combining(wide) or ord(wide) in _CONJOINING:
        return IRREGULAR, 0
    if ord(wide) > 0xFFFF and kinds[0] != "cjk":
        return IRREGULAR, 0  # letters added to Unicode lately may combine without being marks
    return KINDS[kinds[0]], ord(lower)
