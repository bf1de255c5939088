"""Source code other than Python by its grammar, where the extra `code` brings one; the grammars run elsewhere.

This is the one place that knows what may not be installed: tree-sitter, and one package a grammar.
"""

import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import msgspec

from conspectus.sources.files.structure import Structure, Unit

_WORKER = Path(__file__).with_name("worker.py")
_LARGEST = 128 * 1024  # characters; nobody writes more into one file by hand
_ENVIRONMENT = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")  # what a Python may need to start, and nothing else
_MOST_DEATHS = 8  # of the process, in one batch, before the rest is cut by paragraphs


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
_ROWS = msgspec.json.Decoder(list[tuple[int, int, int, int]] | None)


@cache
def is_installed(language: str) -> bool:
    """Whether the grammar of a language in `GRAMMARS` is here, and a Python to run it; nothing is loaded for it."""
    if not sys.executable or getattr(sys, "frozen", False):
        return False
    packages = ("tree_sitter", GRAMMARS[language].package)
    return all(importlib.util.find_spec(package) is not None for package in packages)


def parse_code(texts: Sequence[tuple[str, str]]) -> list[Structure | None]:
    """The structure of each (language, text), found by a process of its own for all of them.

    None where a text is larger than anybody writes by hand, is no program in its language, or ended the process.
    """
    found: list[Structure | None] = [None] * len(texts)
    waiting = [index for index, (_, text) in enumerate(texts) if len(text) <= _LARGEST]
    for _ in range(_MOST_DEATHS):
        if not waiting:
            break
        answers = _ask([texts[index] for index in waiting])
        for index, answer in zip(waiting, answers, strict=False):
            found[index] = answer
        waiting = waiting[len(answers) + 1 :]  # the one without an answer is the one it died of
    return found


def _ask(texts: Sequence[tuple[str, str]]) -> list[Structure | None]:
    """The answers of one process, up to the text it died of, if it died."""
    jobs = [(GRAMMARS[language].package, GRAMMARS[language].function, text) for language, text in texts]
    paths = [entry for entry in sys.path if Path(entry).is_absolute()]
    done = subprocess.run(
        [sys.executable, "-I", str(_WORKER), *paths],
        input=json.dumps(jobs).encode(),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={name: os.environ[name] for name in _ENVIRONMENT if name in os.environ},
        cwd="/",
        check=False,
    )
    return [_structure(line) for line in done.stdout.splitlines(keepends=True) if line.endswith(b"\n")]


def _structure(line: bytes) -> Structure | None:
    rows = _ROWS.decode(line)
    if rows is None:
        return None
    units = (Unit(line=line, parent=parent, level=level, bound=bool(bound)) for line, parent, level, bound in rows)
    return Structure(units=tuple(units))
