"""The last tokens: an exact exchange among the candidates around the price, so that the room is used to its end."""

import numpy as np
from numpy.typing import NDArray

from conspectus.packing.columns import UNBOUNDED, Columns, Why
from conspectus.packing.purse import Purse
from conspectus.packing.steps import Steps

_CORE = 24
"""Candidates on each side of the price: the core of a knapsack is small (Balas and Zemel 1980)."""
_NEAR = 8 * _CORE
"""Candidates on each side that are looked at for the core."""
_WIDEST = 8192
"""Tokens the exchange may be about at most; bounds its work."""


def finish(columns: Columns, purse: Purse, steps: Steps) -> None:
    """Exchange the cheapest of what is in for the dearest of what is not, where that is worth more.

    Only candidates of one form take part that stand alone, under headings that are open and in kinds without shares:
    nothing depends on which of them are in. `steps` are sorted, dearest first.
    """
    core, capacity = _core(columns, purse, steps)
    if len(core) < 2:
        return
    inside = purse.chosen[core]
    best = _exact(columns.values[core], columns.tokens[core], capacity)
    if columns.values[core[best]].sum() <= columns.values[core[inside]].sum():
        return
    for row in core[inside & ~best].tolist():
        del purse.why[row]
    purse.why.update((row, Why.VALUE) for row in core[best & ~inside].tolist())
    moved = columns.tokens[core] * (best.astype(np.int64) - inside)
    purse.kind_left -= np.bincount(columns.kinds[core], moved, len(purse.kind_left)).astype(np.int64)
    purse.chosen[core] = best
    purse.left = capacity - int(columns.tokens[core[best]].sum())


def _core(columns: Columns, purse: Purse, steps: Steps) -> tuple[NDArray[np.int64], int]:
    """The cheapest that are in, the dearest that are not and could be, and the tokens they may have together."""
    inside = purse.chosen[steps.rows]
    leaving = _free(columns, purse, steps.rows[np.flatnonzero(inside)[-_NEAR:]])[::-1][:_CORE]
    leaving = leaving[np.cumsum(columns.tokens[leaving]) + purse.left <= _WIDEST]
    capacity = purse.left + int(columns.tokens[leaving].sum())
    entering = _free(columns, purse, steps.rows[np.flatnonzero(~inside)[:_NEAR]])
    entering = entering[columns.tokens[entering] <= capacity][:_CORE]
    return np.concatenate((leaving[::-1], entering)), capacity


def _free(columns: Columns, purse: Purse, rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """Those of `rows` that may come and go; not what entered for another reason than its value."""
    bounded = (columns.minimum > 0) | (columns.maximum < UNBOUNDED)
    free = ~bounded[columns.kinds[rows]] & (purse.headings[columns.openings[rows]] == 0).all(axis=1)
    if columns.choices is not None:
        free &= (np.bincount(columns.choices)[columns.choices[rows]]) == 1
    tied = {*columns.needs, *(row for needed in columns.needs.values() for row in needed)}
    tied.update(row for row, why in purse.why.items() if why is not Why.VALUE)
    free &= np.fromiter((row not in tied for row in rows.tolist()), np.bool_, len(rows))
    alone: NDArray[np.int64] = rows[free]
    return alone


def _exact(values: NDArray[np.float64], tokens: NDArray[np.int64], capacity: int) -> NDArray[np.bool_]:
    """The most valuable choice within `capacity`, by dynamic programming over tokens (Bellman 1957)."""
    best = np.zeros(capacity + 1)
    took = np.zeros((len(values), capacity + 1), dtype=np.bool_)
    for place, (value, cost) in enumerate(zip(values.tolist(), tokens.tolist(), strict=True)):
        if cost > capacity:
            continue
        offered = best[: capacity + 1 - cost] + value
        better = offered > best[cost:]
        took[place, cost:] = better
        best[cost:] = np.where(better, offered, best[cost:])
    chosen = np.zeros(len(values), dtype=np.bool_)
    left = capacity
    for place in range(len(values) - 1, -1, -1):
        if took[place, left]:
            chosen[place] = True
            left -= int(tokens[place])
    return chosen
