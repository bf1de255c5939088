"""A handful of candidates, searched to the end: branch and bound over forms, needs, headings and shares."""

from collections import Counter

import numpy as np
from numpy.typing import NDArray

from conspectus.packing.columns import Columns, Why
from conspectus.packing.purse import Purse

_FEW = 24
"""Candidates from which on no search is made."""
_FORMS = 4
"""Forms a candidate may have on average."""
_NODES = 3000
"""Most nodes of one search; bounds its work, and what it has found by then is kept."""


def search(columns: Columns, start: Purse, incumbent: Purse) -> Purse:
    """The best packing with all of `start` and as much of each share as `incumbent` has, or `incumbent` itself."""
    open_rows = ~start.chosen & (columns.values >= columns.floor)
    options: dict[int, list[int]] = {}
    if np.count_nonzero(open_rows) > _FEW * _FORMS:
        return incumbent
    for row in np.flatnonzero(open_rows).tolist():
        choice = row if columns.choices is None else int(columns.choices[row])
        if choice not in start.forms:
            options.setdefault(choice, []).append(row)
    if not 0 < len(options) <= _FEW:
        return incumbent
    reached = columns.maximum - incumbent.kind_left
    wanted = _Search(columns, start, columns.minimum, list(options.values()))
    wanted.look(incumbent.value() - start.value() if (reached >= columns.minimum).all() else -1.0)
    if wanted.found is None and (reached < columns.minimum).any():
        wanted = _Search(columns, start, np.minimum(columns.minimum, reached), list(options.values()))
        wanted.look(incumbent.value() - start.value())
    if wanted.found is None:
        return incumbent
    better = start.copy()
    better.pay(better.quote(*wanted.found), wanted.found, Why.VALUE)
    return better


class _Search:
    """One search, depth first, the candidate with the best bargain first and its fullest form first."""

    def __init__(self, columns: Columns, start: Purse, minimum: NDArray[np.int64], options: list[list[int]]) -> None:
        self._values: list[float] = columns.values.tolist()
        self._tokens: list[int] = columns.tokens.tolist()
        self._kinds: list[int] = columns.kinds.tolist()
        self._openings: list[set[int]] = [set(row) for row in columns.openings.tolist()]
        self._headings: list[int] = start.headings.tolist()
        self._kind_left: list[int] = start.kind_left.tolist()
        self._most_left: list[int] = (columns.maximum - minimum).tolist()
        fixed = set(np.flatnonzero(start.chosen).tolist())
        self._needs = {row: [i for i in needed if i not in fixed] for row, needed in columns.needs.items()}
        slopes = [(max(self._density(row) for row in rows), rows) for rows in options]
        slopes.sort(key=lambda pair: -pair[0])
        self._options = [sorted(rows, key=lambda row: -self._values[row]) for _, rows in slopes]
        self._bargains = [
            (slope, self._values[rows[0]]) for (slope, _), rows in zip(slopes, self._options, strict=True)
        ]
        self._depth_of = {row: depth for depth, rows in enumerate(self._options) for row in rows}
        self._best = 0.0
        self._opened: Counter[int] = Counter()
        self._demanded: Counter[int] = Counter()
        self._taken: list[int] = []
        self._nodes = 0
        self._left = start.left
        self.found: list[int] | None = None

    def look(self, beat: float) -> None:
        """Find the best choice that is worth more than `beat`."""
        self._best = beat
        self._visit(0, self._left, 0.0)

    def _visit(self, depth: int, left: int, value: float) -> None:
        """Decide about the candidate at `depth` and all that follow."""
        self._nodes += 1
        if depth == len(self._options):
            if value > self._best and all(map(int.__le__, self._kind_left, self._most_left)):
                self._best, self.found = value, list(self._taken)
            return
        if self._nodes > _NODES or value + self._hope(depth, left) <= self._best:
            return
        rows = self._options[depth]
        demanded = [row for row in rows if self._demanded[row]]
        for row in demanded or rows:
            if len(demanded) < 2:
                self._try(row, depth, left, value)
        if not demanded:
            self._visit(depth + 1, left, value)

    def _try(self, row: int, depth: int, left: int, value: float) -> None:
        """Let `row` in and go on, if it can be paid and nothing it needs was refused already."""
        needed = self._needs.get(row, [])
        if any(self._depth_of.get(i, -1) < depth and i not in self._taken for i in needed):
            return
        fresh = [code for code in self._openings[row] if not self._opened[code]]
        kind, tokens = self._kinds[row], self._tokens[row]
        cost = tokens + sum(self._headings[code] for code in fresh)
        if cost > left or tokens > self._kind_left[kind]:
            return
        self._kind_left[kind] -= tokens
        self._opened.update(fresh)
        self._demanded.update(needed)
        self._taken.append(row)
        self._visit(depth + 1, left - cost, value + self._values[row])
        self._taken.pop()
        self._demanded.subtract(needed)
        self._opened.subtract(fresh)
        self._kind_left[kind] += tokens

    def _hope(self, depth: int, left: int) -> float:
        """More than the candidates from `depth` on can be worth: each at its best bargain, the last one cut."""
        hope = 0.0
        for slope, worth in self._bargains[depth:]:
            tokens = worth / slope if slope > 0.0 else 0.0
            if tokens >= left:
                return hope + slope * left
            hope += worth
            left -= int(tokens)
        return hope

    def _density(self, row: int) -> float:
        return self._values[row] / max(self._tokens[row], 1)
