"""A small byte-pair engine for short texts: ready long before the fast one has loaded its tables, slower afterwards.

The algorithm is the one tiktoken describes: cut the text by the encoding's pattern, then merge the bytes of each piece
by rank. Vocabulary and ranks are read from the file that quicktok carries.
"""

from collections.abc import Iterator
from heapq import heapify, heappop, heappush
from importlib.util import find_spec
from pathlib import Path

import regex

from conspectus.errors import ModelUnavailable

_PIECES = 1 << 16
_SHORT = 96
_NO_RANK = 1 << 30


class BytePairEngine:
    """Byte-pair encoding in Python."""

    def __init__(self, pattern: str, ranks: dict[bytes, int]) -> None:
        """Take the vocabulary.

        Args:
            pattern: how text is cut into pieces; no token spans two of them.
            ranks: every token's bytes and its id; the lower id is merged first.
        """
        self._cut = regex.compile(pattern).findall
        self._ranks = ranks
        self._known: dict[str, list[int]] = {}

    def count(self, text: str) -> int:
        """Tokens of `text`."""
        return sum(map(len, self._pieces(text)))

    def encode(self, text: str) -> list[int]:
        """Token ids of `text`, none of them a control id."""
        return [token for ids in self._pieces(text) for token in ids]

    def _pieces(self, text: str) -> Iterator[list[int]]:
        known = self._known
        for piece in self._cut(text):
            ids = known.get(piece)
            if ids is None:
                if len(known) >= _PIECES:
                    known.clear()
                ids = known[piece] = self._merged(piece.encode())
            yield ids

    def _merged(self, piece: bytes) -> list[int]:
        whole = self._ranks.get(piece)
        if whole is not None:
            return [whole]
        merge = _merge_short if len(piece) <= _SHORT else _merge_long
        return merge(piece, self._ranks)


def _merge_short(piece: bytes, ranks: dict[bytes, int]) -> list[int]:
    """Join the pair of lowest rank until there is none; quadratic, and the fastest for words."""
    parts = [piece[index : index + 1] for index in range(len(piece))]
    pairs = [ranks.get(piece[index : index + 2], _NO_RANK) for index in range(len(piece) - 1)]
    while pairs and (lowest := min(pairs)) < _NO_RANK:
        at = pairs.index(lowest)
        parts[at : at + 2] = [parts[at] + parts[at + 1]]
        del pairs[at]
        if at < len(pairs):
            pairs[at] = ranks.get(parts[at] + parts[at + 1], _NO_RANK)
        if at:
            pairs[at - 1] = ranks.get(parts[at - 1] + parts[at], _NO_RANK)
    return [ranks[part] for part in parts]


def _merge_long(piece: bytes, ranks: dict[bytes, int]) -> list[int]:
    """The same joins in n log n: a queue of pairs over a linked list of parts."""
    length = len(piece)
    ends = [*range(1, length + 1), length]  # where the part that starts here ends
    before = [*range(-1, length)]  # where the part before it starts
    queue = [
        (rank, start, start + 1, start + 2)
        for start in range(length - 1)
        if (rank := ranks.get(piece[start : start + 2])) is not None
    ]
    heapify(queue)
    while queue:
        _, left, middle, right = heappop(queue)
        if ends[left] != middle or ends[middle] != right:
            continue  # one of the two has been joined with another meanwhile
        ends[left], ends[middle] = right, -1
        before[right] = left
        for start in (before[left], left):
            if start >= 0 and ends[start] < length:
                end = ends[ends[start]]
                rank = ranks.get(piece[start:end])
                if rank is not None:
                    heappush(queue, (rank, start, ends[start], end))
    joined: list[int] = []
    start = 0
    while start < length:
        joined.append(ranks[piece[start : ends[start]]])
        start = ends[start]
    return joined


def read_vocabulary(name: str) -> dict[bytes, int]:
    """Tokens and ids of quicktok's file for `name`: a count, then length (16 bits), bytes and id (32 bits) of each.

    Raises:
        ModelUnavailable: quicktok is not installed, or its file has another shape.
    """
    spec = find_spec("quicktok")
    if spec is None or not spec.submodule_search_locations:
        raise ModelUnavailable("quicktok", "is not installed; install conspectus again")
    path = Path(spec.submodule_search_locations[0]) / "data" / f"{name}.vocab"
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ModelUnavailable(str(path), f"cannot be read: {error.strerror}; install conspectus again") from error
    starts: list[int] = []
    position, end = 4, len(data)
    while position < end:
        starts.append(position)
        position += 6 + data[position]
    if position != end or int.from_bytes(data[:4], "little") != len(starts):
        raise ModelUnavailable(str(path), "has an unknown shape; install conspectus again")
    return {data[at + 2 : at + 2 + data[at]]: rank for rank, at in enumerate(starts)}
