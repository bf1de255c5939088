"""Where a text is broken that is wider than its room: by sense first, inside a word last; it draws nothing."""

import re
from collections.abc import Iterable, Iterator

from rich.cells import cell_len, chop_cells

from conspectus.text.words import CJK_CHARACTERS

_CLOSING = "，。、；：！？）」』】》〉”’…"
_WORDS = re.compile(rf"\s+|[{CJK_CHARACTERS}][{_CLOSING}]*\s*|[^\s{CJK_CHARACTERS}]+\s*")
_STEPS = re.compile(r"#?[^/#]+/?|[/#]")
_PIECES = re.compile(r"[^-_.]*[-_.]|[^-_.]+")


def breaks(parts: Iterable[str], width: int) -> list[int]:
    """Places in the joined `parts` where a new line begins, so that no line has more than `width` cells.

    A part stays whole where a line can hold it; then the words of one that no line holds; then the folders of a path,
    with `#` at the beginning; then pieces of a name; only then characters. Blanks at the end of a line do not count.
    """
    places: list[int] = []
    place = used = 0
    for piece in _pieces(parts, max(width, 1)):
        if used and used + cell_len(piece.rstrip()) > width:
            places.append(place)
            used = 0
        used += cell_len(piece)
        place += len(piece)
    return places


def _pieces(parts: Iterable[str], width: int) -> Iterator[str]:
    """Parts that are never broken again, blanks before them apart: they belong to the end of a line."""
    for part in parts:
        text = part.lstrip()
        yield part[: len(part) - len(text)]
        yield from _cut(text, width, (_WORDS, _STEPS, _PIECES))


def _cut(text: str, width: int, seams: tuple[re.Pattern[str], ...]) -> Iterator[str]:
    if cell_len(text.rstrip()) <= width:
        yield text
    elif seams:
        for piece in seams[0].findall(text):
            yield from _cut(piece, width, seams[1:])
    else:
        yield from chop_cells(text, width)
