"""Filling a purse by value per token: what stands alone from a sorted column, what needs others from a heap."""

import heapq
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from conspectus.packing.columns import Columns, Why
from conspectus.packing.purse import Purse
from conspectus.packing.steps import Steps

_WINDOW = 16


class Bundles:
    """Rows that need others, by value per token of all that is not in yet; dearer once a part is paid by others."""

    def __init__(self, purse: Purse, steps: Steps) -> None:
        self._purse = purse
        self._heap: list[tuple[float, int]] = []
        self._waiting = _waiting(purse.columns.needs, steps.rows.tolist())
        for row in steps.rows.tolist():
            self._push(row)

    def dearest(self) -> float:
        """Value per token of the next bundle; below 0 when there is none."""
        return -self._heap[0][0] if self._heap else -1.0

    def take(self) -> None:
        """Let the next bundle in if it can be paid; one that has become dearer waits for its new place."""
        promised, row = heapq.heappop(self._heap)
        if self._purse.chosen[row]:
            return
        quote = self._purse.quote(row)
        if quote.density < -promised:
            heapq.heappush(self._heap, (-quote.density, row))
        elif self._purse.affords(quote):
            self._purse.pay(quote, (row,), Why.VALUE)
            self.paid(quote.rows)

    def paid(self, rows: tuple[int, ...]) -> None:
        """Some rows are in now: what waits for them has become cheaper."""
        for row in rows:
            for waiting in self._waiting.get(row, ()):
                if not self._purse.chosen[waiting]:
                    self._push(waiting)

    def _push(self, row: int) -> None:
        heapq.heappush(self._heap, (-self._purse.quote(row).density, row))


def fill(purse: Purse, steps: Steps) -> None:
    """Take steps, sorted by value per token and dearest first, passing over what can no longer be paid."""
    needs = purse.columns.needs
    if not needs:
        _fill_alone(purse, steps)
        return
    bound_up = np.fromiter((row in needs for row in steps.rows.tolist()), np.bool_, len(steps.rows))
    bundles = Bundles(purse, steps.only(bound_up))
    alone = steps.only(~bound_up)
    densities = alone.densities
    at = _next_affordable(purse, alone, 0)
    while at < len(alone.rows) or bundles.dearest() >= 0.0:
        if at >= len(alone.rows) or bundles.dearest() >= densities[at]:
            bundles.take()
        else:
            if purse.take(int(alone.rows[at]), Why.VALUE):
                bundles.paid((int(alone.rows[at]),))
            at += 1
        at = _next_affordable(purse, alone, at)


def by_density(steps: Steps) -> NDArray[np.int64]:
    """Places of the steps by value per token, dearest first; equal ones in their given order."""
    return np.argsort(-steps.densities, kind="stable")


def _fill_alone(purse: Purse, steps: Steps) -> None:
    at = purse.take_run(steps.rows, Why.VALUE) if purse.columns.choices is None else 0
    while (at := _next_affordable(purse, steps, at)) < len(steps.rows):
        purse.take(int(steps.rows[at]), Why.VALUE)
        at += 1


def _next_affordable(purse: Purse, steps: Steps, at: int) -> int:
    """The next place in the order whose own cost can be paid, looking through ever wider windows."""
    width = _WINDOW
    while at < len(steps.rows):
        stop = at + width
        room = np.minimum(purse.kind_left[purse.columns.kinds[steps.rows[at:stop]]], purse.left)
        affordable = steps.costs[at:stop] <= room
        first = int(affordable.argmax())
        if affordable[first]:
            return at + first
        at, width = stop, width * 4
    return at


def _waiting(needs: Mapping[int, tuple[int, ...]], rows: list[int]) -> dict[int, list[int]]:
    """For every row that is needed: who needs it."""
    waiting: dict[int, list[int]] = {}
    for row in rows:
        for needed in needs[row]:
            waiting.setdefault(needed, []).append(row)
    return waiting


def fill_minimums(columns: Columns, purse: Purse, steps: Steps) -> None:
    """Give each kind what its minimum share still lacks; `steps` are sorted, dearest first."""
    reached = columns.maximum - purse.kind_left
    for kind in np.flatnonzero(columns.minimum > reached).tolist():
        for row in steps.rows[columns.kinds[steps.rows] == kind].tolist():
            if columns.maximum[kind] - purse.kind_left[kind] >= columns.minimum[kind]:
                break
            purse.take(row, Why.SHARE)
