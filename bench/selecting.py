"""`select` on prepared columns against a sort and one count of the payload; the other stages are not timed here."""

import numpy as np

from bench.clock import alternating
from bench.corpus import NOW, QUESTION, candidates, profile
from bench.figures import Row, Table
from conspectus.assembly.price import price
from conspectus.assembly.rank import rank
from conspectus.assembly.select import select
from conspectus.assembly.table import Context, Priced
from conspectus.core.message import Prompt
from conspectus.core.spec import RankingPolicy
from conspectus.packing.columns import UNBOUNDED, Columns

SIZES = (100, 1_000, 10_000, 100_000)
BUDGETS = (8_000, 100_000)
GOAL = 3.0
_KINDS = 10


def measure(*, quick: bool) -> tuple[Table, ...]:
    """CPU of `select` and of its yardstick for every size and budget."""
    model = profile()
    rows: list[Row] = []
    for size in SIZES[:3] if quick else SIZES:
        columns, priced = prepare(size)
        for budget in BUDGETS:
            chosen = select(columns, budget).chosen
            payload = Prompt(text="".join(priced.renditions[index].block for index in np.flatnonzero(chosen).tolist()))

            def ours(columns: Columns = columns, budget: int = budget) -> object:
                return select(columns, budget)

            def yardstick(columns: Columns = columns, payload: Prompt = payload) -> object:
                return np.argsort(columns.values / columns.tokens), model.count(payload)

            repeats = 5 if size == SIZES[-1] else 15
            spent, least = alternating((ours, yardstick), repeats)
            gained = float(columns.values[chosen].sum()) / bound(columns, budget)
            used = int(columns.tokens[chosen].sum())
            cells = (size, budget, spent * 1e3, least * 1e3, spent / least, used, gained)
            rows.append(Row(cells=cells, met=spent <= GOAL * least))
    return (
        Table(
            title="1 · Choosing on prepared columns",
            about="`select` with values and exact counts given, against sorting N densities and counting the"
            " payload once with the same engine. Value is the share reached of the fractional knapsack's bound.",
            goal=f"at most {GOAL:g} times the yardstick",
            columns=("candidates", "room", "select, ms", "yardstick, ms", "ratio", "tokens used", "value / bound"),
            rows=tuple(rows),
        ),
    )


def prepare(size: int) -> tuple[Columns, Priced]:
    """Columns of `size` real candidates, and what they were priced as."""
    items = candidates(size)
    priced = price(items, Context(twins={}, conflict={}), profile())
    columns = Columns(
        values=rank(items, QUESTION, RankingPolicy(), NOW).values,
        tokens=priced.tokens,
        kinds=np.zeros(size, dtype=np.int64),
        openings=np.zeros((size, 2), dtype=np.int64),
        required=np.zeros(size, dtype=np.bool_),
        needs={},
        headings=np.zeros(_KINDS, dtype=np.int64),
        minimum=np.zeros(_KINDS, dtype=np.int64),
        maximum=np.full(_KINDS, UNBOUNDED, dtype=np.int64),
    )
    return columns, priced


def bound(columns: Columns, budget: int) -> float:
    """The most value `budget` tokens could buy if items could be cut: no choice of whole items is worth more."""
    return fractional(columns.values, columns.tokens, budget)


def fractional(values: np.ndarray, tokens: np.ndarray, budget: int) -> float:
    """The optimum of the fractional knapsack (Dantzig 1957)."""
    order = np.argsort(-values / np.maximum(tokens, 1))
    spent = np.cumsum(tokens[order])
    whole = int(np.searchsorted(spent, budget, "right"))
    total = float(values[order[:whole]].sum())
    if whole < len(order):
        left = budget - (int(spent[whole - 1]) if whole else 0)
        total += float(values[order[whole]]) * left / int(tokens[order[whole]])
    return total
