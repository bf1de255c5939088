"""The purse of one packing: what is in, what is left to spend, and what a row would cost beside what is in."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from conspectus.packing.columns import UNBOUNDED, Columns, Why


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote:
    """What letting a row in would mean.

    Attributes:
        rows: the row and what it needs, as far as that is not in.
        leaves: lower forms that would leave for fuller ones.
        opens: codes it would open.
        spent: tokens by kind, what leaves taken off.
        cost: tokens in all, headings included.
        gain: value in all.
    """

    rows: tuple[int, ...]
    leaves: tuple[int, ...]
    opens: tuple[int, ...]
    spent: dict[int, int]
    cost: int
    gain: float

    @property
    def density(self) -> float:
        """Value per token of all of it."""
        return self.gain / max(self.cost, 1)


@dataclass(slots=True)
class Purse:
    """Mutable, and gone when the packing is made."""

    columns: Columns
    left: int
    kind_left: NDArray[np.int64]
    headings: NDArray[np.int64]
    chosen: NDArray[np.bool_]
    forms: dict[int, int] = field(default_factory=dict[int, int])
    why: dict[int, Why] = field(default_factory=dict[int, Why])

    @classmethod
    def filled(cls, columns: Columns, room: int) -> "Purse":
        """A purse of `room` tokens in which what is required is paid already."""
        chosen = columns.required.copy()
        used = np.bincount(columns.kinds[chosen], columns.tokens[chosen], len(columns.maximum)).astype(np.int64)
        purse = cls(columns, room, columns.maximum - used, columns.headings.copy(), chosen)
        if columns.choices is not None:
            purse.forms.update({int(columns.choices[row]): row for row in np.flatnonzero(chosen).tolist()})
        return purse

    def copy(self) -> "Purse":
        """Another one with the same contents."""
        arrays = (self.kind_left.copy(), self.headings.copy(), self.chosen.copy())
        return Purse(self.columns, self.left, *arrays, dict(self.forms), dict(self.why))

    def quote(self, *wanted: int) -> Quote:
        """What the `wanted` rows would cost now, and be worth."""
        columns = self.columns
        closed = dict.fromkeys(i for row in wanted for i in (row, *columns.needs.get(row, ())))
        rows = tuple(i for i in closed if not self.chosen[i])
        leaves = tuple(self.forms[choice] for choice in self._choices(rows) if choice in self.forms)
        spent: dict[int, int] = {}
        for sign, group in ((1, rows), (-1, leaves)):
            for i in group:
                kind = int(columns.kinds[i])
                spent[kind] = spent.get(kind, 0) + sign * int(columns.tokens[i])
        opens = tuple(code for code in set(columns.openings[list(rows)].ravel().tolist()) if self.headings[code])
        gain = sum(float(columns.values[i]) for i in rows) - sum(float(columns.values[i]) for i in leaves)
        cost = sum(spent.values()) + sum(int(self.headings[code]) for code in opens)
        return Quote(rows=rows, leaves=leaves, opens=opens, spent=spent, cost=cost, gain=gain)

    def affords(self, quote: Quote) -> bool:
        """Whether all of it can be paid, and is worth more than what leaves for it."""
        if quote.cost > self.left or (quote.leaves and quote.gain <= 0.0):
            return False
        return all(tokens <= self.kind_left[kind] for kind, tokens in quote.spent.items())

    def pay(self, quote: Quote, wanted: Sequence[int], why: Why) -> None:
        """Let in what was quoted for the `wanted` rows."""
        self.left -= quote.cost
        for kind, tokens in quote.spent.items():
            self.kind_left[kind] -= tokens
        self.headings[list(quote.opens)] = 0
        self.chosen[list(quote.leaves)] = False
        self.chosen[list(quote.rows)] = True
        for gone in quote.leaves:
            del self.why[gone]
        self.why.update((i, Why.REQUIRED) for i in quote.rows)
        self.why.update((i, why) for i in wanted)
        if self.columns.choices is not None:
            self.forms.update(zip(self._choices(quote.rows), quote.rows, strict=True))

    def take(self, row: int, why: Why) -> bool:
        """Let `row` in with everything it needs, if it is not in, adds value, and all of it can be paid."""
        quote = self.quote(row)
        if self.chosen[row] or not self.affords(quote):
            return False
        self.pay(quote, (row,), why)
        return True

    def take_run(self, rows: NDArray[np.int64], why: Why) -> int:
        """Let in the longest run of `rows`, from the first on, that can be paid; how many it has.

        None of them needs another, and each is its candidate's only form.
        """
        columns = self.columns
        rows = rows[: int(np.searchsorted(np.cumsum(columns.tokens[rows]), self.left, "right"))]
        rows_fresh = ~self.chosen[rows]
        costs = np.where(rows_fresh, columns.tokens[rows], 0)
        payable = np.ones(len(rows), dtype=np.bool_)
        for kind in np.flatnonzero(columns.maximum < UNBOUNDED).tolist():
            payable &= np.cumsum(np.where(columns.kinds[rows] == kind, costs, 0)) <= self.kind_left[kind]
        opening = costs.copy()
        for code in np.flatnonzero(self.headings).tolist():
            opens = (columns.openings[rows] == code).any(axis=1) & rows_fresh
            if opens.any():
                opening[opens.argmax()] += self.headings[code]
        payable &= np.cumsum(opening) <= self.left
        many = len(rows) if payable.all() else int(payable.argmin())
        taken = rows[:many][rows_fresh[:many]]
        self.left -= int(opening[:many].sum())
        self.kind_left -= np.bincount(columns.kinds[taken], columns.tokens[taken], len(self.kind_left)).astype(np.int64)
        self.headings[columns.openings[taken].ravel()] = 0
        self.chosen[taken] = True
        self.why.update(dict.fromkeys(taken.tolist(), why))
        return many

    def value(self) -> float:
        """Worth of what is in beyond the required."""
        return float(self.columns.values[self.chosen & ~self.columns.required].sum())

    def _choices(self, rows: tuple[int, ...]) -> tuple[int, ...]:
        choices = self.columns.choices
        return () if choices is None else tuple(int(choices[row]) for row in rows)
