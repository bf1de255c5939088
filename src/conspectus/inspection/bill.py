"""The bill: where the tokens of one payload go, and how its candidates ended; sums only."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from conspectus.core.manifest import ContextManifest, ItemRecord, Reason, Verdict

_ENDS = (Verdict.KEPT, Verdict.TRANSFORMED, Verdict.OMITTED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """Tokens and number of the items under one name."""

    name: str
    tokens: int
    items: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Bill:
    """Where the tokens go.

    Attributes:
        sections: by heading, in the order of the payload.
        kinds: by kind, the largest first.
        sources: by the start of the id, the largest first.
        scaffold: tokens of headings, rules and template, and of the joins.
        total: tokens of the payload.
        limit: tokens it may have.
        ends: for each verdict and reason, how many candidates ended so, the most frequent first.
    """

    sections: tuple[Entry, ...]
    kinds: tuple[Entry, ...]
    sources: tuple[Entry, ...]
    scaffold: int
    total: int
    limit: int
    ends: tuple[tuple[Verdict, Reason, int], ...]


def bill(manifest: ContextManifest) -> Bill:
    """Add up one manifest."""
    counts = manifest.ledger.counts()
    ends = [(verdict, reason, count) for (verdict, reason), count in counts.items() if verdict in _ENDS]
    return Bill(
        sections=_entries(manifest, lambda record: record.section),
        kinds=_largest(_entries(manifest, lambda record: record.kind)),
        sources=_largest(_entries(manifest, lambda record: record.id.partition("/")[0])),
        scaffold=manifest.scaffold_tokens + manifest.join_tokens,
        total=manifest.input_tokens,
        limit=manifest.input_limit,
        ends=tuple(sorted(ends, key=lambda end: (_ENDS.index(end[0]), -end[2], end[1]))),
    )


def _entries(manifest: ContextManifest, name_of: Callable[[ItemRecord], str]) -> tuple[Entry, ...]:
    """Sums by name, in the order the names first appear."""
    tokens: Counter[str] = Counter()
    items: Counter[str] = Counter()
    for record in manifest.items:
        tokens[name_of(record)] += record.tokens
        items[name_of(record)] += 1
    return tuple(Entry(name=name, tokens=tokens[name], items=items[name]) for name in items)


def _largest(entries: tuple[Entry, ...]) -> tuple[Entry, ...]:
    return tuple(sorted(entries, key=lambda entry: (-entry.tokens, entry.name)))
