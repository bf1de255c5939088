"""Text to search terms, the reference that every faster engine must equal; it knows no weights and no documents.

A *word* is a run of letters, marks, digits and underscores. It gives its parts (`getUserName`, `HTTPServer`, `v2` and
`snake_case` have several) and, if there are several, itself without outer underscores. A run of Chinese, Japanese or
Korean characters gives its overlapping pairs, or itself if it is one character: such scripts write no spaces, and
pairs find as much as a dictionary does. Width, compatibility forms and case are folded first (NFKC, lower case), so
that `ＡＢＣ` is `abc` and half-width katakana is katakana.
"""

import re
import unicodedata
from functools import lru_cache

from conspectus.text.patterns import compiled

CJK_CHARACTERS = (
    "\u3005\u3007\u3021-\u3029\u3038-\u303b\u3041-\u3096\u3099-\u309a\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff"
    "\u1100-\u11ff\u3105-\u312f\u3131-\u318e\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f"
    "\uac00-\ud7fb\uf900-\ufaff\U0001aff0-\U0001b16f\U00020000-\U0003ffff"
)
"""Ranges, for a character class, of the scripts that write no spaces between words, or few: of folded text."""

# Enclosing marks and variation selectors belong to symbols such as keycaps and hearts, not to words.
_MARK = r"[[\p{Mn}\p{Mc}]--[\ufe00-\ufe0f]]"
_UPPER = r"[\p{Lu}\p{Lt}]"
_LOWER = rf"[[[\p{{L}}{_MARK}]--{_UPPER}]--[{CJK_CHARACTERS}]]"
_WORD_CHARACTER = rf"[{_UPPER}{_LOWER}\p{{N}}_--[{CJK_CHARACTERS}]]"

_ASCII_RUN = re.compile(r"[A-Za-z0-9_]+")
_ASCII_PART = re.compile(r"[0-9]+|[A-Z]?[a-z]+|[A-Z]+(?=[A-Z][a-z])|[A-Z]+")
_RUN = rf"[{CJK_CHARACTERS}]+|{_WORD_CHARACTER}+"
_PART = rf"\p{{N}}+|{_UPPER}?{_LOWER}+|{_UPPER}+(?={_UPPER}{_LOWER})|{_UPPER}+"
_KIND = (
    rf"(?P<cjk>[{CJK_CHARACTERS}])|(?P<underscore>_)|(?P<digit>\p{{N}})|(?P<upper>{_UPPER})"
    rf"|(?P<mark>{_MARK})|(?P<lower>{_LOWER})"
)
_IDEOGRAPHIC_VARIATION = re.compile("[\U000e0100-\U000e01ef]+")
_MARK_RUN = r"(\p{M}{30})\p{M}+"
_FIRST_CJK = "\u1100"
_LONGEST_REMEMBERED = 48

_ENGLISH_STOP_WORDS = """
a about all also am an and any are as at be been but by can could did do does for from had has have he her his how i
if in into is it its me my of on or our she should so some such than that the their them then there these they this
those to us was we were what when where which who whom whose why will with would you your
"""
_CHINESE_STOP_WORDS = """
的 了 着 过 地 得 是 在 和 与 及 或 把 被 让 向 对 从 到 以 为 于 而 且 则 也 都 就 还 又 再 很 更 最 吗 呢 吧 啊 呀 嘛
我 你 您 他 她 它 这 那 哪 谁 个 些 么
什么 怎么 怎样 如何 为何 为什 哪些 哪个 哪里 多少 是否 我们 你们 他们 这个 那个 这些 那些 这里 那里 一个 一些 可以
以及 或者 还是 因为 所以 如果 但是 就是 关于 对于 请问
"""
STOP_WORDS = frozenset((_ENGLISH_STOP_WORDS + _CHINESE_STOP_WORDS).split())
"""Function words of English and Chinese that say nothing about what a query is about."""


def terms(text: str) -> list[str]:
    """Return the search terms of `text` in the order of their appearance, repetitions included.

    The parts of a word come before the word itself: `get_user_name` gives `get`, `user`, `name`, `get_user_name`.
    """
    found: list[str] = []
    for run in runs(text):
        if run >= _FIRST_CJK and kind_of(run[0]) == "cjk":
            found.extend(_pairs(run))
        elif len(run) <= _LONGEST_REMEMBERED:
            found.extend(_remembered_parts(run))
        else:
            found.extend(_parts(run))
    return found


def runs(text: str) -> list[str]:
    """Return the words and the runs of Chinese, Japanese or Korean characters of `text`, which `terms` takes apart."""
    if text.isascii():
        return _ASCII_RUN.findall(text)
    return compiled(_RUN).findall(fold_width(text))


def query_terms(text: str) -> tuple[str, ...]:
    """Return the different terms of a query in order, without `STOP_WORDS` unless nothing else remains."""
    unique = tuple(dict.fromkeys(terms(text)))
    return tuple(term for term in unique if term not in STOP_WORDS) or unique


def fold_width(text: str) -> str:
    """Return `text` in compatibility form (NFKC) without ideographic variation selectors; the case stays.

    Runs of combining marks are cut to 30, as in the Stream-Safe form of Unicode Standard Annex 15: ordering
    longer runs takes quadratic time.
    """
    if text.isascii():
        return text
    bounded = compiled(_MARK_RUN).sub(r"\1", _IDEOGRAPHIC_VARIATION.sub("", text))
    return unicodedata.normalize("NFKC", bounded)


def fold_case(text: str) -> str:
    """Return `text` in lower case, with one form of sigma: the final one would depend on what follows."""
    return text.lower().replace("ς", "σ")


@lru_cache(maxsize=1 << 16)
def kind_of(character: str) -> str:
    """Return what a folded character is: `cjk`, `underscore`, `digit`, `upper`, `mark`, `lower`, or empty."""
    if character.isascii():
        return _ascii_kind_of(character)
    match = compiled(_KIND).match(character)
    return (match.lastgroup or "") if match else ""


def _ascii_kind_of(character: str) -> str:
    if character.isalpha():
        return "upper" if character.isupper() else "lower"
    return "digit" if character.isdigit() else "underscore" if character == "_" else ""


def _pairs(run: str) -> list[str]:
    if len(run) == 1:
        return [run]
    return [run[i : i + 2] for i in range(len(run) - 1)]


def _parts(run: str) -> tuple[str, ...]:
    pattern = _ASCII_PART if run.isascii() else compiled(_PART)
    parts = [fold_case(part) for part in pattern.findall(run)]
    if len(parts) > 1:
        parts.append(fold_case(run.strip("_")))
    return tuple(parts)


_remembered_parts = lru_cache(maxsize=1 << 16)(_parts)
