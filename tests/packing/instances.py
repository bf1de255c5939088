"""Small instances of every kind, and their optimum by trying everything."""

from itertools import product

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from conspectus.packing.columns import UNBOUNDED, Columns

KINDS = 3
CODES = 4


def instance(random: Generator, *, candidates: int, shares: bool = True, minima: bool = True) -> tuple[Columns, int]:
    """Candidates of one to three forms, some needing others, in kinds with shares and under headings; and a room."""
    forms = random.choice([1, 1, 1, 2, 3], size=candidates)
    choices = np.repeat(np.arange(candidates), forms)
    rows = len(choices)
    firsts = np.searchsorted(choices, np.arange(candidates))
    tokens = random.integers(5, 200, rows)
    values = random.random(rows) * (tokens if random.random() < 0.5 else 100) / 100
    for first, many in zip(firsts.tolist(), forms.tolist(), strict=True):
        tokens[first : first + many] = np.sort(tokens[first : first + many])[::-1]
        values[first : first + many] = np.sort(values[first : first + many])[::-1]
    kinds = random.integers(0, KINDS, candidates)[choices]
    needs: dict[int, tuple[int, ...]] = {}
    for candidate in range(1, candidates):
        if random.random() < 0.3:
            parent = int(firsts[random.integers(0, candidate)])
            needed = tuple(dict.fromkeys((parent, *needs.get(parent, ()))))
            first = int(firsts[candidate])
            needs.update((row, needed) for row in range(first, first + int(forms[candidate])))
    minimum = np.zeros(KINDS, dtype=np.int64)
    maximum = np.full(KINDS, UNBOUNDED, dtype=np.int64)
    room = int(tokens[firsts].sum() * random.uniform(0.1, 0.8))
    if shares and random.random() < 0.5:
        maximum[random.integers(0, KINDS)] = random.integers(0, room + 1)
    if shares and minima and random.random() < 0.5:
        kind = int(random.integers(0, KINDS))
        minimum[kind] = min(int(random.integers(0, room // 2 + 1)), int(maximum[kind]))
    headings = random.integers(0, 12, CODES)
    columns = Columns(
        values=values,
        tokens=tokens.astype(np.int64),
        kinds=kinds.astype(np.int64),
        openings=random.integers(0, CODES, (candidates, 2))[choices].astype(np.int64),
        required=np.zeros(rows, dtype=np.bool_),
        needs=needs,
        headings=headings.astype(np.int64),
        minimum=minimum,
        maximum=maximum,
        choices=choices.astype(np.int64),
    )
    return columns, room


def is_allowed(columns: Columns, room: int, chosen: NDArray[np.bool_]) -> bool:
    """Whether a choice of rows keeps room, maxima, needs and one form a candidate."""
    rows = np.flatnonzero(chosen).tolist()
    assert columns.choices is not None
    opened = np.unique(columns.openings[rows])
    spent = np.bincount(columns.kinds[rows], columns.tokens[rows], KINDS)
    return bool(
        len(set(columns.choices[rows].tolist())) == len(rows)
        and columns.tokens[rows].sum() + columns.headings[opened].sum() <= room
        and (spent <= columns.maximum).all()
        and all(chosen[i] for row in rows for i in columns.needs.get(row, ()))
    )


def reaches(columns: Columns, chosen: NDArray[np.bool_]) -> bool:
    """Whether a choice reaches every minimum share."""
    spent = np.bincount(columns.kinds[chosen], columns.tokens[chosen], KINDS)
    return bool((spent >= columns.minimum).all())


def optimum(columns: Columns, room: int, *, minima: bool) -> float:
    """The most value of any choice, by trying every one; of those that reach the minima where `minima` says so."""
    assert columns.choices is not None
    groups = [np.flatnonzero(columns.choices == choice).tolist() for choice in np.unique(columns.choices).tolist()]
    picks = np.array(list(product(*([-1, *group] for group in groups))), dtype=np.int64)
    chosen = np.zeros((len(picks), len(columns.values) + 1), dtype=np.bool_)
    np.put_along_axis(chosen, picks, values=True, axis=1)
    chosen = chosen[:, :-1]
    for row, needed in columns.needs.items():
        chosen = chosen[~chosen[:, row] | chosen[:, list(needed)].all(axis=1)]
    cost = chosen @ columns.tokens
    for code in range(CODES):
        cost = cost + columns.headings[code] * chosen[:, (columns.openings == code).any(axis=1)].any(axis=1)
    allowed = cost <= room
    for kind in range(KINDS):
        spent = chosen @ np.where(columns.kinds == kind, columns.tokens, 0)
        allowed &= spent <= columns.maximum[kind]
        if minima:
            allowed &= spent >= columns.minimum[kind]
    return float((chosen[allowed] @ columns.values).max(initial=0.0))
