"""A text and its structure to chunks that cover it: large units are cut, small ones joined; it knows no language."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from conspectus.sources.files.lines import Lines, cut_line
from conspectus.sources.files.structure import Structure, Unit

# Sizes in bytes of UTF-8: three or four bytes are about a token, whatever the script.
SMALL = 600  # a class of this size stays whole: its parts would cost more in frames than they save
AIM = 1_600  # chunks are not joined beyond this, and long units are cut to about this
MAX = 2_400  # a unit above this is cut

# A line that goes on with what stands before it is no place to begin.
_GOES_ON = (")", "]", "}", "else", "elif", "except", "finally", "catch", "rescue", "ensure", "end", "esac", "done")


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """A run of a text, from code point `start` up to `end`.

    Attributes:
        first, last: its lines, counted from 1.
        column: 0 for whole lines; else the column, from 1, where a piece of one long line begins.
        needs: index of the chunk it cannot be read without, or -1.
    """

    start: int
    end: int
    first: int
    last: int
    column: int = 0
    needs: int = -1


@dataclass(frozen=True, slots=True, kw_only=True)
class _Piece:
    """A chunk in the making: `needs` is the index of a piece, `size` its bytes, `loose` whether it may be joined."""

    chunk: Chunk
    size: int
    level: int
    needs: int
    loose: bool


def pack(lines: Lines, structure: Structure, floor: int) -> tuple[Chunk, ...]:
    """Chunks that cover the text in order; units of less than `floor` bytes are joined with their neighbours."""
    return _join(_cut(lines, structure), floor) if lines.texts else ()


def _cut(lines: Lines, structure: Structure) -> list[_Piece]:
    """Every unit as one piece or several, small families as one."""
    units = structure.units
    pieces: list[_Piece] = []
    holder: list[int] = []  # for each unit so far, the piece that holds its first line
    while len(holder) < len(units):
        index = len(holder)
        unit = units[index]
        end, members = _extent(units, index, lines)
        if lines.size(unit.line, end) > SMALL:
            end, members = _line_of(units, index + 1, lines), 1
        needs = holder[unit.parent] if unit.parent >= 0 else -1
        holder.extend([len(pieces)] * members)
        head = len(pieces)
        for chunk, size in _parts(lines, unit.line, end, structure.seams):
            follows = unit.bound and len(pieces) > head
            pieces.append(
                _Piece(
                    chunk=chunk,
                    size=size,
                    level=unit.level,
                    needs=head if follows else needs,
                    loose=not (follows or chunk.column),
                )
            )
    return pieces


def _line_of(units: Sequence[Unit], index: int, lines: Lines) -> int:
    return units[index].line if index < len(units) else len(lines.texts)


def _extent(units: Sequence[Unit], index: int, lines: Lines) -> tuple[int, int]:
    """The line behind a unit and all that belongs to it, and how many units that is."""
    after = index + 1
    while after < len(units) and units[after].parent >= index:
        after += 1
    return _line_of(units, after, lines), after - index


def _parts(lines: Lines, first: int, end: int, seams: frozenset[int]) -> Iterator[tuple[Chunk, int]]:
    """Lines `first` up to `end` in chunks of at most MAX bytes, with their sizes; only a longer line is cut within."""
    while first < end:
        if lines.size(first, first + 1) > MAX:
            yield from _pieces_of_line(lines, first)
            first += 1
            continue
        stop = _stop(lines, first, end, seams)
        chunk = Chunk(start=lines.starts[first], end=lines.starts[stop], first=first + 1, last=stop)
        yield chunk, lines.size(first, stop)
        first = stop


def _pieces_of_line(lines: Lines, line: int) -> Iterator[tuple[Chunk, int]]:
    start = lines.starts[line]
    column = 1
    for piece in cut_line(lines.between(line, line + 1), AIM):
        chunk = Chunk(start=start, end=start + len(piece), first=line + 1, last=line + 1, column=column)
        yield chunk, len(piece.encode())
        start += len(piece)
        column += len(piece)


def _stop(lines: Lines, first: int, end: int, seams: frozenset[int]) -> int:
    """Where the chunk that begins with line `first` ends best: before a seam, or a shallow line after a blank."""
    rest = lines.size(first, end)
    if rest <= MAX:
        return end
    ideal = rest / -(-rest // AIM)
    limit = bisect_right(lines.weights, lines.weights[first] + MAX) - 1
    best, stop = None, limit
    for line in range(bisect_right(lines.weights, lines.weights[first] + ideal / 2, first + 1), limit + 1):
        rated = _rate(lines, line, line in seams) if line < len(lines.texts) else (False, True, 0, True)
        score = (*rated, -abs(lines.size(first, line) - ideal))
        if best is None or score > best:
            best, stop = score, line
    return stop


def _rate(lines: Lines, line: int, is_seam: bool) -> tuple[bool, bool, int, bool]:
    """How well a chunk could begin with `line`: a seam, no continuation, little indentation, a blank line before."""
    text = lines.texts[line]
    bare = text.lstrip()
    return (
        is_seam,
        bool(bare) and not bare.startswith(_GOES_ON),
        len(bare) - len(text),
        not lines.texts[line - 1].strip(),
    )


def _join(pieces: Sequence[_Piece], floor: int) -> tuple[Chunk, ...]:
    """Join neighbours of which one is small, and let every chunk point to the chunk it needs."""
    groups: list[_Piece] = []
    place: list[int] = []  # for each piece, the group it went into
    for index, piece in enumerate(pieces):
        opens = index + 1 < len(pieces) and pieces[index + 1].level > piece.level
        if groups and _belongs(groups[-1], piece, opens, floor):
            groups[-1] = _joined(groups[-1], piece)
        else:
            groups.append(piece)
        place.append(len(groups) - 1)
    return tuple(
        replace(group.chunk, needs=place[group.needs]) if group.needs >= 0 else group.chunk for group in groups
    )


def _joined(group: _Piece, piece: _Piece) -> _Piece:
    first, last = group.chunk, piece.chunk
    return _Piece(
        chunk=Chunk(start=first.start, end=last.end, first=first.first, last=last.last),
        size=group.size + piece.size,
        level=group.level,
        needs=group.needs,
        loose=True,
    )


def _belongs(group: _Piece, piece: _Piece, opens: bool, floor: int) -> bool:
    """Whether `piece` joins the group before it; what opens something deeper stays with that, like a heading."""
    if group.needs != piece.needs or not (group.loose and piece.loose) or group.size + piece.size > AIM:
        return False
    if piece.size < floor and not opens:
        return True
    return group.size < floor and (piece.level > group.level or (piece.level == group.level and not opens))
