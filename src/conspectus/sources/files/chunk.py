"""Which parser cuts which file, and the chunks it gives; what a chunk is offered as is not decided here."""

from conspectus.sources.files.grammars import GRAMMARS, is_installed
from conspectus.sources.files.lines import Lines
from conspectus.sources.files.markdown import parse_markdown
from conspectus.sources.files.pack import SMALL, Chunk, pack
from conspectus.sources.files.python import parse_python
from conspectus.sources.files.structure import Structure, Unit

# Stands for everything that decides where a text is cut; whoever changes any of it changes this.
REVISION = "chunks-1"

PARAGRAPHS = "paragraphs"
_CODE_FLOOR = 200  # bytes below which a unit joins its neighbours
_PROSE_FLOOR = 400
# Beyond these nobody wrote the text by hand: no parser finds lines to cut at, or would spend seconds on finding them.
_LONGEST_AVERAGE_LINE = 400
_MOST_LINES = 20_000
_LANGUAGES = {
    "bash": "bash sh",
    "c": "c",
    "cpp": "cc cpp cxx h hh hpp hxx",  # a header that is C parses as C++ too, and seldom the other way round
    "go": "go",
    "java": "java",
    "javascript": "cjs js jsx mjs",
    "markdown": "markdown md",
    "python": "py pyi",
    "ruby": "rb",
    "rust": "rs",
    "table": "csv tsv",
    "tsx": "tsx",
    "typescript": "cts mts ts",
}
_BY_ENDING = {ending: language for language, endings in _LANGUAGES.items() for ending in endings.split()}


def language_of(path: bytes) -> str:
    """The language a file is written in by the ending of its name, `paragraphs` for all that have no structure here."""
    _, _, ending = path.rpartition(b"/")[2].rpartition(b".")
    return _BY_ENDING.get(ending.decode("latin-1").lower(), PARAGRAPHS)


def cut_as(path: bytes) -> str:
    """The language a file is cut as here: `paragraphs` also where the grammar of its language is not installed."""
    language = language_of(path)
    return language if language not in GRAMMARS or is_installed(language) else PARAGRAPHS


def chunk(text: str, language: str, structure: Structure | None = None) -> tuple[Chunk, ...]:
    """Cut `text` into chunks that cover it; they are numbered from 0 where one needs another.

    Args:
        text: the file, decoded.
        language: as `cut_as` names it.
        structure: what the grammar found, for a language that needs one; without it, the text is cut by paragraphs.
    """
    lines = Lines.of(text)
    if lines.weights[-1] <= SMALL:
        return pack(lines, Structure(), _CODE_FLOOR)
    floor = _PROSE_FLOOR if language in ("markdown", PARAGRAPHS) else _CODE_FLOOR
    return pack(lines, _structure(lines, language, structure), floor)


def needs_grammar(text: str, language: str) -> bool:
    """Whether a grammar would help to cut `text`: not if it is short, or has lines that nobody wrote."""
    return language in GRAMMARS and len(text) > SMALL and not _is_unwritten(len(text), text.count("\n") + 1)


def _is_unwritten(length: int, lines: int) -> bool:
    return lines > _MOST_LINES or length > _LONGEST_AVERAGE_LINE * lines


def _structure(lines: Lines, language: str, structure: Structure | None) -> Structure:
    if _is_unwritten(len(lines.text), len(lines.texts)):
        return Structure()
    if language == "python":
        return parse_python(lines.text, lines.texts)
    if language == "markdown":
        return parse_markdown(lines.text, lines.texts)
    if language == "table":
        return _parse_table()
    return structure or _parse_paragraphs(lines)


def _parse_table() -> Structure:
    """A head line, and rows that cannot be read without it."""
    return Structure(units=(Unit(line=0), Unit(line=1, parent=0, level=1)))


def _parse_paragraphs(lines: Lines) -> Structure:
    """A unit wherever text follows a blank line."""
    blank = [not line or line.isspace() for line in lines.texts]
    starts = (line for line in range(1, len(blank)) if blank[line - 1] and not blank[line])
    return Structure(units=(Unit(line=0), *(Unit(line=line) for line in starts)))
