"""The project's own Python files, read and parsed once for the tests of the house; it judges nothing."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "conspectus"
FOLDERS = ("src", "tests", "bench", "torture", "examples", "docs", "docs_src")

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceFile:
    """One Python file: its path from the repository's root, its text and its syntax tree."""

    path: Path
    text: str
    tree: ast.Module


def parse(path: Path, root: Path) -> SourceFile:
    """Read and parse one file; raises SyntaxError or UnicodeDecodeError as Python itself would."""
    text = path.read_text(encoding="utf-8")
    return SourceFile(path=path.relative_to(root), text=text, tree=ast.parse(text))


@cache
def source_files() -> tuple[SourceFile, ...]:
    """Every Python file of the project, sorted by path."""
    paths = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py")]
    return tuple(parse(path, ROOT) for path in sorted(paths))


def functions(tree: ast.AST) -> Iterator[Function]:
    """Every function and method of a tree, nested ones too."""
    for node in ast.walk(tree):
        if isinstance(node, Function):
            yield node


def classes(tree: ast.AST) -> Iterator[ast.ClassDef]:
    """Every class of a tree, nested ones too."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            yield node
