"""Where texts stand: in which whole, and what comes before and after them there; it reads no text."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Structure:
    """The places of n texts.

    Attributes:
        groups: number of the file, conversation or other whole each text is a part of.
        before, after: row of the neighbour in the same group, -1 where there is none.
    """

    groups: Rows
    before: Rows
    after: Rows


def read_structure(groups: Sequence[str], order: Rows) -> Structure:
    """The places of texts that stand in `groups`, in each of them as in the `order` of all rows."""
    numbers = {name: number for number, name in enumerate(dict.fromkeys(groups))}
    codes = np.fromiter((numbers[name] for name in groups), np.int64, len(groups))
    rows = order[np.argsort(codes[order], kind="stable")]
    before, after = np.full(len(rows), -1), np.full(len(rows), -1)
    same = codes[rows[1:]] == codes[rows[:-1]]
    before[rows[1:][same]] = rows[:-1][same]
    after[rows[:-1][same]] = rows[1:][same]
    return Structure(groups=codes, before=before, after=after)
