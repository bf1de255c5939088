"""Candidates as steps of falling value per token: a form, or what a fuller form adds to the one below it."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from conspectus.packing.columns import Columns


@dataclass(frozen=True, slots=True, kw_only=True)
class Steps:
    """What can be bought; of one candidate, each step is worth less per token than the one before it.

    Attributes:
        rows: the row that is in after the step.
        gains: value it adds, float64.
        costs: tokens it adds, int64.
    """

    rows: NDArray[np.int64]
    gains: NDArray[np.float64]
    costs: NDArray[np.int64]

    @property
    def densities(self) -> NDArray[np.float64]:
        """Value per token of each step."""
        return self.gains / np.maximum(self.costs, 1)

    def only(self, where: NDArray[np.int64] | NDArray[np.bool_]) -> "Steps":
        """The steps at `where`, in that order."""
        return Steps(rows=self.rows[where], gains=self.gains[where], costs=self.costs[where])


def steps(columns: Columns, rows: NDArray[np.int64]) -> Steps:
    """The steps of the candidates among `rows`; forms below the hull of (tokens, value) are worth no step."""
    plain = Steps(rows=rows, gains=columns.values[rows], costs=columns.tokens[rows])
    if columns.choices is None:
        return plain
    choices = columns.choices[rows]
    several = (np.bincount(choices) > 1)[choices]
    if not several.any():
        return plain
    forms: dict[int, list[int]] = {}
    for row, choice in zip(rows[several].tolist(), choices[several].tolist(), strict=True):
        forms.setdefault(choice, []).append(row)
    found = [step for group in forms.values() for step in _hull(columns, group)]
    single = plain.only(~several)
    return Steps(
        rows=np.concatenate((single.rows, np.array([row for row, _, _ in found], dtype=np.int64))),
        gains=np.concatenate((single.gains, np.array([gain for _, gain, _ in found]))),
        costs=np.concatenate((single.costs, np.array([cost for _, _, cost in found], dtype=np.int64))),
    )


def _hull(columns: Columns, rows: list[int]) -> list[tuple[int, float, int]]:
    """The upper hull of the forms from nothing on: (row, value added, tokens added), by rising tokens."""
    points = sorted((int(columns.tokens[row]), -float(columns.values[row]), row) for row in rows)
    hull: list[tuple[int, float, int]] = [(0, 0.0, -1)]
    for tokens, negative, row in points:
        value = -negative
        if value <= hull[-1][1]:
            continue
        while len(hull) > 1 and not _is_above(hull[-2], hull[-1], (tokens, value)):
            hull.pop()
        hull.append((tokens, value, row))
    return [(row, value - below[1], tokens - below[0]) for below, (tokens, value, row) in pairwise(hull)]


def _is_above(one: tuple[int, float, int], two: tuple[int, float, int], three: tuple[int, float]) -> bool:
    """Whether the middle point lies above the line from the first to the last."""
    return (two[1] - one[1]) * (three[0] - one[0]) > (three[1] - one[1]) * (two[0] - one[0])
