"""Which candidates enter, and why or why not: the packing's outcome in the words of the manifest; columns only."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from conspectus.core.manifest import Reason
from conspectus.packing.columns import Columns, Packed, Why
from conspectus.packing.pack import pack

_REASONS = np.array(list(Reason), dtype=object)
_CODES = {reason: code for code, reason in enumerate(Reason)}
_OF = {
    Why.REQUIRED: Reason.REQUIRED,
    Why.SLOT: Reason.SLOT,
    Why.SHARE: Reason.SHARE,
    Why.VALUE: Reason.VALUE,
    Why.FITS: Reason.FITS,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """What enters, and why or why not.

    Attributes:
        chosen: bool, shape (n,).
        reasons: one per row.
        price: value per token at which the room is sold out; 0 when everything fits.
        value: worth of what entered beyond the required.
        bound: the most value the room could buy, were candidates divisible.
    """

    chosen: NDArray[np.bool_]
    reasons: tuple[Reason, ...]
    price: float
    value: float
    bound: float


def select(columns: Columns, room: int) -> Selection:
    """Choose under `room` tokens, not counting what is required: that is paid already."""
    packed = pack(columns, room)
    return Selection(
        chosen=packed.chosen,
        reasons=_reasons(columns, packed),
        price=packed.price,
        value=packed.value,
        bound=packed.bound,
    )


def _reasons(columns: Columns, packed: Packed) -> tuple[Reason, ...]:
    codes = np.full(len(columns.values), _CODES[Reason.BUDGET_EXCEEDED], dtype=np.int8)
    kind_left = packed.kind_left[columns.kinds]
    codes[(columns.tokens > kind_left) & (columns.tokens <= packed.left)] = _CODES[Reason.SHARE_EXCEEDED]
    codes[columns.values < columns.floor] = _CODES[Reason.BELOW_RELEVANCE]
    codes[columns.required] = _CODES[Reason.MANDATORY]
    reasons: list[Reason] = _REASONS[codes].tolist()
    for row, why in packed.why.items():
        reasons[row] = _OF[why]
    return tuple(reasons)
