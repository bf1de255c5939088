"""Counting every framed candidate cold against tokenizing every candidate once with the same engine."""

from collections.abc import Sequence

import quicktok

from bench.clock import cpu
from bench.corpus import candidates, profile
from bench.figures import Row, Table
from conspectus.assembly.price import price
from conspectus.assembly.table import Context

SIZES = (100, 1_000, 10_000, 100_000)
GOAL = 1.5
_ABOUT = (
    "`count_blocks` of all candidates inside their frames, none of them counted before, against the engine counting"
    " every bare text once. A frame of about 40 tokens is text too: `framed` is the engine alone on the same blocks."
)


def measure(*, quick: bool) -> tuple[Table, ...]:
    """CPU of counting texts never seen before, and of the engine alone."""
    engine = quicktok.get_encoding("o200k_base")
    model = profile()
    rows: list[Row] = []
    for size in SIZES[:3] if quick else SIZES:
        items = candidates(size)
        blocks = [rendition.block for rendition in price(items, Context(twins={}, conflict={}), model).renditions]
        cold, bare, framed = [], [], []
        for turn in range(3 if size == SIZES[-1] else 7 if size == SIZES[-2] else 25):
            texts, fresh = _fresh([item.content for item in items], turn), _fresh(blocks, turn)
            cold.append(cpu(lambda fresh=fresh: model.count_blocks(fresh), 1))
            bare.append(cpu(lambda texts=texts: [engine.count(text) for text in texts], 1))
            framed.append(cpu(lambda fresh=fresh: [engine.count(text) for text in fresh], 1))
        megabytes = sum(len(item.content.encode()) for item in items) / 1e6
        ratio = min(cold) / min(bare)
        cells = (size, min(cold) * 1e3, min(bare) * 1e3, ratio, min(framed) * 1e3, megabytes / min(cold))
        rows.append(Row(cells=cells, met=ratio <= GOAL))
    return (
        Table(
            title="3 · Counting cold",
            about=_ABOUT,
            goal=f"at most {GOAL:g} times the engine on the bare texts",
            columns=("candidates", "cold, ms", "bare, ms", "ratio", "framed, ms", "MB/s"),
            rows=tuple(rows),
        ),
    )


def _fresh(texts: Sequence[str], turn: int) -> list[str]:
    """The same texts with a mark of this turn, so that nothing remembers them."""
    return [f"{text}# {turn}\n\n" for text in texts]
