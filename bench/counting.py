"""Counting every framed candidate cold against tokenizing every candidate once with the same engine."""

import quicktok

from bench.clock import alternating
from bench.corpus import candidates, profile
from bench.figures import Row, Table
from conspectus.assembly.price import price
from conspectus.assembly.table import Context
from conspectus.models.encodings import load_encoding

SIZES = (100, 1_000, 10_000, 100_000)
GOAL = 1.5


def measure(*, quick: bool) -> tuple[Table, ...]:
    """CPU of counting with an empty memo, and of the engine alone."""
    engine = quicktok.get_encoding("o200k_base")
    rows: list[Row] = []
    for size in SIZES[:3] if quick else SIZES:
        items = candidates(size)
        contents = [item.content for item in items]
        context = Context(twins={}, conflict={})
        blocks = [rendition.block for rendition in price(items, context, profile()).renditions]

        def cold(blocks: list[str] = blocks) -> object:
            load_encoding.cache_clear()
            return profile().count_blocks(blocks)

        def bare(texts: list[str] = contents) -> object:
            return [engine.count(text) for text in texts]

        def framed(blocks: list[str] = blocks) -> object:
            return [engine.count(text) for text in blocks]

        spent, least, fair = alternating((cold, bare, framed), 3 if size == SIZES[-1] else 7)
        megabytes = sum(len(text.encode()) for text in contents) / 1e6
        cells = (size, spent * 1e3, least * 1e3, spent / least, fair * 1e3, megabytes / spent)
        rows.append(Row(cells=cells, met=spent <= GOAL * least if size >= SIZES[1] else None))
    return (
        Table(
            title="3 · Counting cold",
            about="`count_blocks` of all candidates inside their frames, profile opened anew and nothing remembered,"
            " against the engine counting every candidate's bare text once. The frame itself costs tokens: `framed` is"
            " the engine alone on the same blocks. At 100 candidates opening the profile is most of it.",
            goal=f"at most {GOAL:g} times the engine on the bare texts, from 1,000 candidates",
            columns=("candidates", "cold, ms", "bare, ms", "ratio", "framed, ms", "MB/s"),
            rows=tuple(rows),
        ),
    )
