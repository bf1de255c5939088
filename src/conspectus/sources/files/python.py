"""The functions and classes of Python text, found by scanning; it does not judge whether the text is a program.

A scan because it is measured: 20 times as fast as `ast` and 4 times as fast as a tree-sitter grammar on the standard
library, the same chunks on every Python and every installation, and none the worse for a syntax error or Python 2.
The tests hold it to what `ast` finds. What makes a scan enough is that `def` and `class` are keywords: outside strings
and comments they begin a definition wherever they begin a line.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from conspectus.sources.files.structure import Structure, Unit

# One match a line of code, with all that its strings drag along. `head` is empty for code that defines nothing, and
# absent where a line goes on with a bracket or begins with a string, a comment or nothing.
_LINE = re.compile(
    r"""
    (?P<indent>[ \t]*+)
    (?P<head>@|(?:async[ \t]++)?def\b|class\b|(?=[^\s#)\]}"']))?
    (?: [^"'#\n]++
      | "{3}[^"\\]*+(?:(?:\\.|"(?!""))[^"\\]*+)*+(?:"{3}|\\?\Z)
      | '{3}[^'\\]*+(?:(?:\\.|'(?!''))[^'\\]*+)*+(?:'{3}|\\?\Z)
      | "[^"\\\n]*+(?:\\.[^"\\\n]*+)*+"?
      | '[^'\\\n]*+(?:\\.[^'\\\n]*+)*+'?
      | \#[^\n]*+
    )*+
    \n?
    """,
    re.VERBOSE | re.DOTALL,
)
_NOWHERE = 1 << 30


@dataclass(frozen=True, slots=True)
class _Scope:
    """A definition whose body the scan is in: columns of its indentation, its unit, and whether it is a class."""

    indent: int
    unit: int
    is_class: bool


class _Outline:
    """The units found so far, and the definitions the scan is in."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.units: list[Unit] = [Unit(line=0)]
        self._lines = lines
        self._scopes: list[_Scope] = []
        self._decorated = False

    @property
    def deaf_above(self) -> int:
        """Code indented more than this is inside a function, whose body is its own affair."""
        return self._scopes[-1].indent if self._scopes and not self._scopes[-1].is_class else _NOWHERE

    def take(self, line: int, indent: int, head: str) -> None:
        """Take a line of code: its number, its indentation and how it begins."""
        scopes = self._scopes
        left = False
        while scopes and scopes[-1].indent >= indent:
            scopes.pop()
            left = True
        if head and not self._decorated:
            self._open(line, bound=True)
        elif left and not self._decorated:
            self._open(line, bound=False)
        if head:
            self._decorated = head == "@"
            if not self._decorated:
                scopes.append(_Scope(indent, len(self.units) - 1, head == "class"))

    def _open(self, line: int, *, bound: bool) -> None:
        """Begin a unit, together with the comments that stand directly above it."""
        last = self.units[-1].line
        while line - 1 > last and self._lines[line - 1].lstrip().startswith("#"):
            line -= 1
        parent = self._scopes[-1].unit if self._scopes else -1
        unit = Unit(line=line, parent=parent, level=len(self._scopes), bound=bound)
        if line > last:
            self.units.append(unit)
        else:
            self.units[-1] = unit


def parse_python(text: str, lines: Sequence[str]) -> Structure:
    """The module's head, every function, every class head and every method of `text`, given whole and in lines."""
    outline = _Outline(lines)
    deaf_above = _NOWHERE
    line = place = 0
    for found in _LINE.finditer(text):
        indent = found.end("indent") - found.start()
        head = found["head"]
        if head is None or indent > deaf_above:
            continue
        line += text.count("\n", place, found.start())
        place = found.start()
        outline.take(line, indent, head)
        deaf_above = outline.deaf_above
    return Structure(units=tuple(outline.units))
