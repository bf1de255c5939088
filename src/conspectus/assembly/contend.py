"""Which ranked candidates can still enter, so that only those are compared and counted; the rest lost already."""

from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

import numpy as np
from numpy.typing import NDArray

from conspectus.assembly.table import PARTS, Ranked, needs_of
from conspectus.core.call import Slot
from conspectus.core.item import ContextItem, Kind
from conspectus.core.manifest import Reason, Run, Stage, Verdict
from conspectus.core.spec import ContextSpec, ReductionPolicy
from conspectus.text.postings import match
from conspectus.text.words import query_terms

_ROOM = 4
_LEAST = 500
_FILLERS = 8
_ASCII_PER_TOKEN = 4.0
_WIDE_PER_TOKEN = 1.6
_SHORTENED = frozenset({Kind.TOOL_RESULT, Kind.HISTORY})
_NO_EVIDENCE = frozenset({Kind.INSTRUCTION, Kind.REQUEST, Kind.TOOL_SCHEMA, Kind.DEMONSTRATION})


@dataclass(frozen=True, slots=True, kw_only=True)
class Contenders:
    """The candidates that can still enter.

    Attributes:
        fillers: for each slot, the ids of items that would fill it, most valuable first.
        lost: the end of every candidate that cannot enter any more.
    """

    ranked: Ranked
    fillers: tuple[tuple[str, ...], ...]
    lost: tuple[Run, ...]


def contend(ranked: Ranked, spec: ContextSpec, slots: Sequence[Slot]) -> Contenders:
    """Keep, of each kind, the best by value per character, 500 or four times what fits, and what they need.

    What lies beyond that would lose on the budget at any exact count. When everything fits, everything contends.
    """
    fillers = tuple(_fillers(slot, ranked) for slot in slots)
    inside = np.zeros(len(ranked.items), dtype=np.bool_)
    inside[[index for indices in fillers for index in indices]] = True
    inside[[i for i, item in enumerate(ranked.items) if item.mandatory or (item.signals and item.signal("pinned"))]] = (
        True
    )
    kinds = np.array([_CODES[item.kind] for item in ranked.items], dtype=np.int64)
    sizes = _sizes(ranked.items, kinds, spec.policies.reduction)
    order = np.argsort(-ranked.values / np.maximum(sizes, 1.0), kind="stable")
    for code in set(kinds.tolist()):
        own = order[kinds[order] == code]
        inside[own[:_LEAST]] = True
        inside[own[np.cumsum(sizes[own]) <= _ROOM * spec.budget.allowed]] = True
    names = tuple(tuple(ranked.items[index].item_id for index in indices) for indices in fillers)
    if inside.all():
        return Contenders(ranked=ranked, fillers=names, lost=())
    _add_needed(ranked.items, inside)
    stays, leaves = np.flatnonzero(inside), np.flatnonzero(~inside)
    return Contenders(ranked=ranked.only(stays), fillers=names, lost=_lost(ranked, leaves, spec.policies.ranking.floor))


_CODES = {kind: code for code, kind in enumerate(Kind)}


def _sizes(items: Sequence[ContextItem], kinds: NDArray[np.int64], policy: ReductionPolicy) -> NDArray[np.float64]:
    """A low guess of each item's tokens, from its characters; what can be shortened counts as shortened."""
    texts = [item.content for item in items]
    narrow = np.fromiter(map(str.isascii, texts), np.bool_, len(texts))
    sizes = np.fromiter(map(len, texts), np.float64, len(texts)) / np.where(narrow, _ASCII_PER_TOKEN, _WIDE_PER_TOKEN)
    short = np.isin(kinds, [_CODES[kind] for kind in _SHORTENED])
    sizes[short] = np.minimum(sizes[short], policy.head + policy.tail)
    return sizes


def _add_needed(items: Sequence[ContextItem], inside: NDArray[np.bool_]) -> None:
    """Extend `inside` by everything its members need: dependencies, the call of a result, the results of a call."""
    if not any(item.dependencies or item.parent_call_id for item in items):
        return
    index_of = {item.item_id: index for index, item in enumerate(items)}
    results: dict[str, list[int]] = {}
    for index, item in enumerate(items):
        if item.parent_call_id:
            results.setdefault(item.parent_call_id, []).append(index)
    frontier = np.flatnonzero(inside).tolist()
    while frontier:
        item = items[frontier.pop()]
        for index in (*(index_of[name] for name in needs_of(item)), *results.get(item.item_id, ())):
            if not inside[index]:
                inside[index] = True
                frontier.append(index)


def _lost(ranked: Ranked, indices: NDArray[np.int64], floor: float) -> tuple[Run, ...]:
    """The end of everything outside: below the floor, or beaten on the budget."""
    below = ranked.values[indices] < floor
    ends = ((Reason.BUDGET_EXCEEDED, indices[~below]), (Reason.BELOW_RELEVANCE, indices[below]))
    names = [item.item_id for item in ranked.items]
    return tuple(
        Run(
            subjects=tuple(map(names.__getitem__, lost.tolist())),
            stage=Stage.SELECT,
            verdict=Verdict.OMITTED,
            reason=reason,
            names=PARTS,
            scores=ranked.scores(lost),
        )
        for reason, lost in ends
        if len(lost)
    )


def _fillers(slot: Slot, ranked: Ranked) -> tuple[int, ...]:
    """The most valuable items that would fill the slot."""
    wanted = slot.match or (() if slot.source else (slot.name,))
    words = tuple(dict.fromkeys(term for text in wanted for term in query_terms(text)))
    found = match([item.content for item in ranked.items], words).tf.astype(bool).all(axis=1)
    fitting = [
        index
        for index in np.flatnonzero(found).tolist()
        if ranked.items[index].kind not in _NO_EVIDENCE and _named_by(slot.source, ranked.items[index])
    ]
    return tuple(sorted(fitting, key=lambda index: -ranked.values[index])[:_FILLERS])


def _named_by(pattern: str, item: ContextItem) -> bool:
    return not pattern or any(fnmatchcase(name, pattern) for name in (item.item_id, item.source_uri))
