"""The chunks of a text are the text: nothing lost or twice, lines counted right, no grapheme cut, in any language."""

import ast
import sysconfig
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conspectus.sources.files.boundaries import Cut, cut_texts, decode_cut, encode_cut
from conspectus.sources.files.chunk import PARAGRAPHS, chunk, cut_as, language_of
from conspectus.sources.files.grammars import GRAMMARS, is_installed
from conspectus.sources.files.pack import MAX, Chunk
from conspectus.sources.files.python import parse_python
from conspectus.text.graphemes import is_boundary

BLOCKS = [
    "",
    "# Heading\n\nwords words words",
    "## 数据库\n\n" + "数据库是存放数据的地方。" * 20,
    "```python\n# no heading\n```",
    "---\ntitle: x\n---",
    (
        "class Shop:\n    '''Sells.'''\n\n    def sell(self, it):\n        return it\n\n"
        "    # above\n    def buy(self):\n        pass"
    ),
    "def f(x):\n    return x\n",
    "async def g(\n    a,\n):\n    '''doc\n\nclass No:\n'''\n    " + "call(a)\n    " * 60,
    "@decorated\ndef h(): pass",
    "'''",
    '"',
    "function f() {\n  return 1;\n}\n",
    "export class A {\n  m() {\n    return `\n${1}`;\n  }\n}",
    "package a\n\nfunc F() int {\n\treturn 1\n}",
    "pub fn f() -> u8 {\n    1\n}",
    "name,size\na,1\nb,2",
    "\t \t",
    "\x0c\x0b\u2028\u0085 strange separators",
    "\u0301 starts with a mark",
    "x" * 7_000,
    "长" * 3_000,
    "🇩🇪" * 900,
    "👨\u200d👩\u200d👧" * 400,
    "e" + "\u0301" * 3_000,
    "한국어 문장입니다. " * 300,
    "word " * 900,
]
TEXTS = st.tuples(
    st.lists(
        st.sampled_from(BLOCKS) | st.text(max_size=20).map(lambda t: t.encode("utf-8", "replace").decode()), max_size=14
    ),
    st.sampled_from(["\n", "\n\n", "\r\n", "\r\n\r\n", "\r", " "]),
    st.sampled_from(["", "\n", "\r\n", "\n\n\n"]),
).map(lambda parts: parts[1].join(parts[0]) + parts[2])
SCANNED = ["python", "markdown", "table", PARAGRAPHS]


def check(text: str, chunks: Sequence[Chunk]) -> None:
    assert "".join(text[each.start : each.end] for each in chunks) == text
    place = 0
    for each in chunks:
        assert each.start == place
        assert each.end > each.start
        place = each.end
        assert each.first == text.count("\n", 0, each.start) + 1
        assert each.last == text.count("\n", 0, each.end - 1) + 1
        begun = text.rfind("\n", 0, each.start) + 1
        assert each.start == begun + max(0, each.column - 1)
        assert is_boundary(text, each.start)
        if text[each.start : each.end].count("\n") > 1:
            assert len(text[each.start : each.end].encode()) <= MAX
    for index, each in enumerate(chunks):
        assert -1 <= each.needs < index, "a chunk needs only what stands before it"


@pytest.mark.proves("R-SOURCE-FILES-CHUNKS", "R-CONTRACT-GRAPHEME", "R-BAD-CRLF")
@pytest.mark.parametrize("language", SCANNED)
@given(TEXTS)
def test_chunks_are_the_text(language: str, text: str) -> None:
    check(text, chunk(text, language))


@pytest.mark.proves("R-SOURCE-FILES-CHUNKS", "R-CONTRACT-GRAPHEME")
@settings(max_examples=8)
@given(st.lists(TEXTS, min_size=4, max_size=4))
def test_chunks_are_the_text_in_every_language_with_a_grammar(texts: list[str]) -> None:
    languages = [language for language in GRAMMARS if is_installed(language)]
    if not languages:
        pytest.skip("no grammar is installed")
    jobs = [(text, language) for language in languages for text in texts]
    for (text, _), cut in zip(jobs, cut_texts(jobs), strict=True):
        check(text, cut.chunks)


@given(TEXTS, st.sampled_from(SCANNED))
def test_boundaries_come_back_from_a_cache_and_only_for_their_text(text: str, language: str) -> None:
    cut = Cut(chunks=chunk(text, language))
    assert decode_cut(encode_cut(cut), len(text)) == cut
    assert decode_cut(encode_cut(cut), len(text) + 1) is None


@given(st.binary(max_size=80), st.integers(0, 60), st.integers(0, 255))
def test_a_damaged_cache_is_a_miss_or_covers_the_text(noise: bytes, place: int, byte: int) -> None:
    text = "word " * 900
    good = encode_cut(Cut(chunks=chunk(text, PARAGRAPHS)))
    turned = good[:place] + bytes([byte]) + good[place + 1 :]
    for data in (noise, turned, good[:place]):
        cut = decode_cut(data, len(text))
        if cut is not None:
            assert "".join(text[each.start : each.end] for each in cut.chunks) == text


