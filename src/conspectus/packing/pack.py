"""Packing: the most value under a room in tokens, shares kept, needs and headings paid once."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from conspectus.packing.bound import clearing
from conspectus.packing.columns import UNBOUNDED, Columns, Packed, Why
from conspectus.packing.few import search
from conspectus.packing.fill import by_density, fill, fill_minimums
from conspectus.packing.finish import finish
from conspectus.packing.purse import Purse
from conspectus.packing.steps import Steps, steps


def pack(columns: Columns, room: int) -> Packed:
    """Choose under `room` tokens, not counting what is required: that is paid already.

    Everything enters when everything fits, each candidate in its fullest form. Otherwise what fills a required slot
    goes first, then each kind up to its minimum share, then the rest by value per token, and at last the candidates
    around the price are exchanged until the room is used as well as it can be. A handful is searched to the end.
    """
    purse = Purse.filled(columns, room)
    wanted = ~purse.chosen & (columns.values >= columns.floor)
    fullest = np.flatnonzero(wanted & _is_fullest(columns))
    may_fit = int(columns.tokens[fullest].sum()) <= purse.left
    everything = purse.quote(*fullest.tolist()) if may_fit else None
    if everything is not None and purse.affords(everything):
        purse.pay(everything, fullest.tolist(), Why.FITS)
        return _packed(purse, purse.value(), 0.0)
    offer = _offer(columns, purse, wanted)
    for rows in columns.slots:
        if not purse.chosen[list(rows)].any():
            next((row for row in rows if purse.take(row, Why.SLOT)), None)
    started = purse.copy()
    fill_minimums(columns, purse, offer.dearest)
    fill(purse, offer.dearest)
    finish(columns, purse, offer.dearest)
    affordable = offer.rest.only(offer.rest.costs <= purse.left)
    fill(purse, affordable.only(by_density(affordable)))
    return _packed(search(columns, started, purse), offer.bound, offer.price)


def _is_fullest(columns: Columns) -> NDArray[np.bool_]:
    """For each row whether it is worth the most of its candidate's forms; of equal ones the first."""
    full = np.ones(len(columns.values), dtype=np.bool_)
    if columns.choices is not None:
        order = np.lexsort((np.arange(len(full)), -columns.values, columns.choices))
        later = columns.choices[order][1:] == columns.choices[order][:-1]
        full[order[1:][later]] = False
    return full


@dataclass(frozen=True, slots=True, kw_only=True)
class _Offer:
    """What can be bought.

    Attributes:
        dearest: by value per token, dearest first; enough to sell the room out.
        rest: what is cheaper than all of those, in no order.
        price, bound: as in `Packed`.
    """

    dearest: Steps
    rest: Steps
    price: float
    bound: float


def _offer(columns: Columns, purse: Purse, wanted: NDArray[np.bool_]) -> _Offer:
    """What can be bought, with the price at which the room is sold out and the bound on what it buys.

    No more can be paid than the room holds of the cheapest: where nothing stands in the way of a plain order, only
    that many of the dearest are sorted.
    """
    dragged = np.zeros(len(wanted), dtype=np.bool_)
    dragged[[i for needed in columns.needs.values() for i in needed]] = True
    along = float(columns.values[dragged & ~wanted & ~purse.chosen].sum())
    every = steps(columns, np.flatnonzero(wanted & (columns.tokens <= purse.left)))
    densities = every.densities
    dear = np.ones(len(densities), dtype=np.bool_)
    payable = purse.left // max(int(every.costs.min(initial=purse.left)), 1) + 1
    is_bounded = bool((columns.minimum > 0).any() or (columns.maximum < UNBOUNDED).any())
    if not columns.needs and not is_bounded and columns.choices is None and payable < len(densities):
        dear = densities >= np.partition(densities, -payable)[-payable]
    best = every.only(dear)
    best = best.only(by_density(best))
    price, bound = clearing(best, columns.kinds[best.rows], purse.left, purse.kind_left)
    return _Offer(dearest=best, rest=every.only(~dear), price=price, bound=along + bound)


def _packed(purse: Purse, bound: float, price: float) -> Packed:
    return Packed(
        chosen=purse.chosen,
        why=purse.why,
        kind_left=purse.kind_left,
        left=purse.left,
        value=purse.value(),
        bound=bound,
        price=price,
    )
