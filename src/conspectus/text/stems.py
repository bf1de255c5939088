"""English words to their stems, by taking endings off; it knows no dictionary and leaves every other script alone.

In the spirit of the S stemmer (Harman 1991) and of the first steps of Porter's (1980), without their later ones: what
counts is that the forms of one word meet, not that the stem is a word.
"""

from functools import lru_cache

_SHORTEST = 4
_NEVER_DOUBLED = "aeiouylsz"
_ENDINGS = ("", "e", "s", "es", "ed", "d", "ing", "ly", "y", "ys", "yed", "ying", "ies", "ied")


@lru_cache(maxsize=1 << 16)
def stem(term: str) -> str:
    """The stem of one search term; `hike`, `hikes`, `hiked` and `hiking` have the same."""
    if len(term) < _SHORTEST or not (term.isascii() and term.isalpha()):
        return term
    word = _singular(term)
    for ending, least in (("ing", 6), ("ed", 5), ("ly", 6)):
        if word.endswith(ending) and len(word) >= least:
            word = word[: -len(ending)]
            break
    if len(word) >= _SHORTEST and word[-1] == word[-2] and word[-1] not in "lsz":
        word = word[:-1]
    if len(word) >= _SHORTEST and word.endswith("e"):
        word = word[:-1]
    return f"{word[:-1]}i" if len(word) >= _SHORTEST and word.endswith("y") else word


def _singular(word: str) -> str:
    if word.endswith("ies") and len(word) > _SHORTEST:
        return f"{word[:-3]}y"
    if word.endswith("sses"):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith(("ss", "us", "is")) else word


@lru_cache(maxsize=1 << 12)
def forms(term: str) -> tuple[str, ...]:
    """Terms a text may hold that have the stem of `term`, itself first: what the usual endings make of it."""
    root = stem(term)
    if root == term and not (term.isascii() and term.isalpha() and len(term) >= _SHORTEST - 1):
        return (term,)
    bases = [root, root[:-1]] if root.endswith("i") else [root]
    if root[-1] not in _NEVER_DOUBLED:
        bases.append(root + root[-1])
    tried = dict.fromkeys([term, *(base + ending for base in bases for ending in _ENDINGS)])
    return tuple(word for word in tried if stem(word) == root)
