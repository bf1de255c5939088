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
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from conspectus.text.words import fold_case, fold_width, kind_of

Flags: TypeAlias = NDArray[np.uint8]
"""One byte of flags per character or event."""
Codes: TypeAlias = NDArray[np.uint8] | NDArray[np.uint32]
"""Characters as bytes or as code points."""
Places: TypeAlias = NDArray[np.int64]
"""Positions or row numbers."""

UPPER = 0b00010
CJK = 0b01000
WORD = 0b10000
IRREGULAR = 0b100000
ALPHANUMERIC = 0b00111
KINDS = {
    "lower": 0b10001, "upper": 0b10011, "digit": 0b10100, "underscore": WORD, "cjk": CJK, "mark": IRREGULAR, "": 0,
}  # fmt: skip

PADDING = 8
BLOCK_CHARACTERS = 1 << 20
_STRIP = 1 << 16
_CODE_POINTS = 0x110000
_UNKNOWN = 0xFF
_CONJOINING = frozenset(chain(range(0x1160, 0x1200), range(0xD7B0, 0xD800)))
_ASCII_KINDS = bytes(KINDS[kind_of(chr(code))] if code < 128 else 0 for code in range(256))


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """Some texts (or parts of long ones), one after the other, with separators around each.

    Attributes:
        rows: for each text in the block, its number in the whole; no number twice.
        offsets: where each text begins in the columns, and where one more would.
        folded: the characters, folded and in lower case, as bytes or as code points; padded by `PADDING` separators.
        kinds: the flags of each character, padded like `folded`.
        starts: positions where a word, a part, a pair or a lone character begins, then the length of the columns.
        events: which flags began there; a last `WORD` closes them.
        irregular: numbers of the texts whose columns mean nothing.
    """

    rows: Places
    offsets: Places
    folded: Codes
    kinds: Flags
    starts: Places
    events: Flags
    irregular: Places


def scan(texts: Sequence[str], *, block_characters: int = BLOCK_CHARACTERS) -> Iterator[Block]:
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


def _batches(texts: Sequence[str], rows: Places, limit: int) -> Iterator[tuple[Places, list[str]]]:
    """Yield row numbers and texts of about `limit` characters together, and each part of a longer text by itself."""
    numbers: list[int] = rows.tolist()
    parts = [texts[number] for number in numbers]
    ends = np.cumsum(np.fromiter(map(len, parts), np.int64, len(parts)) + 1)
    first = 0
    while first < len(parts):
        done = int(ends[first - 1]) if first else 0
        last = int(np.searchsorted(ends, done + limit, "right"))
        if last > first:
            yield rows[first:last], parts[first:last]
        else:
            last = first + 1
            for piece in _cut(parts[first], limit):
                yield rows[first:last], [piece]
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


def _ascii_block(rows: Places, parts: list[str]) -> Block:
    raw = _joined(parts).encode("ascii")
    kinds = np.frombuffer(raw.translate(_ASCII_KINDS), np.uint8)
    folded = np.frombuffer(raw.lower(), np.uint8)
    return _block(rows, parts, folded, kinds)


def _wide_block(rows: Places, parts: list[str], table: "_CharacterTable") -> Block:
    codes = np.frombuffer(_joined(parts).encode("utf-32-le", "surrogatepass"), np.uint32)
    kinds, folded = table.look_up(codes)
    return _block(rows, parts, folded, kinds)


def _joined(parts: list[str]) -> str:
    return "\n" + "\n".join(parts) + "\n" * PADDING


def _block(
    rows: Places,
    parts: list[str],
    folded: Codes,
    kinds: Flags,
) -> Block:
    offsets = np.ones(len(parts) + 1, np.int64)
    offsets[1:] += np.cumsum(np.fromiter(map(len, parts), np.int64, len(parts)) + 1)
    is_wide = folded.dtype != np.uint8
    irregular = np.flatnonzero(kinds & IRREGULAR) if is_wide else np.empty(0, np.int64)
    starts, events = _find_starts(kinds, is_wide)
    return Block(
        rows=rows,
        offsets=offsets,
        folded=folded,
        kinds=kinds,
        starts=starts,
        events=events,
        irregular=np.flatnonzero(np.bincount(rows[np.searchsorted(offsets, irregular, "right") - 1])),
    )


def _find_starts(kinds: Flags, is_wide: bool) -> tuple[Places, Flags]:
    """Return positions and events, worked out strip by strip: what lies between stays in the processor's cache."""
    starts: list[Places] = []
    events: list[Flags] = []
    for first in range(1, len(kinds) - 1, _STRIP):
        strip = kinds[first - 1 : first + _STRIP + 1]
        before, here, after = strip[:-2], strip[1:-1], strip[2:]
        begun = _word_events(before, here, after)
        if is_wide:
            begun &= WORD | ALPHANUMERIC
            begun |= _pair_events(before, here, after)
        found = np.flatnonzero(begun != 0)
        starts.append(found + first)
        events.append(begun[found])
    starts.append(np.array([len(kinds)]))
    events.append(np.array([WORD], np.uint8))
    return np.concatenate(starts), np.concatenate(events)


def _word_events(before: Flags, here: Flags, after: Flags) -> Flags:
    """Return the newly set flags of each character, and a new part at the last upper letter before a lower one."""
    acronym_end = after << 1
    acronym_end &= ~after
    acronym_end &= before
    acronym_end &= UPPER
    begun = ~before
    begun |= acronym_end
    begun &= here
    return begun


def _pair_events(before: Flags, here: Flags, after: Flags) -> Flags:
    """Return `CJK` where a pair begins, or a character stands alone between others."""
    begun = ~before
    begun |= after
    begun &= here
    begun &= CJK
    return begun


class _CharacterTable:
    """What folding makes of each code point and what kind that is, worked out when a code point is first met."""

    def __init__(self) -> None:
        self._kinds = np.full(_CODE_POINTS, _UNKNOWN, np.uint8)
        self._folded = np.zeros(_CODE_POINTS, np.uint32)

    def look_up(self, codes: NDArray[np.uint32]) -> tuple[Flags, NDArray[np.uint32]]:
        """Return kinds and folded code points of `codes`."""
        kinds = self._kinds[codes]
        unknown = codes[kinds == _UNKNOWN]
        if len(unknown):
            met = np.zeros(_CODE_POINTS, np.bool_)
            met[unknown] = True
            for code in np.flatnonzero(met).tolist():
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
