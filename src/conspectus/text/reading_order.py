"""The order in which a person reads names that hold numbers; it knows no items and no sections."""

import re

SortKey = tuple[tuple[int, int, str], ...]

_NUMBER = re.compile(r"([0-9]+)")


def natural_key(name: str) -> SortKey:
    """`name` for sorting, numbers in it by length and then digits: `a#L9` before `a#L10`."""
    pieces = _NUMBER.split(name)
    return tuple(
        (1, len(piece.lstrip("0")), piece) if piece.isascii() and piece.isdigit() else (0, 0, piece) for piece in pieces
    )
