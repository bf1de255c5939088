"""A whole conversation as units, each an item: a plain turn, or calls with all their results; nothing is left out."""

from collections.abc import Sequence
from dataclasses import dataclass

from conspectus.core.canonical import canonical_hash
from conspectus.core.item import ContextItem, Kind
from conspectus.core.message import Role
from conspectus.sources.history.transcript import transcript
from conspectus.sources.history.turns import Turn

_VERSION_DIGITS = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """Turns that enter together.

    Attributes:
        name: `42`, or `42-45` where its records reach from 42 to 45.
        is_open: a call is still waiting for its result, and the conversation has not gone on since.
    """

    name: str
    turns: tuple[Turn, ...]
    is_open: bool = False

    @property
    def numbers(self) -> frozenset[int]:
        """The records it was made from."""
        return frozenset(turn.number for turn in self.turns)


def group(turns: Sequence[Turn]) -> tuple[Unit, ...]:
    """The units of repaired turns, in order."""
    grouped: list[list[Turn]] = []
    for turn in turns:
        if turn.role is Role.TOOL and not turn.quoted:
            grouped[-1].append(turn)
        else:
            grouped.append([turn])
    named = {turns[0].number for turns in grouped if not turns[0].quoted}
    last_said = max((n for n, turns in enumerate(grouped) if turns[0].role is Role.ASSISTANT), default=-1)
    return tuple(
        Unit(
            name=_name(members, named),
            turns=tuple(members),
            is_open=place >= last_said and any(turn.made for turn in members),
        )
        for place, members in enumerate(grouped)
    )


def _name(turns: Sequence[Turn], named: frozenset[int] | set[int]) -> str:
    first, last = turns[0].number, max(turn.number for turn in turns)
    if turns[0].quoted and turns[0].role is Role.TOOL and first in named:
        return f"{first}#result"
    return f"{first}-{last}" if last > first else str(first)


def items_of(units: Sequence[Unit], uri: str, tenant: str) -> tuple[ContextItem, ...]:
    """One item per unit; `turn` is its place in the conversation in 0..1, `pinned` marks one that is open."""
    last = len(units) - 1
    return tuple(_item(unit, place / last if last else 1.0, uri, tenant) for place, unit in enumerate(units))


def _item(unit: Unit, place: float, uri: str, tenant: str) -> ContextItem:
    content = transcript(unit.turns)
    messages = tuple(turn.message for turn in unit.turns if not turn.quoted)
    moments = [turn.observed_at for turn in unit.turns if turn.observed_at is not None]
    pinned = (("pinned", 1.0),) if unit.is_open else ()
    role = unit.turns[0].role
    return ContextItem(
        item_id=f"history/{unit.name}",
        kind=Kind.HISTORY,
        content=content,
        source_uri=uri,
        source_version=canonical_hash((content, messages))[:_VERSION_DIGITS],
        role=Role.USER if unit.turns[0].quoted else role,
        observed_at=max(moments, default=None),
        tenant=tenant,
        signals=(*pinned, ("turn", place)),
        messages=messages,
    )
