"""Which result belongs to which call, whatever their ids are worth; it changes nothing."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from conspectus.core.message import Role, ToolCallPart, ToolResultPart
from conspectus.sources.history.turns import Turn

Place: TypeAlias = tuple[int, int]
"""A part: the index of its turn, and its index in the turn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A result that belongs to a call.

    Attributes:
        at: index of the turn that holds the result.
        call: index of the call among the parts of its turn.
    """

    at: int
    call: int
    result: ToolResultPart


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairs:
    """Every result of a conversation, by turn.

    Attributes:
        answers: for the index of a turn with calls, the results of its calls as they came; no call has two.
        lone: for the index of a turn with results, those that belong to no call.
    """

    answers: Mapping[int, Sequence[Answer]]
    lone: Mapping[int, Sequence[ToolResultPart]]


def calls_of(turn: Turn) -> list[tuple[int, ToolCallPart]]:
    """The calls of a turn with their index among its parts."""
    return [(index, part) for index, part in enumerate(turn.parts) if isinstance(part, ToolCallPart)]


def results_of(turn: Turn) -> list[tuple[int, ToolResultPart]]:
    """The results of a turn with their index among its parts; what is only quoted is none."""
    if turn.quoted or turn.role is not Role.TOOL:
        return []
    return [(index, part) for index, part in enumerate(turn.parts) if isinstance(part, ToolResultPart)]


def pair(turns: Sequence[Turn]) -> Pairs:
    """Give every result to its call.

    A result belongs to the nearest open call before it that has its id. Where a result or a call has no id, what is
    left of the last turn with calls is paired in order, by name where the result has one.
    """
    owners = _by_id(turns)
    _add_by_order(turns, owners)
    answers: dict[int, list[Answer]] = {}
    lone: dict[int, list[ToolResultPart]] = {}
    for place, turn in enumerate(turns):
        for index, result in results_of(turn):
            if (place, index) in owners:
                asked, call = owners[place, index]
                answers.setdefault(asked, []).append(Answer(at=place, call=call, result=result))
            else:
                lone.setdefault(place, []).append(result)
    return Pairs(answers=answers, lone=lone)


def _by_id(turns: Sequence[Turn]) -> dict[Place, Place]:
    waiting: dict[str, list[Place]] = {}
    owners: dict[Place, Place] = {}
    for place, turn in enumerate(turns):
        for index, call in calls_of(turn):
            waiting.setdefault(call.call_id, []).append((place, index))
        for index, result in results_of(turn):
            if result.call_id and waiting.get(result.call_id):
                owners[place, index] = _nearest(waiting[result.call_id])
    return owners


def _nearest(waiting: list[Place]) -> Place:
    """The first open call of the last turn that has one; it is taken off the list."""
    last = waiting[-1][0]
    first = len(waiting) - 1
    while first > 0 and waiting[first - 1][0] == last:
        first -= 1
    return waiting.pop(first)


def _add_by_order(turns: Sequence[Turn], owners: dict[Place, Place]) -> None:
    answered = set(owners.values())
    asked = -1
    for place, turn in enumerate(turns):
        if calls_of(turn):
            asked = place
        for index, result in results_of(turn):
            if asked < 0 or (place, index) in owners:
                continue
            for number, call in calls_of(turns[asked]):
                is_open = (asked, number) not in answered and not (result.call_id and call.call_id)
                if is_open and result.name in ("", call.name):
                    owners[place, index] = (asked, number)
                    answered.add((asked, number))
                    break
