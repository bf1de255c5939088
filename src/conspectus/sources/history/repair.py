"""A conversation in which every call has its one result right behind it; all that is mended is told, nothing is hidden.

The passes are those of pydantic-ai's history repair, made on load: a result whose call is gone becomes quoted text, a
call without a result gets one that says so, and arguments that are no object travel as text inside one. Mending what
was mended changes nothing.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate

import msgspec

from conspectus.core.manifest import Reason, Verdict
from conspectus.core.message import Part, Role, TextPart, ToolCallPart, ToolResultPart
from conspectus.sources.history.pairing import Answer, Pairs, calls_of, pair
from conspectus.sources.history.turns import Note, Turn

UNKNOWN = "No result was recorded for this call; its outcome is unknown."
NOT_RUN = "The arguments are no JSON object, and no result was recorded: the call was not run."
INVALID = "INVALID_JSON"
_PORTABLE_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Repaired:
    """The turns of a conversation that every provider accepts in this order, and what was mended."""

    turns: tuple[Turn, ...]
    notes: tuple[Note, ...]


@dataclass(slots=True)
class _Told:
    notes: list[Note] = field(default_factory=list[Note])

    def mended(self, turn: Turn, what: str) -> None:
        """Tell what was mended in a turn."""
        self.notes.append(Note(number=turn.number, line=turn.line, detail=f"line {turn.line}: {what}"))

    def dropped(self, turn: Turn, what: str, reason: Reason) -> None:
        """Tell why something of a turn is left out."""
        detail = f"line {turn.line}: {what}"
        note = Note(number=turn.number, line=turn.line, detail=detail, reason=reason, verdict=Verdict.OMITTED)
        self.notes.append(note)


def repair(turns: Iterable[Turn]) -> Repaired:
    """The same conversation, whole."""
    told = _Told()
    apart = _apart(_once_called(_speaking(turns, told), told))
    whole = [_with_objects(turn, told) for turn in apart]
    arranged = _arranged(whole, pair(whole), _own_ids(whole, told), told)
    return Repaired(turns=tuple(_once_said(arranged, told)), notes=tuple(told.notes))


def _speaking(turns: Iterable[Turn], told: _Told) -> Iterator[Turn]:
    """Turns that say something, without blank text beside what they say: no provider takes it."""
    for turn in turns:
        parts = tuple(part for part in turn.parts if not isinstance(part, TextPart) or part.text.strip())
        if not parts:
            told.dropped(turn, "an empty message", Reason.MALFORMED)
        else:
            yield turn if len(parts) == len(turn.parts) else replace(turn, parts=parts)


def _once_called(turns: Iterable[Turn], told: _Told) -> Iterator[Turn]:
    """A turn with calls that was written down twice in a row, once."""
    last: Turn | None = None
    for turn in turns:
        if last is not None and calls_of(turn) and _is_same(last, turn):
            told.dropped(turn, f"the same calls as on line {last.line}", Reason.DUPLICATE)
            continue
        last = turn
        yield turn


def _once_said(turns: Iterable[Turn], told: _Told) -> Iterator[Turn]:
    """A plain turn that was written down twice in a row, once."""
    last: Turn | None = None
    for turn in turns:
        plain = turn.role is not Role.TOOL and not calls_of(turn)
        if last is not None and plain and _is_same(last, turn):
            told.dropped(turn, f"the same message as on line {last.line}", Reason.DUPLICATE)
            continue
        last = turn
        yield turn


def _is_same(one: Turn, other: Turn) -> bool:
    return one == replace(other, number=one.number, line=one.line)


def _apart(turns: Iterable[Turn]) -> Iterator[Turn]:
    """Results as turns of their own, before whatever else their message says, as every provider wants them."""
    for turn in turns:
        results = tuple(part for part in turn.parts if isinstance(part, ToolResultPart))
        rest = tuple(part for part in turn.parts if not isinstance(part, ToolResultPart))
        if not results or turn.quoted:
            yield turn
            continue
        yield replace(turn, role=Role.TOOL, parts=results)
        if rest:
            yield replace(turn, role=Role.USER, parts=rest)


def _with_objects(turn: Turn, told: _Told) -> Turn:
    """A turn whose calls have objects as arguments; what is none stays as text inside one."""
    parts = tuple(_with_object(part) for part in turn.parts)
    changed = sum(new is not old for new, old in zip(parts, turn.parts, strict=True))
    if not changed:
        return turn
    told.mended(turn, f"{_counted(changed)} with arguments that are no JSON object")
    return replace(turn, parts=parts)


def _with_object(part: Part) -> Part:
    if not isinstance(part, ToolCallPart) or is_object(part.arguments):
        return part
    if not part.arguments.strip():
        return replace(part, arguments="{}")
    return replace(part, arguments=msgspec.json.encode({INVALID: part.arguments}).decode())


def is_object(text: str) -> bool:
    """Whether `text` is a JSON object."""
    try:
        msgspec.json.decode(text, type=dict[str, msgspec.Raw])
    except (msgspec.DecodeError, RecursionError):
        return False
    return True


def _own_ids(turns: Sequence[Turn], told: _Told) -> dict[int, dict[int, str]]:
    """For every call, by turn and part, an id of its own that every provider takes: the given one where it is such."""
    reserved = {call.call_id for turn in turns for _, call in calls_of(turn)}
    taken: set[str] = set()
    ids: dict[int, dict[int, str]] = {}
    for place, turn in enumerate(turns):
        renamed = 0
        for index, call in calls_of(turn):
            call_id = call.call_id
            if call_id in taken or not _PORTABLE_ID.fullmatch(call_id):
                call_id = _fresh_id(turn, index, reserved)
                renamed += 1
            taken.add(call_id)
            ids.setdefault(place, {})[index] = call_id
        if renamed:
            told.mended(turn, f"{_counted(renamed)} without an id of its own")
    return ids


def _fresh_id(turn: Turn, index: int, reserved: set[str]) -> str:
    call_id = f"call_{turn.number}_{index + 1}"
    while call_id in reserved:
        call_id += "_"
    reserved.add(call_id)
    return call_id


def _arranged(turns: Sequence[Turn], pairs: Pairs, ids: Mapping[int, Mapping[int, str]], told: _Told) -> Iterator[Turn]:
    """Each turn with calls, right behind it their results; results that answer nothing stay where they are, quoted."""
    known = {(answer.result.call_id, answer.result.text) for given in pairs.answers.values() for answer in given}
    spoken = list(accumulate((turn.role is not Role.TOOL for turn in turns), initial=0))
    for place, turn in enumerate(turns):
        if place in ids:
            asking = _numbered(turn, ids[place])
            answers = pairs.answers.get(place, ())
            yield asking
            for answer in answers:
                if spoken[answer.at] != spoken[place + 1]:
                    told.mended(turns[answer.at], f"a result moved to its call on line {turn.line}")
                yield _answered(turns[answer.at], answer, asking, told)
            yield from _made(asking, {answer.call for answer in answers}, told)
        elif turn.role is Role.TOOL and not turn.quoted:
            yield from _quoted(turn, pairs.lone.get(place, ()), known, told)
        else:
            yield turn


def _numbered(turn: Turn, ids: Mapping[int, str]) -> Turn:
    parts = list(turn.parts)
    for index, call in calls_of(turn):
        if call.call_id != ids[index]:
            parts[index] = replace(call, call_id=ids[index])
    return replace(turn, parts=tuple(parts))


def _answered(turn: Turn, answer: Answer, asking: Turn, told: _Told) -> Turn:
    """One result as a turn of its own, under the id of its call and, where it has none, the name."""
    result, call = answer.result, dict(calls_of(asking))[answer.call]
    if not result.call_id:
        told.mended(turn, "a result without an id, given to a call by its place")
    return replace(turn, parts=(replace(result, call_id=call.call_id, name=result.name or call.name),))


def _made(asking: Turn, answered: Collection[int], told: _Told) -> Iterator[Turn]:
    """A result for every call that nobody recorded one for."""
    missing = [call for index, call in calls_of(asking) if index not in answered]
    if missing:
        told.mended(asking, f"{_counted(len(missing))} without a result")
    for call in missing:
        text = NOT_RUN if call.arguments.startswith(f'{{"{INVALID}":') else UNKNOWN
        result = ToolResultPart(call_id=call.call_id, name=call.name, text=text, is_error=True)
        yield replace(asking, role=Role.TOOL, parts=(result,), made=True)


def _quoted(
    turn: Turn, lone: Sequence[ToolResultPart], known: Collection[tuple[str, str]], told: _Told
) -> Iterator[Turn]:
    """Results whose call is gone, as a turn that is only shown as text; what was written down twice is left out."""
    orphans = tuple(part for part in lone if not part.call_id or (part.call_id, part.text) not in known)
    if len(orphans) < len(lone):
        told.dropped(turn, f"{_counted(len(lone) - len(orphans), 'result')} recorded before", Reason.DUPLICATE)
    if orphans:
        told.mended(turn, f"{_counted(len(orphans), 'result')} without a call")
        yield replace(turn, parts=orphans, quoted=True)


def _counted(number: int, noun: str = "call") -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
