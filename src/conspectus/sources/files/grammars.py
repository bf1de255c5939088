"""Source code other than Python by its grammar, where the extra `code` brings one; it names no symbol and runs no code.

This is the one place that loads what may not be installed: tree-sitter, and one package a grammar.
"""

import importlib
import importlib.util
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Protocol, cast

from conspectus.sources.files.structure import Structure, Unit


@dataclass(frozen=True, slots=True, kw_only=True)
class Grammar:
    """A grammar's package, and the function in it that gives the language."""

    package: str
    function: str = "language"


GRAMMARS = {
    "bash": Grammar(package="tree_sitter_bash"),
    "c": Grammar(package="tree_sitter_c"),
    "cpp": Grammar(package="tree_sitter_cpp"),
    "go": Grammar(package="tree_sitter_go"),
    "java": Grammar(package="tree_sitter_java"),
    "javascript": Grammar(package="tree_sitter_javascript"),
    "ruby": Grammar(package="tree_sitter_ruby"),
    "rust": Grammar(package="tree_sitter_rust"),
    "tsx": Grammar(package="tree_sitter_typescript", function="language_tsx"),
    "typescript": Grammar(package="tree_sitter_typescript", function="language_typescript"),
}

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
# An engine that needs more than this is lost in repairing what is no program in its language, which can take minutes
# and gigabytes: `[/*` forty thousand times is enough. A step is what it does between two calls of its progress callback
# (real code: 73 bytes a step and more); what it reads again it looks ahead for (real code: 3 times its length at most).
_BYTES_A_STEP = 40
_FREE_STEPS = 200
_READINGS = 8
_PAGE = 1024
_LARGEST = 128 * 1024
_DEEPEST = 16  # what is nested deeper stays in one piece; nobody writes so, but somebody may wish us ill


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


@cache
def is_installed(language: str) -> bool:
    """Whether the grammar of a language in `GRAMMARS` is here; nothing is loaded to find out."""
    packages = ("tree_sitter", GRAMMARS[language].package)
    return all(importlib.util.find_spec(package) is not None for package in packages)


def parse_code(text: str, language: str) -> Structure | None:
    """A unit for every definition that spans lines, with the comments above it; one-line neighbours stay together.

    None where the text is larger than anybody writes by hand, or so far from the language that its parser would spend
    its time on repairs; that is counted in steps and not in seconds, so that it is the same everywhere.
    """
    tree = _parse(language, text.encode())
    if tree is None:
        return None
    outline = _Outline()
    outline.visit(tree.root_node.children, parent=-1, depth=0)
    return Structure(units=tuple(outline.units))


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


def _parse(language: str, source: bytes) -> _Tree | None:
    reading = _Reading(source)
    if len(source) > _LARGEST:
        return None
    parser = _engine().Parser(_language(language))  # a new one each time: one that was stopped would go on where it was
    try:
        tree = parser.parse(reading.read, progress_callback=reading.step)
    except ValueError:
        if not reading.is_spent:
            raise
        return None
    return None if reading.is_spent else tree


@cache
def _engine() -> _Engine:
    return cast("_Engine", importlib.import_module("tree_sitter"))


@cache
def _language(language: str) -> object:
    grammar = GRAMMARS[language]
    return _engine().Language(getattr(importlib.import_module(grammar.package), grammar.function)())


class _Outline:
    """The units found so far, in the order of the text."""

    def __init__(self) -> None:
        self.units: list[Unit] = [Unit(line=0)]

    def visit(self, nodes: Sequence[_Node], *, parent: int, depth: int) -> None:
        """Take the nodes of one body; `parent` is the unit of the head that the body belongs to."""
        comment_first = comment_last = -2
        behind_definition = False
        for node in nodes:
            first, last = _rows(node)
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
        unit = Unit(line=line, parent=parent, level=depth, bound=bound)
        if line > self.units[-1].line:
            self.units.append(unit)
        elif parent < len(self.units) - 1:
            self.units[-1] = unit
        return len(self.units) - 1


def _rows(node: _Node) -> tuple[int, int]:
    """First and last line of a node, from 0; one that ends with a line feed ends on the line it ends."""
    (first, _), (last, column) = node.start_point, node.end_point
    return first, last - 1 if column == 0 and last > first else last


def _unwrapped(node: _Node) -> _Node:
    """What an `export` or a `template` is of."""
    if node.type not in _WRAPPERS:
        return node
    return node.child_by_field_name("declaration") or (node.named_children or [node])[-1]
