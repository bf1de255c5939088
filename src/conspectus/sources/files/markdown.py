"""The sections of Markdown text by its headings, as a CommonMark parser sees them; it renders nothing."""

import importlib
import re
from collections.abc import Sequence
from functools import cache
from typing import Protocol, cast

from conspectus.sources.files.structure import Structure, Unit

_FRONT_MATTER = re.compile(r"---[ \t]*\r?\n.*?^(?:---|\.\.\.)[ \t]*\r?$", re.DOTALL | re.MULTILINE)


class _Token(Protocol):
    type: str
    tag: str
    level: int
    map: list[int] | None


class _Parser(Protocol):
    def parse(self, src: str, /) -> Sequence[_Token]: ...


def parse_markdown(text: str, lines: Sequence[str]) -> Structure:
    """One unit a section; blocks of text, lists and code are not cut where they can be kept whole."""
    front = _FRONT_MATTER.match(text)
    skipped = front[0].count("\n") + 1 if front else 0
    # A parser that also knew a lone carriage return for a line end would count other lines than we do.
    body = "\n".join(lines[skipped:]).replace("\r", " ")
    units = [Unit(line=0)]
    seams: set[int] = set()
    for token in _parser().parse(body):
        if token.level or token.map is None:
            continue
        line = token.map[0] + skipped
        seams.add(line)
        if token.type == "heading_open" and line > 0:
            units.append(Unit(line=line, level=int(token.tag[1])))
        elif token.type == "heading_open":
            units[0] = Unit(line=0, level=int(token.tag[1]))
    return Structure(units=tuple(units), seams=frozenset(seams))


@cache
def _parser() -> _Parser:
    """Loaded when the first Markdown is cut: a run that finds every boundary in its cache never needs it."""
    parser = importlib.import_module("markdown_it").MarkdownIt("commonmark")
    parser.core.ruler.disable(["inline", "text_join"])
    return cast("_Parser", parser)
