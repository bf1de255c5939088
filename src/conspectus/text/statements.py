r"""Text as tokens that carry meaning, each with its place; case, width, space and punctuation are no part of it.

A token is a word, a number with what belongs to it (`1,000`, `-5`, `2024-05-01`, `10:30`), a Chinese, Japanese or
Korean character or a word of the lists in `vocabulary`, or a symbol that changes what is said (`%`, `$`, `<`).
`don't` is two tokens, `do` and `not`. This reads statements, it does not parse them.
"""

import re
from collections.abc import Sequence
from enum import StrEnum
from functools import lru_cache
from itertools import chain
from typing import NamedTuple, TypeAlias

from conspectus.text import vocabulary
from conspectus.text.patterns import compiled, plain
from conspectus.text.words import CJK_CHARACTERS, fold_case, fold_width

_CJK = f"[{CJK_CHARACTERS}\uff66-\uffdc]"
_LETTER = rf"[[\p{{L}}\p{{M}}_]--{_CJK}]"
_LISTED = frozenset(
    word
    for word in chain(
        *vocabulary.OPPOSITES,
        vocabulary.CALENDAR,
        vocabulary.COMPOUNDS,
        vocabulary.CONDITIONS,
        vocabulary.IGNORABLE,
        vocabulary.NEGATIONS,
        vocabulary.PREDICATES,
        vocabulary.PREPOSITIONS,
        vocabulary.UNITS,
    )
    if len(word) > 1 and not word.isascii()
)
_LONGEST_LISTED = max(map(len, _LISTED))
_VOICED = "\u3099\u309a\uff9e\uff9f"
_NUMBER = r"(?P<number>(?:(?<![^\W]|[)\]])[-−+])?{digit}+(?:[.,:/\-]{digit}+)*)"
_SYMBOL = (
    r"(?P<symbol>[%‰$€£¥￥°+=<>≤≥≠±×÷^~|&@\\/]|!(?==)|(?<!\w)!(?=[\w(])|#(?=\w)|-(?=\w)(?<!\w-)"
    r"|\*(?=\w)(?![^*\n]{0,200}?\w\*))"
)
_END = r"(?P<end>[.!?](?=\s|\Z)|[。！？；;\n])"
_WORD = r"(?P<word>{letter}(?:{letter}|{digit})*(?:['’]{letter}+)*)"
_ASCII_TOKEN = "(?a)" + "|".join(
    (_WORD.format(letter="[A-Za-z_]", digit="[0-9]"), _NUMBER.format(digit="[0-9]"), _SYMBOL, _END)
)
_TOKEN = "|".join(
    (
        rf"(?P<cjk>{_CJK}+)",
        _WORD.format(letter=_LETTER, digit=r"\p{N}"),
        _NUMBER.format(digit=r"\p{N}"),
        _SYMBOL,
        _END,
    )
)
_THOUSANDS = re.compile(r"[-+]?\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_NUMERALS = frozenset("零〇一二两三四五六七八九十百千万亿半")
_CONTRACTED = {"ca": "can", "wo": "will", "sha": "shall"}
_SUFFIXES = frozenset({"s", "re", "ve", "ll", "d", "m"})
_BASE_FORMS = {
    form: base
    for base, forms in {
        "be": "is are was were been being am",
        "have": "has had having",
        "do": "does did done",
        "run": "ran",
        "keep": "kept",
        "send": "sent",
        "build": "built",
        "choose": "chose chosen",
        "take": "took taken",
        "write": "wrote written",
        "lead": "led",
        "meet": "met",
        "become": "became",
        "begin": "began begun",
    }.items()
    for form in forms.split()
}


Span: TypeAlias = tuple[int, int]
"""Where something begins and ends in a text, in code points."""


class Kind(StrEnum):
    """What a token is in a statement."""

    CONTENT = "content"
    NUMBER = "number"
    PREDICATE = "predicate"  # but for `running`, which says nothing of anything by itself
    NEGATION = "negation"
    IGNORABLE = "ignorable"
    SYMBOL = "symbol"


class Token(NamedTuple):
    """A token of a statement; a named tuple, because there are many and it is made several times as fast.

    Attributes:
        text: what it says, folded.
        form: the same for words that say the same where statements are compared: `uses` and `used`, `must`, `应该`.
        kind: what it is.
        start: where it begins in the text, a code point index.
        end: where it ends there.
        sentence: number of its sentence or line.
    """

    text: str
    form: str
    kind: Kind
    start: int
    end: int
    sentence: int


def read(text: str, *, start: int = 0) -> list[Token]:
    """Return the tokens of `text`; `start` is where it begins in a longer one, and is added to the places."""
    tokens: list[Token] = []
    sentence = 0
    matches = plain(_ASCII_TOKEN).finditer(text) if text.isascii() else compiled(_TOKEN).finditer(text)
    for match in matches:
        group, raw, begins = match.lastgroup or "", match[0], start + match.start()
        if group == "end":
            sentence += 1
            continue
        for piece in _listed_words(raw) if group == "cjk" else (raw,):
            ends = begins + len(piece)
            for said, form, kind in _meaning(group, piece):
                tokens.append(Token(said, form, kind, begins, ends, sentence))
            begins = ends
    return tokens


def read_code(text: str, *, start: int = 0) -> list[Token]:
    """Return the tokens of source code, in which all but space counts: what stands between spaces, line by line."""
    tokens: list[Token] = []
    for number, line in enumerate(text.split("\n")):
        words = plain(r"\S+").finditer(line)
        tokens += [Token(m[0], m[0], Kind.CONTENT, start + m.start(), start + m.end(), number) for m in words]
        start += len(line) + 1
    return tokens


def _listed_words(run: str) -> list[str]:
    """Cut a run of Chinese, Japanese or Korean characters into the longest listed words and single characters."""
    words: list[str] = []
    place = 0
    while place < len(run):
        end = place + 1
        for longer in range(min(len(run), place + _LONGEST_LISTED), end, -1):
            if run[place:longer] in _LISTED:
                end = longer
                break
        while end < len(run) and run[end] in _VOICED:
            end += 1
        words.append(run[place:end])
        place = end
    return words


def span_of(tokens: Sequence[Token]) -> tuple[Span, ...]:
    """Return the one span of neighbouring tokens, or none if there are none."""
    return ((tokens[0].start, tokens[-1].end),) if tokens else ()


@lru_cache(maxsize=1 << 16)
def _meaning(group: str, raw: str) -> tuple[tuple[str, str, Kind], ...]:
    """Return text, form and kind of what a piece of text says: none for `__`, two for `don't`."""
    said = fold_case(fold_width(raw)).replace("’", "'").replace("−", "-")
    if group == "number" and _THOUSANDS.fullmatch(said):
        said = said.replace(",", "")
    parts = _parts(said.strip("_")) if group == "word" else (said,)
    return tuple((part, _form(part), _kind(group, part)) for part in parts if part)


def _parts(word: str) -> tuple[str, ...]:
    """Take a contraction apart: what it denies stays, what it shortens goes."""
    if word.endswith("n't"):
        return _CONTRACTED.get(word[:-3], word[:-3]), "not"
    if word == "cannot":
        return "can", "not"
    first, *rest = word.split("'")
    return (first,) if set(rest) <= _SUFFIXES else (word.replace("'", ""),)


def _form(word: str) -> str:
    form = stem(word)
    if form in vocabulary.OBLIGATIONS:
        return "must"
    return "may" if form in vocabulary.PERMISSIONS else form


def _kind(group: str, word: str) -> Kind:
    form = stem(word)
    if group == "number" or form in vocabulary.CALENDAR or (group == "cjk" and word in _NUMERALS):
        return Kind.NUMBER
    if group == "symbol":
        return Kind.SYMBOL
    for kind, words in (
        (Kind.NEGATION, vocabulary.NEGATIONS),
        (Kind.IGNORABLE, vocabulary.IGNORABLE),
        (Kind.PREDICATE, vocabulary.PREDICATES),
    ):
        if word in words or form in words:
            return Kind.CONTENT if kind is Kind.PREDICATE and word.endswith("ing") else kind
    return Kind.CONTENT


def stem(word: str) -> str:
    """Return the base form of an English plural, or of a verb of `vocabulary`; other words as they are."""
    if base := _BASE_FORMS.get(word):
        return base
    if not word.isascii() or len(word) < 4:
        return word
    for ending in ("ing", "ed", "d"):
        bare = word.removesuffix(ending)
        if bare != word:
            for base in (bare, bare + "e", bare[:-1]):
                if base in vocabulary.PREDICATES:
                    return base
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "ches", "shes", "xes")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith(("ss", "us", "is")) else word
