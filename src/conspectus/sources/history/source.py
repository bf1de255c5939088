"""HistorySource: what was said and done, a unit an item; it shortens and forgets nothing."""

import re
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

import msgspec

from conspectus.core.call import Caller, Request
from conspectus.core.canonical import digest
from conspectus.core.item import ContextItem, Kind
from conspectus.core.manifest import Decision, Gathered, Reason, Stage, Verdict
from conspectus.core.message import ImagePart, Message, Part, Role, SealedPart, TextPart, ToolCallPart, ToolResultPart
from conspectus.errors import InputError
from conspectus.sources.history.records import Line, read_line
from conspectus.sources.history.units import Unit, group
from conspectus.sources.reading import numbered_lines, read_bytes


class HistorySource:
    """A conversation that was read before the call."""

    name = "history"

    def __init__(self, units: Sequence[Unit], uri: str, version: str, notes: Sequence[str] = ()) -> None:
        self._units = tuple(units)
        self._uri = uri
        self._version = version
        self._notes = tuple(notes)

    def gather(self, request: Request, caller: Caller, now: datetime) -> Gathered:  # noqa: ARG002 - all is offered
        """Every unit, and a decision for every repair."""
        last = max(len(self._units) - 1, 1)
        items = tuple(self._item(unit, place / last, caller.tenant) for place, unit in enumerate(self._units))
        decisions = [
            _repair(item.item_id, repair)
            for item, unit in zip(items, self._units, strict=True)
            for repair in unit.repairs
        ]
        decisions.extend(_repair("source/history", note) for note in self._notes)
        return Gathered(items=items, decisions=tuple(decisions))

    def _item(self, unit: Unit, turn: float, tenant: str) -> ContextItem:
        lines = f"{unit.first}-{unit.last}" if unit.last > unit.first else str(unit.first)
        moments = [line.observed_at for line in unit.lines if line.observed_at]
        pinned = (("pinned", 1.0),) if unit.pending else ()
        return ContextItem(
            item_id=f"history/{lines}",
            kind=Kind.HISTORY,
            content=transcript(unit.turns),
            source_uri=self._uri,
            source_version=self._version,
            role=unit.turns[0].role if unit.turns[0].role is not Role.SYSTEM else Role.USER,
            observed_at=max(moments, default=None),
            tenant=tenant,
            signals=(*pinned, ("turn", turn)),
            messages=unit.turns,
        )


def _repair(subject: str, detail: str) -> Decision:
    return Decision(subject=subject, stage=Stage.GATHER, verdict=Verdict.NOTED, reason=Reason.REPAIRED, detail=detail)


def transcript(turns: Sequence[Message]) -> str:
    """The turns as text a person reads: who said what, what was called with which arguments, and what came back."""
    return "\n".join(line for turn in turns for part in turn.parts if (line := _line(turn.role, part)))


def _line(role: Role, part: Part) -> str:
    match part:
        case TextPart():
            return f"{role.value}: {part.text}"
        case ToolCallPart():
            return f"{role.value} calls {part.name}({part.arguments})"
        case ToolResultPart():
            failed = " with an error" if part.is_error else ""
            return f"{part.name or 'tool'} returns{failed}: {part.text}"
        case ImagePart():
            return f"{role.value} shows a picture ({part.media_type or part.url})"
        case SealedPart():
            return ""


def read_history(path: Path, *, strict: bool = False) -> HistorySource:
    """A conversation from JSONL, from a JSON array of turns, or from an object with `messages`.

    A last line that breaks off is left out and said to be; damage elsewhere is mended and said to be.

    Raises:
        InputError: a line is no turn; or, if `strict`, anything would have to be mended.
    """
    data = read_bytes(path)
    lines, notes = _lines(data, path)
    units = group(lines)
    repairs = [*notes, *(repair for unit in units for repair in unit.repairs)]
    if strict and repairs:
        raise InputError(str(path), f"is damaged: {'; '.join(repairs)}")
    return HistorySource(units, f"history:{path.name}", digest(data)[:16], notes)


_LISTED = re.compile(rb"\s*(?:\[|\{\s*\"messages\"\s*:)")


def _lines(data: bytes, path: Path) -> tuple[list[Line], list[str]]:
    if _LISTED.match(data):
        return _listed(data, path), []
    raws = list(numbered_lines(data))
    lines: list[Line] = []
    for place, (number, raw) in enumerate(raws):
        if place == len(raws) - 1 and not data.endswith(b"\n") and _breaks_off(raw):
            return lines, [f"line {number} breaks off and was left out"]
        lines.append(read_line(raw, path, number))
    return lines, []


def _breaks_off(raw: bytes) -> bool:
    try:
        msgspec.json.decode(raw)
    except msgspec.DecodeError as error:
        return "truncated" in str(error)
    return False


class _Conversation(msgspec.Struct, frozen=True):
    messages: list[msgspec.Raw]


def _listed(data: bytes, path: Path) -> list[Line]:
    try:
        if data.lstrip().startswith(b"["):
            raws = msgspec.json.decode(data, type=list[msgspec.Raw])
        else:
            raws = msgspec.json.decode(data, type=_Conversation).messages
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise InputError(str(path), f"is no conversation: {error}") from error
    return [read_line(bytes(raw), path, number) for number, raw in enumerate(raws, 1)]
