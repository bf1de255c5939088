"""The limits on size and shape, as functions from one file to its violations; nobody is excepted."""

import ast
import re
from collections.abc import Iterator, Sequence

from tests.house.sources import Function, SourceFile, classes, functions

MAX_FILE_LINES = 400
MAX_FUNCTION_LINES = 50
MAX_COMPLEXITY = 10
MAX_CONSTRUCTOR_PARAMETERS = 7
FORBIDDEN_MODULE_NAMES = frozenset({"base", "common", "helper", "helpers", "manager", "misc", "util", "utils"})
FORBIDDEN_PREFIXES = ("get_", "do_", "handle_")
FORBIDDEN_CLASS_PATTERN = re.compile(r"^(Abstract|Base)[A-Z]|Impl$|(Manager|Helper|Utils?)$")

_BRANCHES = (ast.If, ast.For, ast.AsyncFor, ast.While, ast.ExceptHandler, ast.match_case)


def long_files(file: SourceFile) -> Iterator[str]:
    """A file of more than 400 lines."""
    lines = len(file.text.splitlines())
    if lines > MAX_FILE_LINES:
        yield f"{file.path}: {lines} lines, at most {MAX_FILE_LINES}"


def long_functions(file: SourceFile) -> Iterator[str]:
    """A function of more than 50 lines, decorators not counted."""
    for function in functions(file.tree):
        lines = (function.end_lineno or function.lineno) - function.lineno + 1
        if lines > MAX_FUNCTION_LINES:
            yield f"{file.path}:{function.lineno} {function.name}: {lines} lines"


def own_nodes(function: Function) -> Iterator[ast.AST]:
    """What belongs to a function itself; a nested function or class is counted on its own."""
    waiting: list[ast.AST] = list(function.body)
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, Function | ast.ClassDef):
            waiting.extend(ast.iter_child_nodes(node))


def complexity(function: Function) -> int:
    """One plus every statement where the way forks (McCabe 1976, counted as ruff's C901 counts)."""
    return 1 + sum(isinstance(node, _BRANCHES) for node in own_nodes(function))


def tangled_functions(file: SourceFile) -> Iterator[str]:
    """A function of complexity above 10."""
    for function in functions(file.tree):
        measured = complexity(function)
        if measured > MAX_COMPLEXITY:
            yield f"{file.path}:{function.lineno} {function.name}: complexity {measured}"


def wide_constructors(file: SourceFile) -> Iterator[str]:
    """A written constructor with more than 7 parameters beside self; a dataclass writes none."""
    for made in classes(file.tree):
        for function in made.body:
            if isinstance(function, Function) and function.name == "__init__":
                count = len(parameters(function)) - 1
                if count > MAX_CONSTRUCTOR_PARAMETERS:
                    yield f"{file.path}:{function.lineno} {made.name}: {count} parameters"


def parameters(function: Function) -> Sequence[ast.arg]:
    """All parameters of a function, whichever way they are passed."""
    arguments = function.args
    starred = [argument for argument in (arguments.vararg, arguments.kwarg) if argument]
    return [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, *starred]


def roomless_names(file: SourceFile) -> Iterator[str]:
    """A module or folder named for having no place."""
    for part in (*file.path.parts[:-1], file.path.stem):
        if part in FORBIDDEN_MODULE_NAMES:
            yield f"{file.path}: {part!r} names no room; say what is in it"


def weak_names(file: SourceFile) -> Iterator[str]:
    """A function named get_, do_ or handle_, or a class named for its pattern."""
    for function in functions(file.tree):
        if function.name.lstrip("_").startswith(FORBIDDEN_PREFIXES):
            yield f"{file.path}:{function.lineno} {function.name}: say what it does"
    for made in classes(file.tree):
        if FORBIDDEN_CLASS_PATTERN.search(made.name):
            yield f"{file.path}:{made.lineno} {made.name}: say what it is"


def inner_imports(file: SourceFile) -> Iterator[str]:
    """An import that waits inside a function."""
    for function in functions(file.tree):
        for node in own_nodes(function):
            if isinstance(node, ast.Import | ast.ImportFrom):
                yield f"{file.path}:{node.lineno} import inside {function.name}"


def wordless_modules(file: SourceFile) -> Iterator[str]:
    """A module without a docstring, or with a first paragraph that does not end as a sentence does."""
    text = ast.get_docstring(file.tree)
    if text is None:
        yield f"{file.path}: no docstring"
    elif not text.split("\n\n")[0].rstrip().endswith((".", "?", "!", ":")):
        yield f"{file.path}: the docstring is no sentence"


LIMITS = (
    long_files,
    long_functions,
    tangled_functions,
    wide_constructors,
    roomless_names,
    weak_names,
    inner_imports,
    wordless_modules,
)
