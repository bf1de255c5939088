"""The values the stages hand on: ranked, priced, arranged, drafted; columns without behaviour."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from conspectus.assembly.layout import Section
from conspectus.core.item import ContextItem
from conspectus.core.manifest import Transformation
from conspectus.core.message import Message, Prompt, ToolSchema

Chains: TypeAlias = Mapping[str, tuple[Transformation, ...]]
Arrangement: TypeAlias = tuple[tuple[Section, tuple[int, ...]], ...]

PARTS = ("relevance", "recency", "prior", "value")


def needs_of(item: ContextItem) -> tuple[str, ...]:
    """Ids that have to be in when `item` is: its dependencies and the call it answers."""
    return (*item.dependencies, item.parent_call_id) if item.parent_call_id else item.dependencies


def rewire(items: Iterable[ContextItem], stands_for: Mapping[str, str]) -> tuple[ContextItem, ...]:
    """The items, each depending on, and answering, what stands for what it depended on or answered."""
    if not stands_for:
        return tuple(items)
    return tuple(item if stands_for.keys().isdisjoint(needs_of(item)) else _rewired(item, stands_for) for item in items)


def _rewired(item: ContextItem, stands_for: Mapping[str, str]) -> ContextItem:
    needs = dict.fromkeys(_stand_in(name, stands_for) for name in item.dependencies)
    needs.pop(item.item_id, None)
    call = _stand_in(item.parent_call_id, stands_for)
    return replace(item, dependencies=tuple(needs), parent_call_id="" if call == item.item_id else call)


def _stand_in(name: str, stands_for: Mapping[str, str]) -> str:
    seen: set[str] = set()
    while name in stands_for and name not in seen:
        seen.add(name)
        name = stands_for[name]
    return name


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranked:
    """Candidates with their worth.

    Attributes:
        values: worth of each item, shape (n,), in 0..1.
        parts: relevance, recency and prior, shape (n, 3); NaN where an item has no such part.
        signals: what relevance was made of, shape (n, len(SIGNALS)).
    """

    items: tuple[ContextItem, ...]
    values: NDArray[np.float64]
    parts: NDArray[np.float64]
    signals: NDArray[np.float64]

    def only(self, indices: NDArray[np.int64]) -> "Ranked":
        """The items at `indices`, in that order."""
        places: list[int] = indices.tolist()
        items = tuple(self.items[index] for index in places)
        return Ranked(
            items=items, values=self.values[indices], parts=self.parts[indices], signals=self.signals[indices]
        )

    def scores(self, indices: NDArray[np.int64]) -> NDArray[np.float64]:
        """Parts and value of each of the items, rounded to six digits; columns as in `PARTS`."""
        return np.column_stack((self.parts[indices], self.values[indices])).round(6)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rendition:
    """The form an item takes in the payload: a block of text, turns of a chat, a tool, or block and tool."""

    block: str = ""
    turns: tuple[Message, ...] = ()
    tool: ToolSchema | None = None
    section: Section = Section.EVIDENCE


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """What rendering needs to know beside the item.

    Attributes:
        twins: ids of the copies an item stands for.
        conflict: label of the conflict group an item belongs to.
        has_tools: whether any tool is on offer in this call.
    """

    twins: Mapping[str, tuple[str, ...]]
    conflict: Mapping[str, str]
    has_tools: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Priced:
    """Candidates as they would stand in the payload.

    Attributes:
        tokens: exact tokens each adds, frame included, shape (n,).
    """

    items: tuple[ContextItem, ...]
    renditions: tuple[Rendition, ...]
    tokens: NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A payload before its admission: `tokens` is the exact count of `prompt`, `sections` the headings it opens."""

    prompt: Prompt
    tokens: int
    sections: frozenset[Section]
