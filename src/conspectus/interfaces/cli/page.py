"""What a command has to show, before it takes a form: lines, tables and bars of toned text; it writes nothing."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias


class Tone(StrEnum):
    """What a piece of text is, so that a form can colour it."""

    PLAIN = "plain"
    TITLE = "title"
    FAINT = "faint"
    NAME = "name"
    NUMBER = "number"
    GOOD = "good"
    CHANGED = "changed"
    LOST = "lost"
    WARNING = "warning"
    COMMAND = "command"


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """Text of one tone; `hue` 0 or more colours it as that part of a meter instead."""

    text: str
    tone: Tone = Tone.PLAIN
    hue: int = -1


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """A bar of `share` 0..1 of its column; a form without pictures leaves its column out."""

    share: float
    hue: int = -1


Cell: TypeAlias = Span | Bar | tuple[Span, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """How the cells under `title` stand: `right` aligned, in several lines where they may `fold`, or as a `bar`."""

    title: str = ""
    right: bool = False
    fold: bool = False
    bar: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Cells in aligned columns."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    indent: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line; `indent` also holds where it has to be folded."""

    spans: tuple[Span, ...] = ()
    indent: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Meter:
    """One bar over the whole width, cut into parts of (amount, hue); what is missing to `total` stays empty."""

    parts: tuple[tuple[int, int], ...]
    total: int


Block: TypeAlias = Line | Table | Meter
Page: TypeAlias = Sequence[Block]


def span(text: object, tone: Tone = Tone.PLAIN, hue: int = -1) -> Span:
    """`text` as a person may see it."""
    return Span(text=visible(str(text)), tone=tone, hue=hue)


def line(*spans: Span | str, indent: int = 0) -> Line:
    """A line of spans; a bare string is plain."""
    return Line(spans=tuple(span(part) if isinstance(part, str) else part for part in spans), indent=indent)


def title(text: str) -> Line:
    """A heading."""
    return line(span(text, Tone.TITLE))


def words(cell: Cell) -> str:
    """The text of a cell; a bar has none."""
    if isinstance(cell, Bar):
        return ""
    return "".join(part.text for part in cell) if isinstance(cell, tuple) else cell.text


def needed(table: Table) -> list[int]:
    """Places of the columns that hold anything."""
    return [
        place
        for place in range(len(table.columns))
        if any(isinstance(row[place], Bar) or words(row[place]) for row in table.rows)
    ]


BLANK = Line()

_UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]")


def visible(text: str) -> str:
    """`text` with characters that steer a terminal or hide written as escapes; tabs and line breaks stay."""
    return _UNSEEN.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def cells(text: str) -> int:
    """Terminal cells of `text`: two for wide characters, none for marks that join the one before."""
    if text.isascii():
        return len(text)
    return sum(_cell(character) for character in text)


def _cell(character: str) -> int:
    if unicodedata.combining(character) or unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
