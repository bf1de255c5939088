"""The process in which grammars run; it is started as a script, imports nothing of the house, and may die.

A generated parser is unsafe on text that is no program in its language: sixteen thousand bytes can make it take
gigabytes, or end the process. So it runs here, under limits the kernel keeps, and what it read last is to blame if it
ends early. It reads one JSON list of [package, function, text] and writes one line for each: the units as rows of
[line, parent, level, bound], or null where it gave up.
"""

import importlib
import json
import resource
import sys
from collections.abc import Callable, Sequence
from typing import Protocol, TypeAlias, cast

Row: TypeAlias = "list[int]"

_MEMORY_BYTES = 512 << 20
_CPU_SECONDS = 5  # for one text
# Within those, an engine that needs more than this is lost in repairs and is stopped. A step is what it does between
# two calls of its progress callback (real code: 73 bytes a step and more); what it reads again it looks ahead for
# (real code: three times its length at most). Counted, not timed: the same text ends the same way everywhere.
_BYTES_A_STEP = 40
_FREE_STEPS = 200
_READINGS = 8
_PAGE = 1024
_DEEPEST = 16  # what is nested deeper stays in one piece

# Types of nodes in any of the grammars; a name means the same wherever two of them have it.
_COMMENTS = frozenset({"comment", "line_comment", "block_comment", "attribute_item", "decorator"})
_CONTAINERS = frozenset(
    {
        "abstract_class_declaration",
        "class",
        "class_declaration",
        "class_specifier",
        "enum_declaration",
        "impl_item",
        "interface_declaration",
        "mod_item",
        "module",
        "record_declaration",
        "struct_specifier",
        "trait_item",
        "union_specifier",
    }
)
_WRAPPERS = frozenset({"export_statement", "template_declaration"})
_TRANSPARENT = frozenset({"linkage_specification", "namespace_definition", "preproc_if", "preproc_ifdef"})


class _Node(Protocol):
    @property
    def type(self) -> str: ...
    @property
    def children(self) -> "list[_Node]": ...
    @property
    def named_children(self) -> "list[_Node]": ...
    @property
    def start_point(self) -> tuple[int, int]: ...
    @property
    def end_point(self) -> tuple[int, int]: ...
    def child_by_field_name(self, name: str, /) -> "_Node | None": ...


class _Tree(Protocol):
    @property
    def root_node(self) -> _Node: ...


class _Parser(Protocol):
    def parse(
        self,
        read: Callable[[int, object], bytes],
        /,
        *,
        progress_callback: Callable[[int, bool], bool],
    ) -> _Tree: ...


class _Engine(Protocol):
    def Parser(self, language: object, /) -> _Parser: ...  # noqa: N802 - as tree-sitter calls it
    def Language(self, pointer: object, /) -> object: ...  # noqa: N802


class _Reading:
    """A source as the engine reads it, with a bound on how much work it may make of it."""

    def __init__(self, source: bytes) -> None:
        self._source = source
        self._steps = _FREE_STEPS + len(source) // _BYTES_A_STEP
        self._bytes = _READINGS * (len(source) + _PAGE)

    @property
    def is_spent(self) -> bool:
        """Whether the engine has used up what it may."""
        return self._steps < 0 or self._bytes < 0

    def read(self, offset: int, _point: object) -> bytes:
        """A page of the source; nothing once the bound is passed, so that the engine comes to its end."""
        page = self._source[offset : offset + _PAGE]
        self._bytes -= len(page)
        return b"" if self.is_spent else page

    def step(self, _offset: int, _has_error: bool) -> bool:
        """Count one step; whether to stop."""
        self._steps -= 1
        return self.is_spent


class _Outline:
    """The units found so far, in the order of the text."""

    def __init__(self) -> None:
        self.rows: list[Row] = [[0, -1, 0, 0]]

    def visit(self, nodes: Sequence[_Node], *, parent: int, depth: int) -> None:
        """Take the nodes of one body; `parent` is the unit of the head that the body belongs to."""
        comment_first = comment_last = -2
        behind_definition = False
        for node in nodes:
            first, last = _lines(node)
            if node.type in _COMMENTS:
                comment_first = comment_first if comment_last + 1 >= first else first
                comment_last = last
                continue
            start = comment_first if comment_last + 1 >= first else first
            comment_first = comment_last = -2
            if last > first:
                self._take(node, start, parent=parent, depth=depth)
            elif behind_definition:
                self._open(start, parent=parent, depth=depth, bound=False)
            behind_definition = last > first

    def _take(self, node: _Node, start: int, *, parent: int, depth: int) -> None:
        """Take a node of several lines, and what is in it if that has units of its own."""
        inner = _unwrapped(node)
        body = inner.child_by_field_name("body")
        unit = self._open(start, parent=parent, depth=depth, bound=inner.type not in _TRANSPARENT)
        if depth == _DEEPEST:
            return
        if inner.type in _TRANSPARENT:
            self.visit((body or inner).children, parent=parent, depth=depth)
        elif inner.type in _CONTAINERS and body is not None:
            self.visit(body.children, parent=unit, depth=depth + 1)

    def _open(self, line: int, *, parent: int, depth: int, bound: bool) -> int:
        """Begin a unit, or replace the one that begins on the same line; the unit's index."""
        row = [line, parent, depth, int(bound)]
        if line > self.rows[-1][0]:
            self.rows.append(row)
        elif parent < len(self.rows) - 1:
            self.rows[-1] = row
        return len(self.rows) - 1


def outline(package: str, function: str, text: str) -> "list[Row] | None":
    """A unit for every definition that spans lines, with the comments above it; one-line neighbours stay together.

    None where the text is so far from the language that the engine was stopped.
    """
    engine = cast("_Engine", importlib.import_module("tree_sitter"))
    language = engine.Language(getattr(importlib.import_module(package), function)())
    reading = _Reading(text.encode())
    parser = engine.Parser(language)  # a new one each time: one that was stopped would go on where it was
    try:
        tree = parser.parse(reading.read, progress_callback=reading.step)
    except ValueError:
        if not reading.is_spent:
            raise
        return None
    if reading.is_spent:
        return None
    found = _Outline()
    found.visit(tree.root_node.children, parent=-1, depth=0)
    return found.rows


def _lines(node: _Node) -> tuple[int, int]:
    """First and last line of a node, from 0; one that ends with a line feed ends on the line it ends."""
    (first, _), (last, column) = node.start_point, node.end_point
    return first, last - 1 if column == 0 and last > first else last


def _unwrapped(node: _Node) -> _Node:
    """What an `export` or a `template` is of."""
    if node.type not in _WRAPPERS:
        return node
    return node.child_by_field_name("declaration") or (node.named_children or [node])[-1]


def _confine() -> None:
    for limit, value in (
        (resource.RLIMIT_AS, _MEMORY_BYTES),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
    ):
        resource.setrlimit(limit, (value, value))


def _allow_time() -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    used = resource.getrusage(resource.RUSAGE_SELF)
    resource.setrlimit(resource.RLIMIT_CPU, (int(used.ru_utime + used.ru_stime) + _CPU_SECONDS, hard))


def main() -> None:
    """Serve one batch."""
    sys.path[:] = sys.argv[1:]
    jobs = json.load(sys.stdin.buffer)
    _confine()
    for package, function, text in jobs:
        _allow_time()
        sys.stdout.write(json.dumps(outline(package, function, text)) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
