"""Which candidates enter: the most value under the budget, shares kept, dependencies paid; columns only, no text."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from conspectus.core.manifest import Reason

UNBOUNDED = 1 << 40
_WINDOW = 16
_REASONS = np.array(list(Reason), dtype=object)
_CODES = {reason: code for code, reason in enumerate(Reason)}


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
        opened = list(set(columns.openings[wanted].ravel().tolist()))
        spent: dict[int, int] = {}
        for i in wanted:
            kind = int(columns.kinds[i])
            spent[kind] = spent.get(kind, 0) + int(columns.tokens[i])
        cost = sum(spent.values()) + int(self.headings[opened].sum())
        if cost > self.left or any(tokens > self.kind_left[kind] for kind, tokens in spent.items()):
            return False
        self.left -= cost
        for kind, tokens in spent.items():
            self.kind_left[kind] -= tokens
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
    _fill_minimums(columns, purse, np.flatnonzero(wanted), used)
    price = _fill(columns, purse, np.flatnonzero(wanted & ~purse.chosen))
    return _selection(columns, purse, price, Reason.VALUE)


def _closed(columns: Columns, wanted: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """What is wanted and everything it needs, less what is in already."""
    closed = wanted.copy()
    for index, needed in columns.needs.items():
        if wanted[index]:
            closed[list(needed)] = True
    return closed & ~columns.required


def _all_fit(columns: Columns, purse: _Purse, wanted: NDArray[np.bool_]) -> bool:
    total = int(columns.tokens[wanted].sum())
    if total > purse.left:
        return False
    opened = np.bincount(columns.openings[wanted].ravel(), minlength=len(purse.headings)) > 0
    total += int(purse.headings[opened].sum())
    spent = np.bincount(columns.kinds[wanted], columns.tokens[wanted], len(purse.kind_left))
    return total <= purse.left and bool((spent <= purse.kind_left).all())


def _by_density(columns: Columns, candidates: NDArray[np.int64]) -> NDArray[np.int64]:
    """Candidates by value per token, dearest first; equal ones in their given order."""
    order: NDArray[np.int64] = candidates[np.argsort(-_density(columns, candidates), kind="stable")]
    return order


def _density(columns: Columns, candidates: NDArray[np.int64]) -> NDArray[np.float64]:
    return columns.values[candidates] / np.maximum(columns.tokens[candidates], 1)


def _fill_minimums(columns: Columns, purse: _Purse, candidates: NDArray[np.int64], used: NDArray[np.int64]) -> None:
    spent = used.copy()
    for kind in np.flatnonzero(columns.minimum > used).tolist():
        for index in _by_density(columns, candidates[columns.kinds[candidates] == kind]).tolist():
            if spent[kind] >= columns.minimum[kind]:
                break
            if not purse.chosen[index] and purse.take(index, Reason.SHARE):
                spent[kind] += columns.tokens[index]


def _fill(columns: Columns, purse: _Purse, candidates: NDArray[np.int64]) -> float:
    """Take by value per token; the price is that of the last one taken.

    No more can be paid than the room holds of the cheapest, so only that many of the dearest are sorted; of the rest,
    afterwards, what the remaining room could still pay.
    """
    candidates = candidates[columns.tokens[candidates] <= purse.left]
    if not len(candidates):
        return 0.0
    payable = purse.left // max(int(columns.tokens[candidates].min()), 1) + 1
    if payable >= len(candidates):
        return _take_in_order(columns, purse, _by_density(columns, candidates), 0.0)
    density = _density(columns, candidates)
    dear = density >= np.partition(density, -payable)[-payable]
    price = _take_in_order(columns, purse, _by_density(columns, candidates[dear]), 0.0)
    rest = candidates[~dear]
    return _take_in_order(columns, purse, _by_density(columns, rest[columns.tokens[rest] <= purse.left]), price)


def _take_in_order(columns: Columns, purse: _Purse, order: NDArray[np.int64], price: float) -> float:
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
    codes = np.full(len(columns.values), _CODES[bought], dtype=np.int8)
    dropped = ~purse.chosen
    codes[dropped] = _CODES[Reason.BUDGET_EXCEEDED]
    beyond = dropped & (columns.tokens > purse.kind_left[columns.kinds]) & (columns.tokens <= purse.left)
    codes[beyond] = _CODES[Reason.SHARE_EXCEEDED]
    codes[dropped & (columns.values < columns.floor)] = _CODES[Reason.BELOW_RELEVANCE]
    codes[columns.required] = _CODES[Reason.MANDATORY]
    reasons: list[Reason] = _REASONS[codes].tolist()
    for index, reason in purse.why.items():
        reasons[index] = reason
    return Selection(chosen=purse.chosen, reasons=tuple(reasons), price=price)
