r"""Cuts that never fall inside a grapheme cluster and always encode as UTF-8; not a measure of width or of tokens.

Clusters are those of Unicode Standard Annex 29, as `\X` of the `regex` package finds them. A cut looks only around
itself: it walks back to the nearest place that is a boundary whatever stands before it, and from there cluster by
cluster, so that cutting one line of a megabyte costs what cutting a short line costs.
"""

import re
from collections.abc import Iterable
from itertools import pairwise

import regex

_SURROGATE = re.compile("[\ud800-\udfff]")

# Between these two characters there is a boundary in any context (rules GB4, GB5 and GB999); `(?r)` searches backwards.
_SAFE_PAIR = regex.compile(
    r"(?V1r)[\p{GCB=Other}\p{GCB=Control}\n][\p{GCB=Other}\p{GCB=Control}\r\n]",
)

# `\X` alone looks back over all regional indicators before it, which is quadratic on a long line of flags.
_CLUSTER = regex.compile(r"(?V1)\p{Regional_Indicator}{2}[\p{GCB=Extend}\p{GCB=SpacingMark}\u200d]*+|\X")


def well_formed(text: str) -> str:
    """Return `text` with each lone surrogate replaced by U+FFFD, so that it encodes as UTF-8; the length stays."""
    if text.isascii() or not _SURROGATE.search(text):
        return text
    return _SURROGATE.sub("\ufffd", text)


def is_boundary(text: str, index: int) -> bool:
    """Say whether a cut before `text[index]` (a code point index) leaves every cluster whole; both ends do."""
    if index <= 0 or index >= len(text):
        return True
    return _cluster_at(text, index)[0] == index


def cut_head(text: str, limit: int) -> str:
    """Return the longest beginning of `text` of at most `limit` code points that ends at a cluster boundary.

    Empty if the first cluster alone is longer than `limit`, or `limit` is not positive.
    """
    if limit >= len(text):
        return well_formed(text)
    return well_formed(text[: _cluster_at(text, limit)[0]]) if limit > 0 else ""


def cut_tail(text: str, limit: int) -> str:
    """Return the longest end of `text` of at most `limit` code points that starts at a cluster boundary.

    Empty if the last cluster alone is longer than `limit`, or `limit` is not positive.
    """
    index = len(text) - limit
    if index <= 0:
        return well_formed(text)
    if limit <= 0:
        return ""
    start, end = _cluster_at(text, index)
    return well_formed(text[index if start == index else end :])


def split_at(text: str, positions: Iterable[int]) -> tuple[str, ...]:
    """Cut `text` at code point `positions`, each moved back to the nearest cluster boundary.

    The parts are never empty and together are `well_formed(text)`; there is at most one more part than positions.
    Positions may come in any order; those outside the text cut nothing.
    """
    cuts = [0]
    end = 0
    for position in sorted(set(positions)):
        if not end <= position < len(text):
            continue  # inside the cluster that the last cut has moved to the front of, or outside the text
        start, end = _cluster_at(text, position, cuts[-1])
        if start > cuts[-1]:
            cuts.append(start)
    cuts.append(len(text))
    return tuple(well_formed(text[start:end]) for start, end in pairwise(cuts) if end > start)


def _cluster_at(text: str, index: int, floor: int = 0) -> tuple[int, int]:
    """Return start and end of the cluster that holds `text[index]`; `floor` is a boundary at or before `index`."""
    pair = _SAFE_PAIR.search(text, floor, index + 1)
    start = pair.end() - 1 if pair else floor
    while True:
        cluster = _CLUSTER.match(text, start)
        end = cluster.end() if cluster else start + 1
        if end > index:
            return start, end
        start = end
