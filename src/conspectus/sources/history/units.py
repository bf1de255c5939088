"""Turns grouped into units, every call with its one result; what is damaged is mended and said to be."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from conspectus.core.message import Message, Part, Role, TextPart, ToolCallPart, ToolResultPart
from conspectus.sources.history.records import Line

UNKNOWN = "No result was recorded for this call; its outcome is unknown."


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """Turns that enter together: one plain turn, or a turn with calls and all their results.

    Attributes:
        first, last: numbers of the lines it was read from.
        pending: its calls were still open when the conversation ends.
        repairs: what had to be mended, with line numbers.
    """

    first: int
    last: int
    turns: tuple[Message, ...]
    lines: tuple[Line, ...]
    pending: bool = False
    repairs: tuple[str, ...] = ()


@dataclass(slots=True)
class _Slot:
    """One call that waits for its result; its id here is our own where the conversation's is empty or taken."""

    given: str
    call_id: str
    name: str
    result: ToolResultPart | None = None
    line: int = 0


def group(lines: Sequence[Line]) -> tuple[Unit, ...]:
    """The units of a conversation, in order; grouping what was grouped changes nothing."""
    units: list[Unit] = []
    place = 0
    while place < len(lines):
        calls = [part for part in lines[place].message.parts if isinstance(part, ToolCallPart)]
        if calls:
            unit, place = _exchange(lines, place, units)
            units.append(unit)
        else:
            units.extend(_plain(lines[place]))
            place += 1
    return tuple(units)


def _plain(line: Line) -> Iterable[Unit]:
    """A turn without calls; results in it answer nothing and become text."""
    orphans = [part for part in line.message.parts if isinstance(part, ToolResultPart)]
    parts: tuple[Part, ...] = tuple(
        TextPart(text=f"[result of a call that is not in this conversation]\n{part.text}")
        if isinstance(part, ToolResultPart)
        else part
        for part in line.message.parts
    )
    if not any(not isinstance(part, TextPart) or part.text.strip() for part in parts):
        return
    role = Role.USER if line.message.role is Role.TOOL else line.message.role
    repairs = (f"line {line.number}: {len(orphans)} results without a call became text",) if orphans else ()
    turn = Message(role=role, parts=parts)
    yield Unit(first=line.number, last=line.number, turns=(turn,), lines=(line,), repairs=repairs)


def _exchange(lines: Sequence[Line], place: int, before: Sequence[Unit]) -> tuple[Unit, int]:
    """A turn with calls, and the results in the turns that follow, up to the next word of the assistant."""
    opening = lines[place]
    taken = {
        part.call_id for unit in before for turn in unit.turns for part in turn.parts if isinstance(part, ToolCallPart)
    }
    slots, repairs = _slots(opening, taken)
    used = [opening]
    after: list[Message] = []
    place += 1
    while place < len(lines) and lines[place].message.role is not Role.ASSISTANT:
        line = lines[place]
        results = [part for part in line.message.parts if isinstance(part, ToolResultPart)]
        if not results and all(slot.result for slot in slots):
            break
        if not results and not _answered_later(lines, place, slots):
            break
        rest = tuple(part for part in line.message.parts if not isinstance(part, ToolResultPart))
        for result in results:
            extra = _fill(slots, result, line.number)
            if extra:
                repairs.append(extra)
                rest = (*rest, TextPart(text=f"[result of a call that is not in this conversation]\n{result.text}"))
        if rest:
            after.append(Message(role=Role.USER if line.message.role is Role.TOOL else line.message.role, parts=rest))
        used.append(line)
        place += 1
    missing = [slot for slot in slots if slot.result is None]
    if missing:
        repairs.append(f"line {opening.number}: {len(missing)} calls without a result were given one")
    turns = (_renamed(opening.message, slots), _answers(slots), *after)
    unit = Unit(
        first=opening.number,
        last=used[-1].number,
        turns=turns,
        lines=tuple(used),
        pending=bool(missing) and place == len(lines),
        repairs=tuple(repairs),
    )
    return unit, place


def _answered_later(lines: Sequence[Line], place: int, slots: Sequence[_Slot]) -> bool:
    """Whether a result for an open call stands behind a turn that interrupts the exchange."""
    wanted = {slot.given for slot in slots if slot.result is None}
    for line in lines[place + 1 :]:
        if line.message.role is Role.ASSISTANT:
            return False
        if any(isinstance(part, ToolResultPart) and part.call_id in wanted for part in line.message.parts):
            return True
    return False


def _slots(line: Line, taken: set[str]) -> tuple[list[_Slot], list[str]]:
    slots: list[_Slot] = []
    repairs: list[str] = []
    for number, part in enumerate(part for part in line.message.parts if isinstance(part, ToolCallPart)):
        call_id = part.call_id
        if not call_id or call_id in taken:
            call_id = f"call_{line.number}_{number + 1}"
            repairs.append(f"line {line.number}: a call without an id of its own is now {call_id}")
        taken.add(call_id)
        slots.append(_Slot(part.call_id, call_id, part.name))
    return slots, repairs


def _fill(slots: Sequence[_Slot], result: ToolResultPart, line: int) -> str:
    """Give the result to the first open call of its id; say what is wrong if there is none."""
    for slot in slots:
        if slot.result is None and slot.given == result.call_id:
            slot.result, slot.line = result, line
            return ""
    return f"line {line}: a result for {result.call_id!r}, which no open call has, became text"


def _renamed(message: Message, slots: Sequence[_Slot]) -> Message:
    waiting = iter(slots)
    parts = tuple(
        replace(part, call_id=next(waiting).call_id) if isinstance(part, ToolCallPart) else part
        for part in message.parts
    )
    return replace(message, parts=parts)


def _answers(slots: Sequence[_Slot]) -> Message:
    parts = tuple(
        replace(slot.result, call_id=slot.call_id, name=slot.result.name or slot.name)
        if slot.result
        else ToolResultPart(call_id=slot.call_id, name=slot.name, text=UNKNOWN, is_error=True)
        for slot in slots
    )
    return Message(role=Role.TOOL, parts=parts)
