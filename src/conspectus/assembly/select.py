"""Which candidates enter: the most value under the budget, shares kept, dependencies paid; columns only, no text."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from conspectus.core.manifest import Reason

UNBOUNDED = 1 << 40
_WINDOW = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Columns:
    """The candidates as columns of n.

    Attributes:
        values: worth, float64.
        tokens: exact cost, int64.
        kinds: small codes, int64.
        openings: for each candidate the codes of what it opens, such as its section; int64, shape (n, k).
        required: bool; must be in.
        needs: for an index, every index that has to be in with it.
        headings: tokens of opening each code; 0 where it is open already.
        minimum, maximum: tokens per kind code.
        slots: for each required piece of evidence, the indices that would fill it, best first.
        floor: values below it stay out.
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
    slots: Sequence[Sequence[int]] = ()
    floor: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """What enters, and why or why not.

    Attributes:
        chosen: bool, shape (n,).
        reasons: one per candidate.
        price: value per token of the dearest bargain struck by value; 0 when everything fits.
    """

    chosen: NDArray[np.bool_]
    reasons: tuple[Reason, ...]
    price: float


@dataclass(slots=True)
class _Purse:
    """What is left to spend while one selection is made."""

    columns: Columns
    left: int
    kind_left: NDArray[np.int64]
    headings: NDArray[np.int64]
    chosen: NDArray[np.bool_]
    why: dict[int, Reason] = field(default_factory=dict[int, Reason])

    def take(self, index: int, reason: Reason) -> bool:
        """Let `index` and everything it needs in, if all of it can be paid."""
        columns = self.columns
        wanted = [i for i in (index, *columns.needs.get(index, ())) if not self.chosen[i]]
        opened = np.unique(columns.openings[wanted])
        cost = int(columns.tokens[wanted].sum()) + int(self.headings[opened].sum())
        spent = np.bincount(columns.kinds[wanted], columns.tokens[wanted], len(self.kind_left)).astype(np.int64)
        if cost > self.left or bool((spent > self.kind_left).any()):
            return False
        self.left -= cost
        self.kind_left -= spent
        self.headings[opened] = 0
        self.chosen[wanted] = True
        self.why.update((i, Reason.REQUIRED) for i in wanted)
        self.why[index] = reason
        return True


def select(columns: Columns, room: int) -> Selection:
    """Choose under `room` tokens, not counting what is required: that is paid already.

    Everything enters when everything fits. Otherwise what fills a required slot goes first, then each kind up to its
    minimum share, then the rest by value per token, passing over what no longer fits.
    """
    chosen = columns.required.copy()
    kinds = columns.kinds[chosen]
    used = np.bincount(kinds, columns.tokens[chosen], len(columns.maximum)).astype(np.int64)
    purse = _Purse(columns, room, columns.maximum - used, columns.headings.copy(), chosen)
    wanted = ~chosen & (columns.values >= columns.floor)
    everything = _closed(columns, wanted)
    if _all_fit(columns, purse, everything):
        purse.chosen |= everything
        return _selection(columns, purse, 0.0, Reason.FITS)
    for candidates in columns.slots:
        if not purse.chosen[list(candidates)].any():
            next((i for i in candidates if purse.take(i, Reason.SLOT)), None)
    order = _by_density(columns, wanted)
    _fill_minimums(columns, purse, order, used)
    price = _fill(columns, purse, order)
    return _selection(columns, purse, price, Reason.VALUE)


def _closed(columns: Columns, wanted: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """What is wanted and everything it needs, less what is in already."""
    closed = wanted.copy()
    for index, needed in columns.needs.items():
        if wanted[index]:
            closed[list(needed)] = True
    return closed & ~columns.required


def _all_fit(columns: Columns, purse: _Purse, wanted: NDArray[np.bool_]) -> bool:
    opened = np.unique(columns.openings[wanted])
    total = int(columns.tokens[wanted].sum()) + int(purse.headings[opened].sum())
    spent = np.bincount(columns.kinds[wanted], columns.tokens[wanted], len(purse.kind_left))
    return total <= purse.left and bool((spent <= purse.kind_left).all())


def _by_density(columns: Columns, wanted: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Candidates by value per token, dearest first; equal ones in their given order."""
    candidates = np.flatnonzero(wanted)
    density = columns.values[candidates] / np.maximum(columns.tokens[candidates], 1)
    order: NDArray[np.int64] = candidates[np.argsort(-density, kind="stable")]
    return order


def _fill_minimums(columns: Columns, purse: _Purse, order: NDArray[np.int64], used: NDArray[np.int64]) -> None:
    spent = used.copy()
    for kind in np.flatnonzero(columns.minimum > used).tolist():
        for index in order[columns.kinds[order] == kind].tolist():
            if spent[kind] >= columns.minimum[kind]:
                break
            if not purse.chosen[index] and purse.take(index, Reason.SHARE):
                spent[kind] += columns.tokens[index]


def _fill(columns: Columns, purse: _Purse, order: NDArray[np.int64]) -> float:
    """Take by value per token; the price is that of the last one taken."""
    price = 0.0
    at = 0
    tokens, kinds = columns.tokens[order], columns.kinds[order]
    while (at := _next_affordable(purse, tokens, kinds, at)) < len(order):
        index = int(order[at])
        if not purse.chosen[index] and purse.take(index, Reason.VALUE):
            price = float(columns.values[index]) / max(int(columns.tokens[index]), 1)
        at += 1
    return price


def _next_affordable(purse: _Purse, tokens: NDArray[np.int64], kinds: NDArray[np.int64], at: int) -> int:
    """The next place in the order whose own cost can be paid, looking through ever wider windows."""
    width = _WINDOW
    while at < len(tokens):
        stop = at + width
        room = np.minimum(purse.kind_left[kinds[at:stop]], purse.left)
        affordable = tokens[at:stop] <= room
        first = int(affordable.argmax())
        if affordable[first]:
            return at + first
        at, width = stop, width * 4
    return at


def _selection(columns: Columns, purse: _Purse, price: float, bought: Reason) -> Selection:
    reasons = np.full(len(columns.values), bought, dtype=object)
    dropped = ~purse.chosen
    reasons[dropped] = Reason.BUDGET_EXCEEDED
    beyond = dropped & (columns.tokens > purse.kind_left[columns.kinds]) & (columns.tokens <= purse.left)
    reasons[beyond] = Reason.SHARE_EXCEEDED
    reasons[dropped & (columns.values < columns.floor)] = Reason.BELOW_RELEVANCE
    reasons[columns.required] = Reason.MANDATORY
    for index, reason in purse.why.items():
        reasons[index] = reason
    return Selection(chosen=purse.chosen, reasons=tuple(map(Reason, reasons.tolist())), price=price)
