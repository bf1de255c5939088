"""What the room could buy if candidates could be cut: the optimum of the linear relaxation, and its price per token."""

import numpy as np
from numpy.typing import NDArray

from conspectus.packing.steps import Steps


def clearing(steps: Steps, kinds: NDArray[np.int64], room: int, kind_left: NDArray[np.int64]) -> tuple[float, float]:
    """The price at which `room` is sold out, and the most value it could buy; what a thing needs or opens is free.

    `steps` are sorted by value per token, dearest first; `kinds` are theirs. One constraint a kind and one over all are
    nested, so that buying dearest first, each kind up to its maximum, is the optimum (Dantzig 1957 for one constraint).
    """
    amounts = steps.costs.astype(np.float64)
    for kind in np.flatnonzero(kind_left < np.bincount(kinds, amounts, len(kind_left))).tolist():
        own = np.flatnonzero(kinds == kind)
        before = np.cumsum(amounts[own]) - amounts[own]
        amounts[own] = np.clip(kind_left[kind] - before, 0.0, amounts[own])
    before = np.cumsum(amounts) - amounts
    bought = np.clip(room - before, 0.0, amounts)
    densities = steps.densities
    free = float(steps.gains[steps.costs <= 0].sum())
    cut = np.flatnonzero(bought < amounts)
    price = float(densities[cut[0]]) if len(cut) else 0.0
    return price, free + float((densities * bought).sum())
