"""The values of packing: candidates as columns, and what enters; no behaviour."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

UNBOUNDED = 1 << 40


class Why(StrEnum):
    """What let a row in."""

    REQUIRED = "required"
    SLOT = "slot"
    SHARE = "share"
    VALUE = "value"
    FITS = "fits"


@dataclass(frozen=True, slots=True, kw_only=True)
class Columns:
    """The candidates as columns of n rows.

    Attributes:
        values: worth, float64, none below 0.
        tokens: exact cost, int64.
        kinds: small codes, int64.
        openings: for each row the codes of what it opens, such as its section; int64, shape (n, k).
        required: bool; must be in, and is paid already.
        needs: for a row, every row that has to be in with it, closed under itself.
        headings: tokens of opening each code; 0 where it is open already.
        minimum, maximum: tokens per kind code.
        choices: rows with the same number are forms of one candidate, of which one may enter, and the fullest is worth
            the most; None where every row is a candidate of its own.
        slots: for each required piece of evidence, the rows that would fill it, best first.
        floor: rows worth less stay out.
    """

    values: NDArray[np.float64]
    tokens: NDArray[np.int64]
    kinds: NDArray[np.int64]
    openings: NDArray[np.int64]
    required: NDArray[np.bool_]
    needs: Mapping[int, tuple[int, ...]]
    headings: NDArray[np.int64]
    minimum: NDArray[np.int64]
    maximum: NDArray[np.int64]
    choices: NDArray[np.int64] | None = None
    slots: Sequence[Sequence[int]] = ()
    floor: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Packed:
    """What enters.

    Attributes:
        chosen: bool, shape (n,), the required rows included.
        why: for every row that entered and was not required, what let it in.
        kind_left: tokens each kind could still take.
        left: tokens that were not spent.
        value: worth of what entered beyond the required.
        bound: no choice of whole candidates under the same room and maxima is worth more.
        price: value per token at which the room is sold out; 0 when everything fits.
    """

    chosen: NDArray[np.bool_]
    why: Mapping[int, Why]
    kind_left: NDArray[np.int64]
    left: int
    value: float
    bound: float
    price: float
