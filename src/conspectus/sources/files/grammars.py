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
# A parser that needs more than this is lost in repairing what is no program in its language: real code takes a quarter.
_BYTES_A_STEP = 32  # a step is what the engine does between two calls of its progress callback
_FREE_STEPS = 200
_PAGE = 1 << 16
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
    def reset(self) -> None: ...


@cache
def is_installed(language: str) -> bool:
    """Whether the grammar of a language in `GRAMMARS` is here; nothing is loaded to find out."""
    packages = ("tree_sitter", GRAMMARS[language].package)
    return all(importlib.util.find_spec(package) is not None for package in packages)


def parse_code(text: str, language: str) -> Structure | None:
    """A unit for every definition that spans lines, with the comments above it; one-line neighbours stay together.

    None where the text is so far from the language that its parser would spend seconds on repairs; how far is counted
    in steps and not in seconds, so that it is the same everywhere.
    """
    tree = _parse(_parser(language), text.encode())
    if tree is None:
        return None
    outline = _Outline()
    outline.visit(tree.root_node.children, parent=-1, depth=0)
    return Structure(units=tuple(outline.units))


def _parse(parser: _Parser, source: bytes) -> _Tree | None:
    steps = 0
    allowed = _FREE_STEPS + len(source) // _BYTES_A_STEP

    def is_lost(_offset: int, _has_error: bool) -> bool:
        nonlocal steps
        steps += 1
        return steps > allowed

    try:
        return parser.parse(lambda offset, _: source[offset : offset + _PAGE], progress_callback=is_lost)
    except ValueError:
        if steps <= allowed:
            raise
        parser.reset()  # or it would go on with this text when it is given the next
        return None


@cache
def _parser(language: str) -> _Parser:
    grammar = GRAMMARS[language]
    engine = importlib.import_module("tree_sitter")
    pointer = getattr(importlib.import_module(grammar.package), grammar.function)()
    return cast("_Parser", engine.Parser(engine.Language(pointer)))


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
