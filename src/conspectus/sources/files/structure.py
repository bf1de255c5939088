"""What a parser says about a text: where its units begin and what they belong to; sizes are no concern of a parser."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """A run of lines that belongs together, up to the next unit.

    Attributes:
        line: the first line, counted from 0.
        parent: index of the unit it cannot be read without, such as the head of its class; -1 for none.
        level: depth of a heading or of nesting; a deeper unit belongs to the shallower one before it.
        bound: its later parts cannot be read without its first, as with a function and its signature.
    """

    line: int
    parent: int = -1
    level: int = 0
    bound: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Structure:
    """The units of a text, which cover all of it, and lines before which a long unit is best cut."""

    units: tuple[Unit, ...] = (Unit(line=0),)
    seams: frozenset[int] = frozenset()
