"""Every file of the project keeps the limits of the house, and every limit is shown to bite."""

import ast
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.house import limits
from tests.house.sources import SourceFile, source_files

Limit = Callable[[SourceFile], Iterator[str]]


def planted(text: str, path: str = "src/conspectus/planted.py") -> SourceFile:
    return SourceFile(path=Path(path), text=text, tree=ast.parse(text))


@pytest.mark.proves("R-HOUSE-LIMITS")
@pytest.mark.parametrize("limit", limits.LIMITS, ids=lambda limit: limit.__name__)
def test_no_file_breaks_a_limit(limit: Limit) -> None:
    broken = [violation for file in source_files() for violation in limit(file)]
    assert not broken, "\n".join(["", *broken])


BODY = "    total = 0\n"
FORKS = "    if total: total = 1\n"
DOC = '"""A sentence."""\n'

VIOLATIONS: list[tuple[Limit, str, str]] = [
    (limits.long_files, DOC + "x = 1\n" * 400, "401 lines"),
    (limits.long_functions, "def walk():\n" + BODY * 50, "51 lines"),
    (limits.tangled_functions, "def walk(total):\n" + FORKS * 10, "complexity 11"),
    (
        limits.wide_constructors,
        "class A:\n    def __init__(self, a, b, c, d, /, e, f, *, g, h): ...",
        "8 parameters",
    ),
    (limits.weak_names, "def get_item(): ...", "get_item"),
    (limits.weak_names, "class A:\n    async def _handle_reply(self): ...", "_handle_reply"),
    (limits.weak_names, "class AbstractSource: ...", "AbstractSource"),
    (limits.inner_imports, "def walk():\n    if 1:\n        import os\n", "import inside walk"),
    (limits.wordless_modules, "x = 1\n", "no docstring"),
    (limits.wordless_modules, '"""Some words"""\n', "no sentence"),
]


@pytest.mark.parametrize(("limit", "text", "message"), VIOLATIONS)
def test_each_limit_bites(limit: Limit, text: str, message: str) -> None:
    assert [message in violation for violation in limit(planted(text))] == [True]


@pytest.mark.parametrize("path", ["src/conspectus/utils.py", "src/conspectus/common/item.py", "tests/helpers.py"])
def test_a_name_without_a_room_is_refused(path: str) -> None:
    assert len(list(limits.roomless_names(planted(DOC, path)))) == 1


@pytest.mark.parametrize(
    ("limit", "text"),
    [
        (limits.long_files, DOC + "x = 1\n" * 399),
        (limits.long_functions, "def walk():\n" + BODY * 49),
        (limits.tangled_functions, "def walk(total):\n" + FORKS * 9),
        (limits.tangled_functions, "def walk(total):\n" + FORKS * 9 + "    def inner():\n    " + FORKS),
        (limits.wide_constructors, "class A:\n    def __init__(self, a, b, c, d, e, f, g): ..."),
        (limits.weak_names, "def getter(): ...\ndef doze(): ..."),
        (limits.inner_imports, "import os\n"),
        (limits.wordless_modules, DOC),
    ],
)
def test_no_limit_bites_what_just_fits(limit: Limit, text: str) -> None:
    assert list(limit(planted(text))) == []
