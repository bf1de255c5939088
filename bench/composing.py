"""The whole of `compose`, its growth, its memory and its stages, with counts cached; no source is asked."""

import math
import time
from collections.abc import Callable
from itertools import chain
from typing import TypeVar

from bench.clock import cpu, peak_memory, slope
from bench.corpus import Call, call, candidates, paragraphs, profile
from bench.figures import Cell, Row, Table
from conspectus.assembly.assemble import compose
from conspectus.assembly.authorize import authorize
from conspectus.assembly.bound import bound
from conspectus.assembly.check import check
from conspectus.assembly.clean import clean
from conspectus.assembly.contend import contend
from conspectus.assembly.dedupe import dedupe
from conspectus.assembly.fit import fit
from conspectus.assembly.rank import rank
from conspectus.assembly.record import Walk, record
from conspectus.assembly.relate import relate
from conspectus.assembly.resolve import resolve
from conspectus.assembly.serialize import seal
from conspectus.assembly.table import Context
from conspectus.core.item import ContextItem, Kind, Trust

SIZES = (100, 1_000, 10_000, 100_000)
BUDGETS = (8_000, 100_000)
SECONDS = 1.0
MEGABYTES = 120.0
_CHINESE_QUESTION = "黑豹队的防守丢了多少分？谁在超级碗中获胜？"
T = TypeVar("T")


def measure(*, quick: bool) -> tuple[Table, ...]:
    """Time and memory of `compose` for every size and budget, in code and in Chinese, and each stage at the largest."""
    sizes = SIZES[:3] if quick else SIZES
    return _wholes(sizes), _chinese(), _stages(sizes[-1])


def _wholes(sizes: tuple[int, ...]) -> Table:
    model = profile()
    rows: list[Row] = []
    for budget in BUDGETS:
        seconds: list[float] = []
        for size in sizes:
            arguments = call(candidates(size), budget, model)
            compose(*arguments)
            spent = cpu(lambda arguments=arguments: compose(*arguments), 5)
            added = peak_memory(lambda arguments=arguments: compose(*arguments))
            seconds.append(spent)
            growth = slope(sizes[len(seconds) - 2 : len(seconds)], seconds[-2:]) if len(seconds) > 1 else None
            tokens = compose(*arguments).payload.tokens
            met = spent <= SECONDS and added <= MEGABYTES if size == SIZES[-1] else None
            rows.append(Row(cells=(size, budget, spent * 1e3, spent / size * 1e6, growth, added, tokens), met=met))
    return Table(
        title="2 · compose() with counts cached",
        about="The whole walk from offers to payload and manifest over source code. Growth is the exponent since the"
        " size before (1 is linear); memory is what the call adds at its peak.",
        goal=f"at 100,000 candidates at most {SECONDS:g} s of CPU and {MEGABYTES:g} MB",
        columns=("candidates", "limit", "CPU, ms", "µs a candidate", "growth", "memory, MB", "payload tokens"),
        rows=tuple(rows),
    )


def _chinese() -> Table:
    about = "The same over Chinese paragraphs, each cut into pieces of about 160 characters."
    columns = ("candidates", "limit", "CPU, ms", "µs a candidate", "memory, MB", "payload tokens")
    title = "2b · compose() over Chinese"
    pieces = [text[at : at + 160] for text in paragraphs("zh") for at in range(0, len(text), 160)]
    if not pieces:
        return Table(
            title=title, about=f"{about} Not run: the set is not beside the repository.", columns=columns, rows=()
        )
    items = tuple(
        ContextItem(item_id=f"note/{number}", kind=Kind.NOTE, content=piece, trust=Trust.TRUSTED)
        for number, piece in enumerate(dict.fromkeys(pieces))
    )
    model = profile()
    rows: list[Row] = []
    for budget in BUDGETS:
        arguments = call(items, budget, model, _CHINESE_QUESTION)
        compose(*arguments)
        spent = cpu(lambda arguments=arguments: compose(*arguments), 5)
        added = peak_memory(lambda arguments=arguments: compose(*arguments))
        tokens = compose(*arguments).payload.tokens
        cells: tuple[Cell, ...] = (len(items), budget, spent * 1e3, spent / len(items) * 1e6, added, tokens)
        rows.append(Row(cells=cells))
    return Table(title=title, about=about, columns=columns, rows=tuple(rows))


def _stages(size: int) -> Table:
    model = profile()
    best: dict[int, dict[str, float]] = {}
    for budget in BUDGETS:
        arguments = call(candidates(size), budget, model)
        for _ in range(5):
            for name, spent in walk(*arguments).items():
                least = best.setdefault(budget, {}).get(name, math.inf)
                best[budget][name] = min(spent, least)
    rows = [Row(cells=(name, *(best[budget][name] * 1e3 for budget in BUDGETS))) for name in best[BUDGETS[0]]]
    rows.append(Row(cells=("all of them", *(sum(best[budget].values()) * 1e3 for budget in BUDGETS))))
    return Table(
        title=f"2c · Where compose() spends it, {size:,} candidates",
        about="Every stage called in the conductor's order, least CPU of five walks.",
        columns=("stage", *(f"limit {budget:,}, ms" for budget in BUDGETS)),
        rows=tuple(rows),
    )


class _Watch:
    """CPU seconds of named calls."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    def __call__(self, stage: Callable[..., T], *arguments: object) -> T:
        start = time.process_time()
        result = stage(*arguments)
        self.seconds[stage.__name__] = time.process_time() - start
        return result


def walk(*arguments: *Call) -> dict[str, float]:
    """CPU seconds of each stage of one walk, called as `assembly/assemble.py` calls them."""
    offers, request, caller, spec, model, now = arguments
    watch = _Watch()
    watch(resolve, spec, model)
    allowed = watch(authorize, offers, caller, now)
    bounded = watch(bound, allowed.items)
    checked = watch(check, bounded.items)
    unique = watch(dedupe, checked.items)
    ranked = watch(rank, unique.items, request.question, spec.policies.ranking, now)
    contenders = watch(contend, ranked, spec, request.slots)
    cleaned = watch(clean, contenders.ranked, now)
    related = watch(relate, cleaned.ranked, unique.twins, spec.policies.trust)
    conflict = {name: f"c{number}" for number, group in enumerate(related.conflicts, 1) for name in group}
    wanted = tuple(zip(request.slots, contenders.fillers, strict=True))
    fitted = watch(fit, related.ranked, Context(twins=related.twins, conflict=conflict), spec, model, wanted)
    payload = watch(seal, fitted.draft, model)
    stages = (allowed, bounded, checked, unique, cleaned, related)
    known = Walk(
        request=request,
        caller=caller,
        spec=spec,
        now=now,
        allowed=allowed.items,
        decisions=tuple(chain.from_iterable(stage.decisions for stage in stages)),
        lost=contenders.lost,
        refused=allowed.refused,
        chains=cleaned.chains,
        conflicts=related.conflicts,
        conflict=conflict,
    )
    watch(record, known, related.ranked, fitted, payload, model)
    return watch.seconds