def test_the_ending_names_the_language() -> None:
    names = {
        b"a/B.PY": "python",
        b"x.md": "markdown",
        b"t.csv": "table",
        b"Makefile": PARAGRAPHS,
        b"a.py/b": PARAGRAPHS,
    }
    assert {name: language_of(name) for name in names} == names
    assert cut_as(b"x.py") == "python"


MODULES = [
    "argparse",
    "ast",
    "dataclasses",
    "inspect",
    "json/decoder",
    "logging/__init__",
    "textwrap",
    "typing",
    "turtle",
]


@pytest.mark.proves("R-SOURCE-FILES-CHUNKS")
@pytest.mark.parametrize("module", MODULES)
def test_the_scan_finds_the_definitions_that_python_finds(module: str) -> None:
    path = Path(sysconfig.get_path("stdlib")) / f"{module}.py"
    if not path.exists():
        pytest.skip("this Python has no source of its library")
    text = path.read_text(encoding="utf-8")
    lines = text.split("\n")
    units = parse_python(text, lines).units
    bound = {first_code(lines, unit.line) for unit in units if unit.bound}
    assert bound == set(definitions(ast.parse(text)))


def first_code(lines: Sequence[str], line: int) -> int:
    """The first line behind the comments that a unit begins with."""
    while lines[line].lstrip().startswith("#"):
        line += 1
    return line


def definitions(tree: ast.AST) -> list[int]:
    """The first line, from 0, of every definition that is not inside a function."""
    found: list[int] = []
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.append(min([node.lineno, *(each.lineno for each in node.decorator_list)]) - 1)
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            found += definitions(node)
    return found


LONG = "    value = compute(value)\n" * 40


@pytest.mark.proves("R-SOURCE-FILES-CHUNKS", "R-SOURCE-FILES-NEEDS")
def test_python_is_cut_by_function_and_method_and_a_method_needs_its_class() -> None:
    inner = LONG.replace("    ", "        ")
    text = (
        f"import os\n\n\ndef one():\n{LONG}\n\n# about two\n@cached\ndef two():\n{LONG}\n\n"
        f"class Shop:\n    '''Sells.'''\n\n    def sell(self):\n{inner}\n    def buy(self):\n{inner}"
    )
    chunks = chunk(text, "python")
    begins = [text[each.start : each.end].lstrip().split("\n")[0] for each in chunks]
    assert begins == ["import os", "# about two", "class Shop:", "def sell(self):", "def buy(self):"]
    assert [each.needs for each in chunks] == [-1, -1, -1, 2, 2]


def test_the_rest_of_a_long_function_needs_its_head() -> None:
    text = f"def long():\n{LONG * 4}"
    chunks = chunk(text, "python")
    assert len(chunks) > 2
    assert [each.needs for each in chunks] == [-1] + [0] * (len(chunks) - 1)


@pytest.mark.proves("R-SOURCE-FILES-CHUNKS")
def test_markdown_is_cut_by_heading_and_no_heading_is_found_in_code() -> None:
    prose = "Words go on and on here. " * 40
    text = f"# One\n\n{prose}\n\n## Two 二\n\n{prose}\n\n```\n# not a heading\n```\n\nThree\n=====\n\n{prose}\n"
    chunks = chunk(text, "markdown")
    begins = [text[each.start : each.end].split("\n")[0] for each in chunks]
    assert begins == ["# One", "## Two 二", "Three"]


@pytest.mark.proves("R-SOURCE-FILES-CHUNKS")
def test_other_texts_are_cut_at_blank_lines() -> None:
    paragraph = "这是一个段落。" * 40
    chunks = chunk(f"{paragraph}\n\n" * 6, PARAGRAPHS)
    assert len(chunks) > 3
    assert all(each.column == 0 for each in chunks)


def test_the_rows_of_a_table_need_its_head() -> None:
    chunks = chunk("name,size\n" + "apple,12\n" * 600, "table")
    assert [each.needs for each in chunks] == [-1] + [0] * (len(chunks) - 1)
    assert chunks[0].last == 1


@pytest.mark.proves("R-SOURCE-FILES-CHUNKS", "R-SOURCE-FILES-NEEDS")
@pytest.mark.skipif(not is_installed("go"), reason="the grammar of Go is not installed")
def test_code_with_a_grammar_is_cut_by_function() -> None:
    body = "\tvalue = compute(value)\n" * 40
    text = f"package a\n\nfunc One() {{\n{body}}}\n\n// about two\nfunc Two() {{\n{body}}}\n"
    (cut,) = cut_texts([(text, "go")])
    begins = [text[each.start : each.end].strip().split("\n")[0] for each in cut.chunks]
    assert begins == ["package a", "// about two"]
    assert not cut.resisted
